"""L2: every drain that began ends, done or undone, by its deadline; a crash at any instruction leaves nothing stuck."""

from __future__ import annotations

from autoscaler.control.claims import is_marked
from simulations.world.oracles.judge import Judge
from simulations.world.records import What

DRAIN_S = 240.0 + 90.0
"""The drain deadline of drawn policies, and some passes."""


class DrainsEnd(Judge):
    """L2: nothing of a drain is left for longer than its deadline."""

    invariant = "L2"

    def close(self) -> None:
        """See Judge."""
        marked: dict[str, float] = {}
        for record in self.facts.site.world.log:
            if record.what is not What.NODE_PATCHED:
                continue
            if is_marked(record.details["after"]) and not is_marked(record.details["before"]):
                marked[record.details["after"].uid] = record.at
        now = self.facts.site.world.now
        for node in self.facts.site.store.nodes.values():
            if is_marked(node) and now - marked.get(node.uid, 0.0) > DRAIN_S:
                self.broken(f"{node.name} is still marked for a drain")
