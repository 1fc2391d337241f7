"""Everything that a decision reads of the world, at one instant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import InstanceGroup, Node
from autoscaler.model.objects import (
    DaemonSet,
    GangSpec,
    PodDisruptionBudget,
    ResourceClaim,
    StorageClass,
    Volume,
    VolumeClaim,
    Workload,
)
from autoscaler.model.pods import Pod


@dataclass(frozen=True)
class Snapshot:
    """A complete or honestly incomplete view of cluster and cloud.

    All tuples are sorted by key (`Snapshot.of` does it), so that the order of the input changes nothing (E2).
    `groups` None: no cloud state was given; each node then counts as a running instance of its pool (by label).
    `complete` False switches every removal off (S5).
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    groups: Mapping[str, InstanceGroup] | None = None
    daemon_sets: tuple[DaemonSet, ...] = ()
    disruption_budgets: tuple[PodDisruptionBudget, ...] = ()
    workloads: Mapping[tuple[str, str, str], Workload] = field(default_factory=dict)
    gangs: Mapping[str, GangSpec] = field(default_factory=dict)
    volume_claims: Mapping[str, VolumeClaim] = field(default_factory=dict)
    volumes: Mapping[str, Volume] = field(default_factory=dict)
    storage_classes: Mapping[str, StorageClass] = field(default_factory=dict)
    resource_claims: Mapping[str, ResourceClaim] = field(default_factory=dict)
    namespaces: Mapping[str, Labels] = field(default_factory=dict)
    complete: bool = True
    skipped_kinds: Mapping[str, int] = field(default_factory=dict)
    # Values that others derive from this snapshot alone and keep for the next decision on it (classes, groups of
    # pending pods, use of each node): a memo, never an input.
    derived: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, nodes: Iterable[Node] = (), pods: Iterable[Pod] = (), **rest: object) -> Snapshot:
        """A snapshot of objects in any order."""
        groups = rest.pop("groups", None)
        if groups is not None and not isinstance(groups, Mapping):
            groups = {g.name: g for g in groups}  # type: ignore[attr-defined]
        return cls(
            nodes=tuple(sorted(nodes, key=lambda n: n.name)),
            pods=tuple(sorted(pods, key=lambda p: (p.namespace, p.name))),
            groups=groups,
            **rest,  # type: ignore[arg-type]
        )

    @cached_property
    def pods_by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        """The pods that are bound to each node name, finished ones left out."""
        found: defaultdict[str, list[Pod]] = defaultdict(list)
        for pod in self.pods:
            if pod.node and not pod.finished:
                found[pod.node].append(pod)
        return {name: tuple(pods) for name, pods in found.items()}

    @cached_property
    def nodes_by_name(self) -> Mapping[str, Node]:
        """Each node by its name."""
        return {n.name: n for n in self.nodes}

    @cached_property
    def pending(self) -> tuple[Pod, ...]:
        """The pods without a node, finished ones included (they are reported as ignored)."""
        return tuple(p for p in self.pods if not p.node)
