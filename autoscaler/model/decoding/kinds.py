"""Which kinds of objects are read, in which order, and by what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import msgspec

from autoscaler.model.decoding import wire, wire_gangs, wire_pod, wire_storage
from autoscaler.model.decoding.classes import PriorityClass, runtime_class
from autoscaler.model.decoding.collector import Objects
from autoscaler.model.decoding.convert_gangs import job_set, pod_group, workload_groups
from autoscaler.model.decoding.convert_meta import decoded, named, namespace, text
from autoscaler.model.decoding.convert_nodes import attach_limits, node
from autoscaler.model.decoding.convert_storage import resource_claim, storage_class, volume, volume_claim
from autoscaler.model.decoding.convert_workloads import daemon_set, disruption_budget, workload
from autoscaler.model.decoding.pods import PodReader
from autoscaler.model.gangs import JOBSET, KUBERNETES, PLUGINS, VOLCANO

T = TypeVar("T")

NAMESPACE_NAME = "kubernetes.io/metadata.name"

Read = Callable[[Objects, PodReader, msgspec.Raw], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind is read. Lower ranks first: what pods are read with comes before pods."""

    rank: int
    read: Read


def _decoding(wire_type: type[T], convert: Callable[[Objects, PodReader, T], None]) -> Read:
    decode = msgspec.json.Decoder(wire_type).decode

    def read(into: Objects, reader: PodReader, raw: msgspec.Raw) -> None:
        convert(into, reader, decoded(decode, raw, ""))

    return read


def _path(meta: wire.Meta | None) -> str:
    found = named(meta)
    return f"{namespace(found)}/{found.name}"


def _pod(into: Objects, reader: PodReader, raw: msgspec.Raw) -> None:
    made = reader.read(raw)
    into.pods[made.namespace].put(made.name, made)


def _node(into: Objects, reader: PodReader, found: wire.Node) -> None:
    made = node(found, reader.meta)
    into.nodes.put(made.name, made)


def _csi_node(into: Objects, _: PodReader, found: wire.CSINode) -> None:
    into.attach_limits.put(text(named(found.metadata).name), attach_limits(found))


def _daemon_set(into: Objects, reader: PodReader, raw: msgspec.Raw) -> None:
    made = daemon_set(decoded(_decode_daemon_set, raw, ""), reader.shapes, reader.meta)
    into.daemon_sets.put((made.namespace, made.name), made)
    _workload("DaemonSet", into, reader, decoded(_decode_workload, raw, ""))


_decode_daemon_set = msgspec.json.Decoder(wire_pod.DaemonSet).decode
_decode_workload = msgspec.json.Decoder(wire.Workload).decode


def _workload(kind: str, into: Objects, reader: PodReader, found: wire.Workload) -> None:
    made = workload(kind, found, reader.meta)
    into.workloads.put((kind, made.namespace, made.name), made)


def _disruption_budget(into: Objects, _: PodReader, found: wire.PodDisruptionBudget) -> None:
    made = disruption_budget(found)
    into.disruption_budgets.put((made.namespace, made.name), made)


def _pod_group(scheme: str, into: Objects, reader: PodReader, found: wire_gangs.PodGroup) -> None:
    made = pod_group(scheme, found, reader.meta)
    if made is not None:
        into.gangs.put(made.key, made)


def _groups_workload(into: Objects, reader: PodReader, found: wire_gangs.GroupsWorkload) -> None:
    for made in workload_groups(found, reader.meta):
        into.gangs.put(made.key, made)


def _job_set(into: Objects, reader: PodReader, found: wire_gangs.JobSet) -> None:
    made = job_set(found, reader.meta)
    if made is not None:
        into.gangs.put(made.key, made)


def _volume_claim(into: Objects, _: PodReader, found: wire_storage.PersistentVolumeClaim) -> None:
    into.volume_claims.put(_path(found.metadata), volume_claim(found))


def _volume(into: Objects, reader: PodReader, found: wire_storage.PersistentVolume) -> None:
    made = volume(found, reader.meta.labels(named(found.metadata).labels))
    into.volumes.put(made.name, made)


def _storage_class(into: Objects, reader: PodReader, found: wire_storage.StorageClass) -> None:
    made = storage_class(found)
    into.storage_classes.put(made.name, (made, reader.meta.created(named(found.metadata))))


