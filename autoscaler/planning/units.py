"""Demand in the order in which it is served: gangs whole, the rest by class.

A unit is served as one: a gang entirely or not at all; single pods of one class one by one. Units go by priority,
then gangs (oldest first), then singles from the largest to the smallest, the order in which first fit wastes least.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.resources import Amounts, is_accelerator
from autoscaler.planning.demand import PendingGroup, oldest_first
from autoscaler.planning.plan import Outcome, PodVerdict


@dataclass(frozen=True, slots=True)
class Unit:
    """`pods` by class id, oldest first. `gang` "" for singles.

    `beyond`: the gang whose minimum these pods are beyond; they are served one by one, and only if the gang is.
    `topology_key`: all pods of the gang in one domain of that label, "" for anywhere.
    """

    order: tuple[object, ...]
    pods: Mapping[int, tuple[Pod, ...]]
    gang: str = ""
    topology_key: str = ""
    beyond: str = ""

    @property
    def count(self) -> int:
        """How many pods the unit has."""
        return sum(len(pods) for pods in self.pods.values())


def units_of(
    wanting: Sequence[PendingGroup],
    bound: Mapping[str, int],
    gangs: Mapping[str, GangSpec],
    extra_accelerators: frozenset[str],
) -> tuple[list[Unit], list[PodVerdict]]:
    """Units in serving order, and verdicts on gangs whose pods are not all there yet.

    `bound`: how many pods of each gang already have a node; they count towards its size, and a gang that has its
    minimum has become single pods.
    """
    members: defaultdict[str, list[PendingGroup]] = defaultdict(list)
    singles: defaultdict[int, list[tuple[Pod, ...]]] = defaultdict(list)
    for group in wanting:
        if group.gang and group.gang in gangs:
            members[group.gang].append(group)
        else:
            singles[group.cls].append(group.pods)
    units: list[Unit] = []
    waiting: list[PodVerdict] = []
    for key in sorted(members):
        _add_gang(members[key], gangs[key], bound.get(key, 0), units, waiting, extra_accelerators)
    for cls in sorted(singles):
        parts = singles[cls]
        pods = parts[0] if len(parts) == 1 else tuple(oldest_first(p for part in parts for p in part))
        units.append(Unit(_single_order(pods[0], extra_accelerators), {cls: pods}))
    units.sort(key=lambda u: u.order)
    return units, waiting


def _add_gang(
    groups: Sequence[PendingGroup],
    spec: GangSpec,
    bound: int,
    units: list[Unit],
    waiting: list[PodVerdict],
    extra_accelerators: frozenset[str],
) -> None:
    pods = oldest_first(p for group in groups for p in group.pods)
    class_of = {p.key: group.cls for group in groups for p in group.pods}
    have, need = len(pods) + bound, spec.min_member
    if have < need:
        waiting.append(PodVerdict(tuple(pods), Outcome.WAITING, Reason.of(Code.GANG_INCOMPLETE, have=have, need=need)))
        return
    still = max(0, need - bound)
    if still:
        order = (-max(p.spec.priority for p in pods), 0, spec.created or pods[0].created, spec.key)
        domain = spec.topology_key or _shared_domain(pods[0])
        units.append(Unit(order, _by_class(pods[:still], class_of), spec.key, domain))
    for cls, more in _by_class(pods[still:], class_of).items():
        units.append(Unit(_single_order(more[0], extra_accelerators), {cls: more}, beyond=spec.key))


def _by_class(pods: Sequence[Pod], class_of: Mapping[str, int]) -> dict[int, tuple[Pod, ...]]:
    found: defaultdict[int, list[Pod]] = defaultdict(list)
    for pod in pods:
        found[class_of[pod.key]].append(pod)
    return {cls: tuple(found[cls]) for cls in sorted(found)}


def _single_order(pod: Pod, extra: frozenset[str]) -> tuple[object, ...]:
    return (-pod.spec.priority, 1, *(-s for s in _size(pod.spec.requests, extra)), pod.created, pod.key)


def _shared_domain(pod: Pod) -> str:
    """The topology key of a pod that wants to be where its own group is (affinity to its own labels)."""
    for term in pod.spec.pod_affinity:
        if term.topology_key != "kubernetes.io/hostname" and term.selector and term.selector.matches(pod.labels):
            return term.topology_key
    return ""


def _size(requests: Amounts, extra: frozenset[str]) -> tuple[int, int, int]:
    devices = sum(amount for name, amount in requests if is_accelerator(name, extra))
    values = dict(requests)
    return devices, values.get("cpu", 0), values.get("memory", 0)
