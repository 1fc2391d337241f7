"""L3: no futile buying: a bounded number of nodes for a pod that they do not help."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

WINDOW_S = 1800.0
EACH = 3
"""Nodes in the window for each pod that came into being, each node that was lost, and each node that failed."""


@dataclass(slots=True)
class NoFutileBuying(Judge):
    """Counts what was bought against what there was to buy for."""

    invariant = "L3"
    watches = frozenset({What.POD_CREATED, What.TAKEN, What.PERSON, What.RAISED})
    bought: deque[tuple[float, int]] = field(default_factory=deque)
    causes: deque[float] = field(default_factory=deque)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what in (What.POD_CREATED, What.TAKEN, What.PERSON):
            self.causes.append(record.at)
        if record.what is not What.RAISED or not self.facts.is_ours(record):
            return
        self.bought.append((record.at, record.details["after"] - record.details["before"]))
        for kept in (self.causes, self.bought):
            while kept and _at(kept[0]) < record.at - WINDOW_S:
                kept.popleft()
        bought = sum(n for _, n in self.bought)
        standing = sum(1 for p in self.facts.site.store.pods.values() if not p.is_daemon)
        most = EACH * (len(self.causes) + standing + 2)
        if bought > most:
            self.broken(f"{bought} nodes bought in {WINDOW_S:.0f} s, for {len(self.causes)} causes")


def _at(item: float | tuple[float, int]) -> float:
    return item[0] if isinstance(item, tuple) else item
