"""What a judge is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from simulations.world.oracles.facts import Facts
from simulations.world.records import Record, What


@dataclass(slots=True)
class Judge:
    """Judges one invariant. `found` is called with what is wrong, in words; `watch` with the kinds in `watches`."""

    facts: Facts
    found: Callable[[str, str], None]
    invariant = ""
    watches: ClassVar[frozenset[What]] = frozenset(What)

    def watch(self, record: Record) -> None:
        """Something has happened."""

    def calm_begins(self) -> None:
        """No fault begins any more."""

    def close(self) -> None:
        """The calm is over: what must have settled by now?"""

    def broken(self, what: str) -> None:
        """The promise is broken."""
        self.found(self.invariant, what)
