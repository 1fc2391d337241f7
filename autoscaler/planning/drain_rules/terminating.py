"""A pod that is being deleted keeps its node for its grace period, and no longer.

One that is stuck (a finalizer, a dead kubelet) would otherwise hold an expensive node for ever.
"""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import LEFT_BEHIND, Answer, Surroundings, blocked

SLACK_S = 60.0


def is_overdue(pod: Pod, now: float) -> bool:
    """True for a pod that should have been gone a minute ago. Its deletionTimestamp is when the grace period ends."""
    return pod.deleted_at is not None and now > pod.deleted_at + SLACK_S


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks until its grace period and a minute are over."""
    if pod.deleted_at is None:
        return None
    return LEFT_BEHIND if is_overdue(pod, around.now) else blocked(BlockCause.POD_TERMINATING)
