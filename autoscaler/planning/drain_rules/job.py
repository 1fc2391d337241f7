"""A Job's pod loses its work when it is moved; hours of it, for training (kubernetes/autoscaler#1030)."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks a pod owned by a Job while `protectJobs` is on."""
    if around.rules.protect_jobs and pod.owner is not None and pod.owner.kind == "Job":
        return blocked(BlockCause.JOB, pod.owner.name)
    return None
