"""Pods over the wire: the whole of what scheduling reads, and the slices by which equal specs are recognized."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from autoscaler.model.decoding.wire import NO_RAW, Int32, LabelSelector, Meta, NodeSelector, NodeSelectorTerm, Resources


class PodStatus(Struct, gc=False, rename="camel"):
    """core/v1 PodStatus; conditions and containers stay bytes, most pods need none of them."""

    phase: str | None = None
    nominated_node_name: str | None = None
    conditions: msgspec.Raw = NO_RAW
    container_statuses: msgspec.Raw = NO_RAW
    init_container_statuses: msgspec.Raw = NO_RAW


class Pod(Struct, gc=False, rename="camel"):
    """core/v1 Pod with its spec undecoded."""

    metadata: Meta | None = None
    spec: msgspec.Raw = NO_RAW
    status: PodStatus | None = None


class ContainerSlices(Struct, gc=False, rename="camel"):
    """The bytes of a container that scheduling depends on."""

    resources: msgspec.Raw = NO_RAW
    ports: msgspec.Raw = NO_RAW
    restart_policy: msgspec.Raw = NO_RAW


class VolumeSlices(Struct, gc=False, rename="camel"):
    """The bytes of a volume that scheduling and draining depend on."""

    name: str | None = None
    empty_dir: msgspec.Raw = NO_RAW
    host_path: msgspec.Raw = NO_RAW
    persistent_volume_claim: msgspec.Raw = NO_RAW
    ephemeral: msgspec.Raw = NO_RAW


class SpecSlices(Struct, gc=False, rename="camel"):
    """The bytes of a pod spec that `PodSpec` is made from: specs with equal slices are equal.

    Each field of `PodSpec` below is here, in whole or in the parts that are read.
    """

    node_name: str | None = None
    containers: list[ContainerSlices] | None = None
    init_containers: list[ContainerSlices] | None = None
    volumes: list[VolumeSlices] | None = None
    affinity: msgspec.Raw = NO_RAW
    host_network: msgspec.Raw = NO_RAW
    node_selector: msgspec.Raw = NO_RAW
    overhead: msgspec.Raw = NO_RAW
    priority: msgspec.Raw = NO_RAW
    priority_class_name: msgspec.Raw = NO_RAW
    resource_claims: msgspec.Raw = NO_RAW
    resources: msgspec.Raw = NO_RAW
    runtime_class_name: msgspec.Raw = NO_RAW
    scheduler_name: msgspec.Raw = NO_RAW
    scheduling_gates: msgspec.Raw = NO_RAW
    scheduling_group: msgspec.Raw = NO_RAW
    termination_grace_period_seconds: msgspec.Raw = NO_RAW
    tolerations: msgspec.Raw = NO_RAW
    topology_spread_constraints: msgspec.Raw = NO_RAW
    workload_ref: msgspec.Raw = NO_RAW


class ResourceRequirements(Struct, gc=False, rename="camel"):
    """core/v1 ResourceRequirements."""

    requests: Resources | None = None
    limits: Resources | None = None


class ContainerPort(Struct, gc=False, rename="camel"):
    """core/v1 ContainerPort."""

    container_port: Int32 | None = None
    host_port: Int32 | None = None
    host_ip: str | None = field(default=None, name="hostIP")
    protocol: str | None = None


class Container(Struct, gc=False, rename="camel"):
    """core/v1 Container."""

    name: str | None = None
    resources: ResourceRequirements | None = None
    ports: list[ContainerPort] | None = None
    restart_policy: str | None = None


class ContainerStatus(Struct, gc=False, rename="camel"):
    """core/v1 ContainerStatus, what it says of resources."""

    name: str | None = None
    allocated_resources: Resources | None = None
    resources: ResourceRequirements | None = None


class Toleration(Struct, gc=False, rename="camel"):
    """core/v1 Toleration."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None


class PreferredTerm(Struct, gc=False, rename="camel"):
    """core/v1 PreferredSchedulingTerm."""

    weight: Int32 | None = None
    preference: NodeSelectorTerm | None = None


class NodeAffinity(Struct, gc=False, rename="camel"):
    """core/v1 NodeAffinity."""

    required: NodeSelector | None = field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")
    preferred: list[PreferredTerm] | None = field(default=None, name="preferredDuringSchedulingIgnoredDuringExecution")


class PodAffinityTerm(Struct, gc=False, rename="camel"):
    """core/v1 PodAffinityTerm."""

    topology_key: str | None = None
    label_selector: LabelSelector | None = None
    namespaces: list[str] | None = None
    namespace_selector: LabelSelector | None = None
    match_label_keys: list[str] | None = None
    mismatch_label_keys: list[str] | None = None


