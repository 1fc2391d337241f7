"""A broken promise."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """`at`: true seconds of the world. `invariant`: S1 to S12, L1 to L4, E1, E2."""

    at: float
    invariant: str
    what: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.what}"
