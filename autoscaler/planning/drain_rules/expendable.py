"""Pods below the priority cutoff are neither demand nor a reason to keep a node."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.planning.drain_rules.rule import LEFT_BEHIND, Answer, Surroundings


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Left behind if its priority is below the policy's cutoff."""
    return LEFT_BEHIND if pod.spec.priority < around.priority_cutoff else None
