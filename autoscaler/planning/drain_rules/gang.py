"""Moving one pod of a gang stops the whole training run (run-house/kubetorch#2052)."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks a member of a declared gang while `protectJobs` is on."""
    if around.rules.protect_jobs and pod.gang and pod.gang in around.gangs:
        return blocked(BlockCause.GANG, pod.gang.split("|", 1)[-1])
    return None
