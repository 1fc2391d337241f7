"""The other objects of a cluster that decisions read: budgets, workloads, volumes, claims, groups of pods."""

from __future__ import annotations

from dataclasses import dataclass

from autoscaler.model.labels import NO_LABELS, Labels, LabelSelector, NodeSelectorTerm
from autoscaler.model.pods import PodSpec


@dataclass(frozen=True, slots=True)
class PodDisruptionBudget:
    """policy/v1 PodDisruptionBudget; `selector` None selects nothing."""

    namespace: str
    name: str
    selector: LabelSelector | None = None
    disruptions_allowed: int = 0


@dataclass(frozen=True, slots=True)
class DaemonSet:
    """A DaemonSet; `spec` is its template as pods of it would have it, less the affinity to one node."""

    namespace: str
    name: str
    spec: PodSpec
    uid: str = ""
    labels: Labels = NO_LABELS


@dataclass(frozen=True, slots=True)
class Workload:
    """An owner of pods (ReplicaSet, StatefulSet, Job, …): how many it wants, and its own annotations."""

    kind: str
    namespace: str
    name: str
    uid: str = ""
    replicas: int | None = None
    annotations: Labels = NO_LABELS
    owner_kind: str = ""
    owner_name: str = ""


@dataclass(frozen=True, slots=True)
class GangSpec:
    """A declared group of pods that runs whole or not at all.

    `key` is `ns/name` behind the API group of the declaring kind, as pods carry it in `Pod.gang`.
    `topology_key`: all pods in one domain of this label, or "".
    """

    key: str
    min_member: int
    created: float = 0.0
    topology_key: str = ""


@dataclass(frozen=True, slots=True)
class VolumeClaim:
    """A PersistentVolumeClaim: bound to `volume`, or to be provisioned by `storage_class`."""

    namespace: str
    name: str
    volume: str = ""
    storage_class: str = ""


@dataclass(frozen=True, slots=True)
class Volume:
    """A PersistentVolume: node affinity terms (any may match; None: everywhere) and its CSI driver."""

    name: str
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    driver: str = ""


@dataclass(frozen=True, slots=True)
class StorageClass:
    """A StorageClass; `topologies` are the allowed ones as terms, None for anywhere."""

    name: str
    driver: str = ""
    binds_late: bool = False
    topologies: tuple[NodeSelectorTerm, ...] | None = None
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class ResourceClaim:
    """A DRA claim; once allocated it pins its pods to the nodes that `nodes` matches (None: everywhere)."""

    namespace: str
    name: str
    allocated: bool = False
    nodes: tuple[NodeSelectorTerm, ...] | None = None
    owner_pod: str = ""
