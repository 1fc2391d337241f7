"""S5: an incomplete, shrunken or stale view removes nothing."""

from __future__ import annotations

from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


class NoBlindRemoval(Judge):
    """After a list that failed or was cut off, the rest of that pass begins nothing that removes.

    The first look of a process has nothing to compare with, so that a list which shrank silently passes for whole.
    """

    invariant = "S5"
    watches = frozenset({What.EVICTED, What.TERMINATED, What.NODE_PATCHED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if not self.facts.is_ours(record):
            return
        destructive = record.what in (What.EVICTED, What.TERMINATED) or self.facts.began(record) is not None
        if not destructive:
            return
        seen = self.facts.passes.get(record.actor)
        if seen is None or not seen.bad_look or (seen.number < 2 and "nothing says" in seen.bad_look):
            return
        self.broken(f"{record.actor}: {record.what} {record.subject} in a pass that saw: {seen.bad_look}")
