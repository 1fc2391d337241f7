"""What is wrong with an input, as one sentence with the place and the fix."""

from __future__ import annotations

from pathlib import Path


class InputError(ValueError):
    """A file that cannot be used. `str(error)` is `file:line: what is wrong; the fix`; `line` is None for a whole
    file.
    """

    def __init__(self, path: Path | str, line: int | None, message: str) -> None:
        self.path, self.line, self.message = str(path), line, message
        super().__init__(f"{path}:{line}: {message}" if line is not None else f"{path}: {message}")


def one_line(error: Exception) -> str:
    """The text of an exception without line breaks."""
    return " ".join(str(error).split())
