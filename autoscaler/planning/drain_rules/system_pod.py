"""Pods of kube-system: moved by default, kept where the pool says `systemPods: block`."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks a kube-system pod if the pool's policy says so."""
    if pod.namespace == "kube-system" and around.rules.system_pods == "block":
        return blocked(BlockCause.SYSTEM_POD)
    return None
