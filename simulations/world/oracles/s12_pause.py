"""S12: pause stops every mutation within one pass; only a drain is undone, which gives a node back."""

from __future__ import annotations

from autoscaler.control.claims import is_marked
from simulations.world.oracles.facts import NOTICED_S
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

EFFECTS = (What.RAISED, What.TERMINATED, What.EVICTED, What.NODE_PATCHED)


class Pause(Judge):
    """A pass that began under a pause changes nothing while it lasts."""

    invariant = "S12"
    watches = frozenset(EFFECTS)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what not in EFFECTS or not self.facts.is_ours(record):
            return
        seen = self.facts.passes.get(record.actor)
        if seen is None or not seen.paused or not self.facts.site.is_paused():
            return
        if self.facts.jumped_at >= seen.began - NOTICED_S:
            # Whether a pause has run out is told by a clock, and it takes an answer to see that the clock has jumped.
            return
        if record.what is What.NODE_PATCHED and not is_marked(record.details["after"]):
            return
        self.broken(f"{record.actor}: {record.what} {record.subject} while paused")
