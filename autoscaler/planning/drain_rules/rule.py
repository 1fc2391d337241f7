"""The shape of a drain rule, and what rules may read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from autoscaler.model.labels import Labels
from autoscaler.model.objects import PodDisruptionBudget, Workload
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.pools import ScaleDownRules


@dataclass(frozen=True, slots=True)
class Answer:
    """What a rule says of a pod: it blocks its node (with the cause), it may be left behind, or it may be moved.

    A rule that has nothing to say returns None and the next one is asked.
    """

    block: BlockCause | None = None
    moves: bool = True
    detail: str = ""


def blocked(cause: BlockCause, detail: str = "") -> Answer:
    """The pod keeps its node."""
    return Answer(cause, False, detail)


LEFT_BEHIND = Answer(None, False)
"""The pod ends with its node and needs no other place."""

MAY_MOVE = Answer(None, True)
"""The pod may be evicted and needs another place; later rules are not asked."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a rule may read beside the pod. `evictions`: pods of each budget already chosen to move in this plan."""

    rules: ScaleDownRules
    now: float
    priority_cutoff: int
    budgets: Mapping[str, tuple[PodDisruptionBudget, ...]]
    evictions: Mapping[tuple[str, str], int]
    workloads: Mapping[tuple[str, str, str], Workload]
    gangs: frozenset[str]

    def annotation(self, pod: Pod, key: str) -> str | None:
        """An annotation of the pod, or else of the workload that owns it (users set it there by mistake:
        kubernetes/autoscaler#4813), or else of the owner's owner."""
        if key in pod.annotations:
            return pod.annotations[key]
        kind, name = (pod.owner.kind, pod.owner.name) if pod.owner else ("", "")
        for _ in range(2):
            workload = self.workloads.get((kind, pod.namespace, name))
            if workload is None:
                return None
            if key in workload.annotations:
                return workload.annotations[key]
            kind, name = workload.owner_kind, workload.owner_name
        return None

    def matching_budgets(self, namespace: str, labels: Labels) -> list[PodDisruptionBudget]:
        """The disruption budgets that cover a pod."""
        return [b for b in self.budgets.get(namespace, ()) if b.selector is not None and b.selector.matches(labels)]


Rule = Callable[[Pod, Surroundings], Answer | None]
