"""Volumes and resource claims: wire -> model."""

from __future__ import annotations

from collections.abc import Iterable

from autoscaler.model.decoding import wire_storage
from autoscaler.model.decoding.convert_meta import all_annotations, named, namespace, node_terms, owners, text
from autoscaler.model.labels import Labels, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import REGION, ZONE
from autoscaler.model.objects import ResourceClaim, StorageClass, Volume, VolumeClaim

_OLD_ZONE, _OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
_CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class"

# Plugins that were built in, by the drivers that serve them now (k8s.io/csi-translation-lib).
_MIGRATED = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}


def volume_claim(found: wire_storage.PersistentVolumeClaim) -> tuple[VolumeClaim, bool]:
    """A claim, and whether it names no class and so gets the default one; a class "" asks for none."""
    meta = named(found.metadata)
    spec = found.spec or wire_storage.ClaimSpec()
    written = spec.storage_class_name
    if written is None:
        written = all_annotations(meta).get(_CLASS_ANNOTATION)
    claim = VolumeClaim(
        namespace=namespace(meta),
        name=text(meta.name),
        volume=text(spec.volume_name),
        storage_class=written or "",
    )
    return claim, written is None


def volume(found: wire_storage.PersistentVolume, labels: Labels) -> Volume:
    """A volume by where it can be used: its node affinity, and the zone and region labels of older ones, which the
    VolumeZone plugin of kube-scheduler reads (several values are joined by `__`)."""
    spec = found.spec or wire_storage.VolumeSpec()
    terms = node_terms(spec.node_affinity.required if spec.node_affinity else None)
    placed = tuple(
        Requirement(new, "In", tuple(sorted(labels[key].split("__"))))
        for key, new in ((ZONE, ZONE), (_OLD_ZONE, ZONE), (REGION, REGION), (_OLD_REGION, REGION))
        if labels.get(key)
    )
    if placed:
        placed = tuple(sorted(dict.fromkeys(placed), key=repr))
        terms = tuple(
            NodeSelectorTerm((*t.expressions, *(p for p in placed if p not in t.expressions)), t.fields)
            for t in (terms if terms is not None else (NodeSelectorTerm(),))
        )
    return Volume(text(named(found.metadata).name), terms, _driver(spec))


def _driver(spec: wire_storage.VolumeSpec) -> str:
    if spec.csi is not None:
        return text(spec.csi.driver)
    built_in = {
        "kubernetes.io/aws-ebs": spec.aws_elastic_block_store,
        "kubernetes.io/gce-pd": spec.gce_persistent_disk,
        "kubernetes.io/azure-disk": spec.azure_disk,
        "kubernetes.io/azure-file": spec.azure_file,
        "kubernetes.io/cinder": spec.cinder,
        "kubernetes.io/vsphere-volume": spec.vsphere_volume,
    }
    return next((_MIGRATED[plugin] for plugin, source in built_in.items() if source is not None), "")


def storage_class(found: wire_storage.StorageClass) -> StorageClass:
    """A storage class; zone keys of migrated plugins are taken for today's."""
    meta = named(found.metadata)
    annotations = all_annotations(meta)
    topologies = found.allowed_topologies
    return StorageClass(
        name=text(meta.name),
        driver=_MIGRATED.get(text(found.provisioner), text(found.provisioner)),
        binds_late=found.volume_binding_mode == "WaitForFirstConsumer",
        topologies=tuple(sorted({_topology(t) for t in topologies}, key=repr)) if topologies else None,
        is_default=any(annotations.get(key) == "true" for key in _DEFAULT_CLASS),
    )


def _topology(term: wire_storage.AllowedTopology) -> NodeSelectorTerm:
    names = {_OLD_ZONE: ZONE, _OLD_REGION: REGION}
    made = {
        Requirement(names.get(text(e.key), text(e.key)), "In", tuple(sorted(set(e.values or ()))))
        for e in term.match_label_expressions or ()
    }
    return NodeSelectorTerm(tuple(sorted(made, key=lambda r: (r.key, r.values))))


def default_class(classes: Iterable[tuple[StorageClass, float]]) -> str:
    """The default class: of several the one created last, then the first by name
    (`GetDefaultClass` of pkg/volume/util); "" where there is none."""
    marked = [(-created, c.name) for c, created in classes if c.is_default]
    return min(marked)[1] if marked else ""


def resource_claim(found: wire_storage.ResourceClaim) -> ResourceClaim:
    """A DRA claim. `owner_pod`: the name of the pod that it was made for from a template, or ""."""
    meta = named(found.metadata)
    status = found.status or wire_storage.ClaimStatus()
    allocation = status.allocation
    return ResourceClaim(
        namespace=namespace(meta),
        name=text(meta.name),
        allocated=allocation is not None,
        nodes=node_terms(allocation.node_selector or allocation.available_on_nodes) if allocation else None,
        owner_pod=next((text(o.name) for o in owners(meta) if o.kind == "Pod"), ""),
    )
