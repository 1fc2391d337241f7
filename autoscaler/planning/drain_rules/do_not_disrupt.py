"""The owner of a pod can forbid that it is moved, in our words or in Karpenter's."""

from __future__ import annotations

from autoscaler.model.nodes import DO_NOT_DISRUPT
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked

KEYS = (DO_NOT_DISRUPT, "karpenter.sh/do-not-disrupt")


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks if either annotation is "true" on the pod or its owner."""
    for key in KEYS:
        if around.annotation(pod, key) == "true":
            return blocked(BlockCause.DO_NOT_DISRUPT, key)
    return None
