"""Whether an unknown controller makes its pods again, and at what loss, nobody can tell."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked

KNOWN = frozenset({"ReplicaSet", "ReplicationController", "StatefulSet", "Deployment", "Job"})


def check(pod: Pod, _around: Surroundings) -> Answer | None:
    """Blocks a pod whose owner is no kind of Kubernetes itself; `safe-to-evict: "true"` lets it go."""
    if pod.owner is not None and pod.owner.kind not in KNOWN:
        return blocked(BlockCause.CUSTOM_CONTROLLER, pod.owner.kind)
    return None