class PodAffinity(Struct, gc=False, rename="camel"):
    """core/v1 PodAffinity or PodAntiAffinity; preferences are not read."""

    required: list[PodAffinityTerm] | None = field(default=None, name="requiredDuringSchedulingIgnoredDuringExecution")


class Affinity(Struct, gc=False, rename="camel"):
    """core/v1 Affinity."""

    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None


class SpreadConstraint(Struct, gc=False, rename="camel"):
    """core/v1 TopologySpreadConstraint."""

    topology_key: str | None = None
    max_skew: Int32 | None = None
    when_unsatisfiable: str | None = None
    label_selector: LabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: list[str] | None = None


class EmptyDir(Struct, gc=False, rename="camel"):
    """core/v1 EmptyDirVolumeSource."""

    medium: str | None = None


class HostPath(Struct, gc=False, rename="camel"):
    """core/v1 HostPathVolumeSource."""


class ClaimSource(Struct, gc=False, rename="camel"):
    """core/v1 PersistentVolumeClaimVolumeSource."""

    claim_name: str | None = None


class Ephemeral(Struct, gc=False, rename="camel"):
    """core/v1 EphemeralVolumeSource: a claim named POD-VOLUME is made for the pod."""


class Volume(Struct, gc=False, rename="camel"):
    """core/v1 Volume; sources that need nothing of the node and hold no data are not read."""

    name: str | None = None
    empty_dir: EmptyDir | None = None
    host_path: HostPath | None = None
    persistent_volume_claim: ClaimSource | None = None
    ephemeral: Ephemeral | None = None


class ClaimReference(Struct, gc=False, rename="camel"):
    """core/v1 ClaimSource, as Kubernetes 1.26 to 1.30 had it."""

    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodResourceClaim(Struct, gc=False, rename="camel"):
    """core/v1 PodResourceClaim."""

    name: str | None = None
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None
    source: ClaimReference | None = None


class SchedulingGate(Struct, gc=False, rename="camel"):
    """core/v1 PodSchedulingGate."""

    name: str | None = None


class SchedulingGroup(Struct, gc=False, rename="camel"):
    """core/v1 PodSchedulingGroup (Kubernetes 1.36)."""

    pod_group_name: str | None = None


class WorkloadReference(Struct, gc=False, rename="camel"):
    """core/v1 WorkloadReference (Kubernetes 1.35)."""

    name: str | None = None
    pod_group: str | None = None
    pod_group_replica_key: str | None = None


class PodSpec(Struct, gc=False, rename="camel"):
    """core/v1 PodSpec."""

    node_name: str | None = None
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    volumes: list[Volume] | None = None
    affinity: Affinity | None = None
    host_network: bool | None = None
    node_selector: dict[str, str | None] | None = None
    overhead: Resources | None = None
    priority: Int32 | None = None
    priority_class_name: str | None = None
    resource_claims: list[PodResourceClaim] | None = None
    resources: ResourceRequirements | None = None
    runtime_class_name: str | None = None
    scheduler_name: str | None = None
    scheduling_gates: list[SchedulingGate] | None = None
    scheduling_group: SchedulingGroup | None = None
    termination_grace_period_seconds: int | None = None
    tolerations: list[Toleration] | None = None
    topology_spread_constraints: list[SpreadConstraint] | None = None
    workload_ref: WorkloadReference | None = None


class RuntimeOverhead(Struct, gc=False, rename="camel"):
    """node.k8s.io/v1 Overhead."""

    pod_fixed: Resources | None = None


class RuntimeScheduling(Struct, gc=False, rename="camel"):
    """node.k8s.io/v1 Scheduling."""

    node_selector: dict[str, str | None] | None = None
    tolerations: list[Toleration] | None = None


class RuntimeClass(Struct, gc=False, rename="camel"):
    """node.k8s.io/v1 RuntimeClass."""

    metadata: Meta | None = None
    overhead: RuntimeOverhead | None = None
    scheduling: RuntimeScheduling | None = None


class PodTemplate(Struct, gc=False, rename="camel"):
    """core/v1 PodTemplateSpec."""

    metadata: Meta | None = None
    spec: PodSpec | None = None


class DaemonSetSpec(Struct, gc=False, rename="camel"):
    """apps/v1 DaemonSetSpec."""

    template: PodTemplate | None = None


class DaemonSet(Struct, gc=False, rename="camel"):
    """apps/v1 DaemonSet."""

    metadata: Meta | None = None
    spec: DaemonSetSpec | None = None
