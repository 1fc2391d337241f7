"""Nothing brings a bare pod back once it is evicted."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked


def check(pod: Pod, _around: Surroundings) -> Answer | None:
    """Blocks a pod without a controlling owner."""
    return blocked(BlockCause.NOT_REPLICATED) if pod.owner is None else None
