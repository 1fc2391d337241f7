"""Objects of Kubernetes as they come over the wire: the fields that decisions read, everything else skipped.

Every field may be absent or null, as Go servers write them. `gc=False`: the structs hold no cycles, and without
the tracking of the garbage collector decoding takes half the time.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta as Bounds
from msgspec import Struct, field

Quantity = str | int | float | None
"""A Kubernetes quantity; servers write strings, people also numbers."""

Resources = dict[str, Quantity]
Int32 = Annotated[int, Bounds(ge=-(2**31), le=2**31 - 1)]
Count = Annotated[int, Bounds(ge=0, le=2**31 - 1)]
NO_RAW = msgspec.Raw(b"")
"""A field that is absent, kept undecoded."""


class Head(Struct, gc=False, rename="camel"):
    """What an object is."""

    api_version: str | None = None
    kind: str | None = None


class Page(Head, gc=False, rename="camel"):
    """A list of objects, or one object (`items` None). Of a Status, the message."""

    items: list[msgspec.Raw] | None = None
    message: Any = None


class Meta(Struct, gc=False, rename="camel"):
    """metav1.ObjectMeta. Labels, annotations and owners stay bytes: equal ones are decoded once."""

    name: str | None = None
    namespace: str | None = None
    uid: str | None = None
    generation: int | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: msgspec.Raw = NO_RAW
    annotations: msgspec.Raw = NO_RAW
    owner_references: msgspec.Raw = NO_RAW


class OwnerReference(Struct, gc=False, rename="camel"):
    """metav1.OwnerReference."""

    api_version: str | None = None
    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None


class Expression(Struct, gc=False, rename="camel"):
    """A requirement of a label selector, of a node selector, or of the topologies of a StorageClass."""

    key: str | None = None
    operator: str | None = None
    values: list[str] | None = None


class LabelSelector(Struct, gc=False, rename="camel"):
    """metav1.LabelSelector."""

    match_labels: dict[str, str | None] | None = None
    match_expressions: list[Expression] | None = None


class NodeSelectorTerm(Struct, gc=False, rename="camel"):
    """core/v1 NodeSelectorTerm."""

    match_expressions: list[Expression] | None = None
    match_fields: list[Expression] | None = None


class NodeSelector(Struct, gc=False, rename="camel"):
    """core/v1 NodeSelector: the terms are alternatives."""

    node_selector_terms: list[NodeSelectorTerm] | None = None


class Taint(Struct, gc=False, rename="camel"):
    """core/v1 Taint."""

    key: str | None = None
    value: str | None = None
    effect: str | None = None


class Condition(Struct, gc=False, rename="camel"):
    """A condition of a node or a pod."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    last_transition_time: str | None = None


class NodeSpec(Struct, gc=False, rename="camel"):
    """core/v1 NodeSpec."""

    provider_id: str | None = field(default=None, name="providerID")
    unschedulable: bool | None = None
    taints: list[Taint] | None = None


class NodeStatus(Struct, gc=False, rename="camel"):
    """core/v1 NodeStatus."""

    capacity: Resources | None = None
    allocatable: Resources | None = None
    conditions: list[Condition] | None = None


class Node(Struct, gc=False, rename="camel"):
    """core/v1 Node."""

    metadata: Meta | None = None
    spec: NodeSpec | None = None
    status: NodeStatus | None = None


class VolumeNodeResources(Struct, gc=False, rename="camel"):
    """storage/v1 VolumeNodeResources."""

    count: Count | None = None


class CSINodeDriver(Struct, gc=False, rename="camel"):
    """storage/v1 CSINodeDriver."""

    name: str | None = None
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(Struct, gc=False, rename="camel"):
    """storage/v1 CSINodeSpec."""

    drivers: list[CSINodeDriver] | None = None


class CSINode(Struct, gc=False, rename="camel"):
    """storage/v1 CSINode."""

    metadata: Meta | None = None
    spec: CSINodeSpec | None = None


class BudgetSpec(Struct, gc=False, rename="camel"):
    """policy/v1 PodDisruptionBudgetSpec; the numbers in it are the disruption controller's business."""

    selector: LabelSelector | None = None


class BudgetStatus(Struct, gc=False, rename="camel"):
    """policy/v1 PodDisruptionBudgetStatus."""

    observed_generation: int | None = None
    disruptions_allowed: Count | None = None


class PodDisruptionBudget(Struct, gc=False, rename="camel"):
    """policy/v1 (or v1beta1) PodDisruptionBudget."""

    api_version: str | None = None
    metadata: Meta | None = None
    spec: BudgetSpec | None = None
    status: BudgetStatus | None = None


class WorkloadSpec(Struct, gc=False, rename="camel"):
    """The size of a ReplicaSet, Deployment, StatefulSet, ReplicationController (replicas) or Job (parallelism)."""

    replicas: Count | None = None
    parallelism: Count | None = None


class Workload(Struct, gc=False, rename="camel"):
    """An object that owns pods."""

    metadata: Meta | None = None
    spec: WorkloadSpec | None = None


class Named(Struct, gc=False, rename="camel"):
    """An object of which only the metadata is read."""

    metadata: Meta | None = None


class PriorityClass(Struct, gc=False, rename="camel"):
    """scheduling.k8s.io/v1 PriorityClass."""

    metadata: Meta | None = None
    value: Int32 | None = None
    global_default: bool | None = None
