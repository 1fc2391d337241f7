"""A pod that is being deleted keeps its node for its grace period, and no longer.

One that is stuck (a finalizer, a dead kubelet) would otherwise hold an expensive node for ever.
"""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import LEFT_BEHIND, Answer, Surroundings, blocked

SLACK_S = 60.0


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks until its grace period and a minute are over."""
    if pod.deleted_at is None:
        return None
    # deletionTimestamp is when the grace period ends, not when it began.
    if around.now <= pod.deleted_at + SLACK_S:
        return blocked(BlockCause.POD_TERMINATING)
    return LEFT_BEHIND
