"""S2: no terminated node runs a pod that is not DaemonSet-owned, mirror, finished, or evicted and gone.

A pod that no taint keeps off (it tolerates everything, or a person removed the taint) and that was bound after the last
quorum read cannot be seen by anybody: that alone is excused.
"""

from __future__ import annotations

from autoscaler.model.pods import Pod
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


class NobodyOnIt(Judge):
    """Nobody loses work to a termination of ours."""

    invariant = "S2"
    watches = frozenset({What.TERMINATED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is not What.TERMINATED or not self.facts.is_ours(record):
            return
        node = record.details["node"]
        read_at = self.facts.site.reads.get((record.actor, node), float("-inf"))
        for pod in record.details["pods"]:
            if pod.is_daemon or pod.finished or self._unseen(pod, node, read_at):
                continue
            self.broken(f"{record.actor} terminated {record.subject} (node {node}) with pod {pod.key} on it")

    def _unseen(self, pod: Pod, node: str, read_at: float) -> bool:
        bound = self.facts.bound_at.get(pod.uid, float("-inf"))
        tolerant = any(not t.key and t.operator == "Exists" for t in pod.spec.tolerations)
        by_hand = self.facts.hands_on.get(node, float("-inf")) > bound - 60
        return bound > read_at and (tolerant or by_hand)
