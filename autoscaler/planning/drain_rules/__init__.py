"""May this pod leave its node? One rule a file, one reason, one table of tests; asked in this order.

The first rule with an answer decides. The shape follows Cluster Autoscaler's drainability rules.
A new rule: a file here with `check`, its place in `RULES`, its cause in `autoscaler.model.reasons.BlockCause`,
a row in `docs/reasons.md`, and a table in `tests/drain_rules/`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.drain_rules import (
    custom_controller,
    daemon,
    disruption_budget,
    do_not_disrupt,
    expendable,
    finished,
    gang,
    job,
    local_storage,
    not_replicated,
    safe_to_evict,
    system_pod,
    terminating,
)
from autoscaler.planning.drain_rules.rule import Answer, Rule, Surroundings

RULES: tuple[Rule, ...] = (
    daemon.check,
    finished.check,
    expendable.check,
    terminating.check,
    do_not_disrupt.check,
    safe_to_evict.check,
    gang.check,
    job.check,
    not_replicated.check,
    custom_controller.check,
    system_pod.check,
    local_storage.check,
    disruption_budget.check,
)


@dataclass(frozen=True, slots=True)
class Drain:
    """Whether a node can be emptied: `blocked` by a pod, or the pods to move and the budgets they use."""

    blocked: Reason | None
    moving: tuple[Pod, ...] = ()
    evictions: Mapping[tuple[str, str], int] | None = None


def answer_for(pod: Pod, around: Surroundings) -> Answer:
    """The first rule's answer; a pod that no rule speaks of may move."""
    for rule in RULES:
        answer = rule(pod, around)
        if answer is not None:
            return answer
    return Answer()


def drain(pods: Sequence[Pod], around: Surroundings) -> Drain:
    """Ask the rules for each pod of a node, oldest name first; budgets count the pods of this node too."""
    used: Counter[tuple[str, str]] = Counter(around.evictions)
    moving: list[Pod] = []
    for pod in pods:
        answer = answer_for(pod, replace(around, evictions=used))
        if answer.block is not None:
            detail = {"detail": answer.detail} if answer.detail else {}
            return Drain(Reason.of(Code.BLOCKED_BY_POD, pod=pod.key, cause=str(answer.block), **detail))
        if answer.moves:
            moving.append(pod)
            for budget in around.matching_budgets(pod.namespace, pod.labels):
                used[(budget.namespace, budget.name)] += 1
    return Drain(None, tuple(moving), used)