def _resource_claim(into: Objects, _: PodReader, found: wire_storage.ResourceClaim) -> None:
    into.resource_claims.put(_path(found.metadata), resource_claim(found))


def _namespace(into: Objects, reader: PodReader, found: wire.Named) -> None:
    meta = named(found.metadata)
    labels = reader.meta.labels(meta.labels)
    if NAMESPACE_NAME not in labels:  # the API server adds it to every namespace
        labels = labels.plus({NAMESPACE_NAME: text(meta.name)})
    into.namespaces.put(text(meta.name), labels)


def _priority_class(into: Objects, _: PodReader, found: wire.PriorityClass) -> None:
    name = text(named(found.metadata).name)
    into.priority_classes.put(name, PriorityClass(name, found.value or 0, bool(found.global_default)))


def _runtime_class(into: Objects, _: PodReader, found: wire_pod.RuntimeClass) -> None:
    name = text(named(found.metadata).name)
    into.runtime_classes.put(name, runtime_class(name, found))


def _identified(_: Objects, __: PodReader, found: wire.Named) -> None:
    """Of some kinds nothing is used yet but that they are objects with names."""
    named(found.metadata)


def _workload_kind(kind: str) -> Kind:
    return Kind(2, _decoding(wire.Workload, partial(_workload, kind)))


def _group_kind(scheme: str) -> Kind:
    return Kind(1, _decoding(wire_gangs.PodGroup, partial(_pod_group, scheme)))


_IDENTIFIED = Kind(2, _decoding(wire.Named, _identified))

KINDS: dict[tuple[str, str], Kind] = {
    ("scheduling.k8s.io", "PriorityClass"): Kind(0, _decoding(wire.PriorityClass, _priority_class)),
    ("node.k8s.io", "RuntimeClass"): Kind(0, _decoding(wire_pod.RuntimeClass, _runtime_class)),
    (PLUGINS, "PodGroup"): _group_kind(PLUGINS),
    ("scheduling.sigs.k8s.io", "PodGroup"): _group_kind(PLUGINS),
    (VOLCANO, "PodGroup"): _group_kind(VOLCANO),
    (KUBERNETES, "PodGroup"): _group_kind(KUBERNETES),
    (KUBERNETES, "Workload"): Kind(1, _decoding(wire_gangs.GroupsWorkload, _groups_workload)),
    (JOBSET, "JobSet"): Kind(1, _decoding(wire_gangs.JobSet, _job_set)),
    ("", "Node"): Kind(2, _decoding(wire.Node, _node)),
    ("storage.k8s.io", "CSINode"): Kind(2, _decoding(wire.CSINode, _csi_node)),
    ("", "Namespace"): Kind(2, _decoding(wire.Named, _namespace)),
    ("policy", "PodDisruptionBudget"): Kind(2, _decoding(wire.PodDisruptionBudget, _disruption_budget)),
    ("apps", "DaemonSet"): Kind(2, _daemon_set),
    ("apps", "ReplicaSet"): _workload_kind("ReplicaSet"),
    ("apps", "Deployment"): _workload_kind("Deployment"),
    ("apps", "StatefulSet"): _workload_kind("StatefulSet"),
    ("batch", "Job"): _workload_kind("Job"),
    ("batch", "CronJob"): _workload_kind("CronJob"),
    ("", "ReplicationController"): _workload_kind("ReplicationController"),
    ("", "PersistentVolumeClaim"): Kind(2, _decoding(wire_storage.PersistentVolumeClaim, _volume_claim)),
    ("", "PersistentVolume"): Kind(2, _decoding(wire_storage.PersistentVolume, _volume)),
    ("storage.k8s.io", "StorageClass"): Kind(2, _decoding(wire_storage.StorageClass, _storage_class)),
    ("resource.k8s.io", "ResourceClaim"): Kind(2, _decoding(wire_storage.ResourceClaim, _resource_claim)),
    ("resource.k8s.io", "ResourceClaimTemplate"): _IDENTIFIED,
    ("resource.k8s.io", "ResourceSlice"): _IDENTIFIED,
    ("resource.k8s.io", "DeviceClass"): _IDENTIFIED,
    ("", "Pod"): Kind(3, _pod),
}
"""By API group (any version of it) and kind."""
