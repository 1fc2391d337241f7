"""A mistake in a policy file: where, which field, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SHOWN_MAX = 20
VALUE_CHARACTERS_MAX = 60

Path = tuple[str | int, ...]
"""Keys and positions from the top of a document: `("spec", "groups", 0, "zone")`."""

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """`line` and `column` start at 1; 0 where the place is the whole file."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return ": ".join(part for part in (place, self.path, self.message) if part)


class PolicyError(ValueError):
    """A policy that cannot be used. `problems` has every mistake that was found, the text the first twenty."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        lines = [str(p) for p in problems[:SHOWN_MAX]]
        if len(problems) > SHOWN_MAX:
            lines.append(f"… and {len(problems) - SHOWN_MAX} more problems")
        super().__init__("\n".join(lines))


class InnerError(ValueError):
    """Raised by a validator that reads a value as a whole: its mistakes, each with the path below that value."""

    def __init__(self, *found: tuple[Path, str]) -> None:
        self.found = found
        super().__init__("; ".join(": ".join(part for part in (dotted(path), text) if part) for path, text in found))


def shown(value: object) -> str:
    """A value for a message: one line, and not endless."""
    if isinstance(value, dict | list | tuple):
        return "a mapping" if isinstance(value, dict) else "a list"
    return shortened(repr(value))


def shortened(text: str) -> str:
    """`text` cut to what a message can bear."""
    return text if len(text) <= VALUE_CHARACTERS_MAX else f"{text[: VALUE_CHARACTERS_MAX - 3]}..."


def dotted(path: Path) -> str:
    """`spec.groups[0].zone`; a key that is no plain word stands in brackets, `labels["nvidia.com/gpu"]`."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        elif part.replace("-", "").replace("_", "").isalnum() and len(part) <= VALUE_CHARACTERS_MAX:
            out += f".{part}" if out else part
        else:
            out += f"[{_quoted(part)}]"
    return out


def _quoted(key: str) -> str:
    plain = key.isprintable() and '"' not in key
    return f'"{shortened(key)}"' if plain else shortened(ascii(key))
