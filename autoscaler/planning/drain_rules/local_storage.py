"""Data on the node's own disk is gone with the node; memory-backed volumes hold nothing that outlives the pod."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked

SAFE_VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks a pod with local volumes that its `safe-to-evict-local-volumes` annotation does not name."""
    if not pod.local_storage:
        return None
    named = {name.strip() for name in (around.annotation(pod, SAFE_VOLUMES) or "").split(",")}
    kept = [name for name in pod.local_storage if name not in named]
    return blocked(BlockCause.LOCAL_STORAGE, ",".join(kept)) if kept else None
