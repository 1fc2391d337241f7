"""Decoded objects of all kinds, each once."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from autoscaler.model.decoding.classes import Classes, PriorityClass, RuntimeClass
from autoscaler.model.decoding.convert_nodes import Limits, with_limits
from autoscaler.model.decoding.convert_storage import default_class
from autoscaler.model.decoding.errors import FieldError
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
from autoscaler.model.snapshot import Snapshot

K = TypeVar("K")
V = TypeVar("V")


class Table(dict[K, V]):
    """Objects of one kind by key. The same object twice is one; two different ones of a name are refused."""

    def put(self, key: K, value: V) -> None:
        """Add a value; FieldError if another one is there."""
        known = self.setdefault(key, value)
        if known is not value and known != value:
            raise FieldError("", "is here a second time and differs from the first; keep one of the two")


@dataclass(slots=True)
class Objects:
    """What an input holds, as values of the model; `snapshot()` is what decisions read.

    Tables are keyed by name, or by namespace and name. `skipped`: objects of kinds that decisions do not read, by
    `group/Kind` (`Kind` alone for the core group).
    """

    nodes: Table[str, Node] = field(default_factory=Table)
    attach_limits: Table[str, Limits] = field(default_factory=Table)
    pods: defaultdict[str, Table[str, Pod]] = field(default_factory=lambda: defaultdict(Table))
    daemon_sets: Table[tuple[str, str], DaemonSet] = field(default_factory=Table)
    disruption_budgets: Table[tuple[str, str], PodDisruptionBudget] = field(default_factory=Table)
    workloads: Table[tuple[str, str, str], Workload] = field(default_factory=Table)
    gangs: Table[str, GangSpec] = field(default_factory=Table)
    gangs_of_pods: dict[str, GangSpec] = field(default_factory=dict)
    volume_claims: Table[str, tuple[VolumeClaim, bool]] = field(default_factory=Table)
    volumes: Table[str, Volume] = field(default_factory=Table)
    storage_classes: Table[str, tuple[StorageClass, float]] = field(default_factory=Table)
    resource_claims: Table[str, ResourceClaim] = field(default_factory=Table)
    namespaces: Table[str, Labels] = field(default_factory=Table)
    priority_classes: Table[str, PriorityClass] = field(default_factory=Table)
    runtime_classes: Table[str, RuntimeClass] = field(default_factory=Table)
    skipped: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    @property
    def classes(self) -> Classes:
        """The priority and runtime classes."""
        return Classes(self.priority_classes, self.runtime_classes)

    def snapshot(self, groups: Iterable[InstanceGroup] | None = None) -> Snapshot:
        """A complete view of the cluster. `groups`: the cloud's, None where no cloud state is known."""
        return Snapshot.of(
            nodes=with_limits(self.nodes.values(), self.attach_limits),
            pods=(pod for space in self.pods.values() for pod in space.values()),
            groups=None if groups is None else {g.name: g for g in sorted(groups, key=lambda g: g.name)},
            daemon_sets=tuple(self.daemon_sets[key] for key in sorted(self.daemon_sets)),
            disruption_budgets=tuple(self.disruption_budgets[key] for key in sorted(self.disruption_budgets)),
            workloads=_ordered(self.workloads),
            gangs=_ordered({**self.gangs_of_pods, **self.gangs}),
            volume_claims=self._volume_claims(),
            volumes=_ordered(self.volumes),
            storage_classes={name: found for name, (found, _) in _ordered(self.storage_classes).items()},
            resource_claims=_ordered(self.resource_claims),
            namespaces=_ordered(self.namespaces),
            skipped_kinds=_ordered(self.skipped),
        )

    def _volume_claims(self) -> dict[str, VolumeClaim]:
        default = default_class(self.storage_classes.values())
        return {
            key: dataclasses.replace(claim, storage_class=default) if unnamed else claim
            for key, (claim, unnamed) in _ordered(self.volume_claims).items()
        }


def _ordered(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """A plain dict in the order of its keys, so that nothing depends on the order of the input."""
    return {key: table[key] for key in sorted(table)}
