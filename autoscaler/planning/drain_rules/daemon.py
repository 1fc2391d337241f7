"""DaemonSet and mirror pods come and go with their node."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.planning.drain_rules.rule import LEFT_BEHIND, Answer, Surroundings


def check(pod: Pod, _around: Surroundings) -> Answer | None:
    """Left behind if it belongs to a DaemonSet or to the node itself."""
    return LEFT_BEHIND if pod.is_daemon else None
