"""Cluster Autoscaler's annotation: "false" forbids eviction, "true" overrides the rules that come after this one."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules import disruption_budget
from autoscaler.planning.drain_rules.rule import MAY_MOVE, Answer, Surroundings, blocked

KEY = "cluster-autoscaler.kubernetes.io/safe-to-evict"


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks on "false"; on "true" only a disruption budget can still block."""
    value = around.annotation(pod, KEY)
    if value == "false":
        return blocked(BlockCause.SAFE_TO_EVICT_FALSE)
    if value == "true":
        return disruption_budget.check(pod, around) or MAY_MOVE
    return None
