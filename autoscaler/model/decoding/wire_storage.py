"""Volumes and resource claims over the wire."""

from __future__ import annotations

from msgspec import Struct

from autoscaler.model.decoding.wire import Expression, Meta, NodeSelector


class ClaimSpec(Struct, gc=False, rename="camel"):
    """core/v1 PersistentVolumeClaimSpec. `storage_class_name` "" asks for no class, None for the default one."""

    volume_name: str | None = None
    storage_class_name: str | None = None


class PersistentVolumeClaim(Struct, gc=False, rename="camel"):
    """core/v1 PersistentVolumeClaim."""

    metadata: Meta | None = None
    spec: ClaimSpec | None = None


class VolumeNodeAffinity(Struct, gc=False, rename="camel"):
    """core/v1 VolumeNodeAffinity."""

    required: NodeSelector | None = None


class CSISource(Struct, gc=False, rename="camel"):
    """core/v1 CSIPersistentVolumeSource."""

    driver: str | None = None


class InTreeSource(Struct, gc=False, rename="camel"):
    """A volume source that was built into Kubernetes and is served by a CSI driver now."""


class VolumeSpec(Struct, gc=False, rename="camel"):
    """core/v1 PersistentVolumeSpec."""

    node_affinity: VolumeNodeAffinity | None = None
    csi: CSISource | None = None
    aws_elastic_block_store: InTreeSource | None = None
    gce_persistent_disk: InTreeSource | None = None
    azure_disk: InTreeSource | None = None
    azure_file: InTreeSource | None = None
    cinder: InTreeSource | None = None
    vsphere_volume: InTreeSource | None = None


class PersistentVolume(Struct, gc=False, rename="camel"):
    """core/v1 PersistentVolume."""

    metadata: Meta | None = None
    spec: VolumeSpec | None = None


class AllowedTopology(Struct, gc=False, rename="camel"):
    """core/v1 TopologySelectorTerm."""

    match_label_expressions: list[Expression] | None = None


class StorageClass(Struct, gc=False, rename="camel"):
    """storage.k8s.io/v1 StorageClass."""

    metadata: Meta | None = None
    provisioner: str | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: list[AllowedTopology] | None = None


class Allocation(Struct, gc=False, rename="camel"):
    """resource.k8s.io AllocationResult; before v1alpha3 the selector had another name."""

    node_selector: NodeSelector | None = None
    available_on_nodes: NodeSelector | None = None


class ClaimStatus(Struct, gc=False, rename="camel"):
    """resource.k8s.io ResourceClaimStatus."""

    allocation: Allocation | None = None


class ResourceClaim(Struct, gc=False, rename="camel"):
    """resource.k8s.io ResourceClaim."""

    metadata: Meta | None = None
    status: ClaimStatus | None = None
