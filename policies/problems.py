"""A mistake in a policy file: where, which field, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SHOWN_MAX = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """`line` and `column` start at 1; 0 where the place is the whole file."""

    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return ": ".join(part for part in (place, self.path, self.message) if part)


class PolicyError(ValueError):
    """A policy that cannot be used. `problems` has every mistake that was found."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = problems
        shown = [str(p) for p in problems[:SHOWN_MAX]]
        if len(problems) > SHOWN_MAX:
            shown.append(f"… and {len(problems) - SHOWN_MAX} more problems")
        super().__init__("\n".join(shown))
