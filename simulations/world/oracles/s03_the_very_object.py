"""S3: no destructive call hits another object of the same name."""

from __future__ import annotations

from autoscaler.control.claims import claim_of
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


class TheVeryObject(Judge):
    """What is evicted lies on a node that is being drained; what is terminated is what the claim names."""

    invariant = "S3"
    watches = frozenset({What.EVICTED, What.TERMINATED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if not self.facts.is_ours(record):
            return
        nodes = self.facts.site.store.nodes
        if record.what is What.EVICTED:
            node = nodes.get(record.details["node"])
            if node is None or claim_of(node) is None:
                self.broken(
                    f"{record.actor} evicted {record.subject}, whose node {record.details['node']} is not drained"
                )
        elif record.what is What.TERMINATED and record.details["node"]:
            node = nodes.get(record.details["node"])
            claim = claim_of(node) if node is not None else None
            hand = self.facts.hands_on.get(record.details["node"], float("-inf"))
            if node is not None and (claim is None or claim.instance != record.subject) and record.at - hand > 60:
                self.broken(f"{record.actor} terminated {record.subject}, which no claim on {node.name} names")
