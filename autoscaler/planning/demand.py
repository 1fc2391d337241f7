"""Which pending pods ask for capacity, and which do not, each with its reason.

Pods that are alike in everything the rules read form a group, and the rules are read once a group: a hundred
thousand equal pods cost as much as one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.durations import go_duration_s
from autoscaler.planning.plan import Outcome, PodVerdict
from autoscaler.planning.pools import ClusterRules
from autoscaler.scheduling.classes import ClassTable

SCALE_UP_DELAY = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay"


@dataclass(frozen=True, slots=True)
class PendingGroup:
    """Pending pods of one class and gang that the rules cannot tell apart, oldest first."""

    cls: int
    gang: str
    pods: tuple[Pod, ...]

    @property
    def sample(self) -> Pod:
        """Any of them."""
        return self.pods[0]


@dataclass(frozen=True, slots=True)
class Demand:
    """Groups that want a place, and verdicts on pods that do not (or not yet).

    `next_instant`: when the first delay of a pod's own is over. `untried`: those that the scheduler is about to place;
    nothing is bought for them, and no node goes that they may be given.
    """

    wanting: tuple[PendingGroup, ...]
    settled: tuple[PodVerdict, ...]
    next_instant: float | None = None
    untried: tuple[PendingGroup, ...] = ()


def pending_groups(snapshot: Snapshot, table: ClassTable) -> tuple[PendingGroup, ...]:
    """All pending pods in groups; kept with the snapshot."""
    found: tuple[PendingGroup, ...] | None = snapshot.derived.get("pending-groups")
    if found is not None:
        return found
    groups: defaultdict[tuple[object, ...], list[Pod]] = defaultdict(list)
    for pod in snapshot.pending:
        key = (
            table.class_of(pod),
            pod.gang,
            pod.phase,
            pod.deleted_at is not None,
            pod.gated,
            pod.is_daemon,
            pod.owner.kind if pod.owner else "",
            pod.spec.scheduler_name,
            pod.marked_unschedulable,
            pod.nominated_node,
            pod.annotations.get(SCALE_UP_DELAY) if pod.annotations else None,
        )
        groups[key].append(pod)
    made = [PendingGroup(int(key[0]), str(key[1]), tuple(oldest_first(pods))) for key, pods in groups.items()]  # type: ignore[call-overload]
    made.sort(key=lambda g: (g.cls, g.sample.created, g.sample.namespace, g.sample.name))
    result = tuple(made)
    snapshot.derived["pending-groups"] = result
    return result


def classify(groups: Sequence[PendingGroup], rules: ClusterRules, now: float) -> Demand:
    """Split pending pods into those that want a place and those with a settled outcome."""
    settled: list[PodVerdict] = []
    wanting: list[PendingGroup] = []
    untried: list[PendingGroup] = []
    ends: list[float] = []
    for group in _split_by_labels(groups, rules):
        reason = ignore_reason(group.sample, rules)
        if reason is not None:
            settled.append(PodVerdict(group.pods, Outcome.IGNORED, reason))
            if reason.code is Code.NOT_YET_UNSCHEDULABLE:
                untried.append(group)
            continue
        delay = go_duration_s(group.sample.annotations.get(SCALE_UP_DELAY))
        if delay is None:
            wanting.append(group)
            continue
        ready = tuple(p for p in group.pods if min(p.created, now) + delay <= now)
        if ready:
            wanting.append(PendingGroup(group.cls, group.gang, ready))
        for pod in group.pods[len(ready) :]:
            until = min(pod.created, now) + delay
            ends.append(until)
            settled.append(PodVerdict((pod,), Outcome.WAITING, Reason.of(Code.POD_SCALE_UP_DELAY, until=until)))
    return Demand(tuple(wanting), tuple(settled), min(ends, default=None), tuple(untried))


def _split_by_labels(groups: Sequence[PendingGroup], rules: ClusterRules) -> Iterable[PendingGroup]:
    """Groups whose pods also agree on the labels that the policy ignores pods by."""
    if not rules.ignore_labels:
        yield from groups
        return
    for group in groups:
        parts: defaultdict[tuple[str | None, ...], list[Pod]] = defaultdict(list)
        for pod in group.pods:
            parts[tuple(pod.labels.get(key) for key, _ in rules.ignore_labels)].append(pod)
        for pods in parts.values():
            yield PendingGroup(group.cls, group.gang, tuple(pods))


def ignore_reason(pod: Pod, rules: ClusterRules) -> Reason | None:
    """Why the pod is no demand; None if it is."""
    if pod.finished:
        return Reason.of(Code.POD_FINISHED, phase=pod.phase)
    if pod.deleted_at is not None:
        return Reason.of(Code.POD_TERMINATING)
    if pod.gated:
        return Reason.of(Code.SCHEDULING_GATED)
    if pod.is_daemon:
        return Reason.of(Code.DAEMON_SET_POD)
    kind = pod.owner.kind if pod.owner else ""
    if kind and kind in rules.ignore_owner_kinds:
        return Reason.of(Code.IGNORED_BY_POLICY, rule=f"ignoreOwnerKinds: {kind}")
    for key, value in rules.ignore_labels:
        if pod.labels.get(key) == value:
            return Reason.of(Code.IGNORED_BY_POLICY, rule=f"ignoreLabels: {key}={value}")
    if rules.scheduler_names and pod.spec.scheduler_name not in rules.scheduler_names:
        return Reason.of(Code.OTHER_SCHEDULER, scheduler=pod.spec.scheduler_name)
    if pod.spec.priority < rules.priority_cutoff:
        return Reason.of(Code.PRIORITY_BELOW_CUTOFF, priority=pod.spec.priority, cutoff=rules.priority_cutoff)
    if not pod.marked_unschedulable:
        return Reason.of(Code.NOT_YET_UNSCHEDULABLE)
    return None


def waits_since(pod: Pod) -> float:
    """Since when the scheduler says that there is no place for the pod; its creation where it does not say."""
    return pod.unschedulable_since if pod.unschedulable_since is not None else pod.created


def holds_nothing(pod: Pod, cutoff: int) -> bool:
    """True for a pod that neither uses a node for work nor keeps it: daemons, finished and expendable pods."""
    return pod.is_daemon or pod.finished or pod.spec.priority < cutoff


def oldest_first(pods: Iterable[Pod]) -> list[Pod]:
    """By creation, then name: the order in which equal pods are served."""
    return sorted(pods, key=lambda p: (p.created, p.namespace, p.name))
