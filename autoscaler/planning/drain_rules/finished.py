"""A pod that has ended holds nothing."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.planning.drain_rules.rule import LEFT_BEHIND, Answer, Surroundings


def check(pod: Pod, _around: Surroundings) -> Answer | None:
    """Left behind if it has succeeded or failed."""
    return LEFT_BEHIND if pod.finished else None
