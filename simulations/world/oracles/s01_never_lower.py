"""S1: a group's size is lowered only by naming the instance."""

from __future__ import annotations

from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


class NeverLower(Judge):
    """No controller writes a smaller size."""

    invariant = "S1"
    watches = frozenset({What.RAISED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is What.RAISED and self.facts.is_ours(record):
            before, after = record.details["before"], record.details["after"]
            if after < before:
                self.broken(f"{record.actor} wrote a smaller size of {record.subject}: {before} to {after}")
