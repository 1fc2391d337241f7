"""Pods: wire -> model, a few microseconds each where the shape is known."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import cast

import msgspec

from autoscaler.model.decoding import wire, wire_pod
from autoscaler.model.decoding.classes import NO_CLASSES, Classes
from autoscaler.model.decoding.convert_meta import MEMO_LIMIT, MetaReader, decoded, named, namespace
from autoscaler.model.decoding.convert_pod_spec import Shape
from autoscaler.model.decoding.convert_requests import Resize
from autoscaler.model.decoding.shapes import ShapeReader
from autoscaler.model.gangs import JOBSET, KUBERNETES, declared_size, gang_key, gang_of
from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.resources import Amounts

MIRROR = "kubernetes.io/config.mirror"

_decode_pod = msgspec.json.Decoder(wire_pod.Pod).decode
_decode_conditions = msgspec.json.Decoder(list[wire.Condition]).decode
_decode_statuses = msgspec.json.Decoder(list[wire_pod.ContainerStatus] | None).decode
_NO_STATUS = wire_pod.PodStatus()

# A frozen dataclass assigns each field through object.__setattr__, 2 µs for a pod. A class with the same slots
# that is not frozen takes 0.4 µs, and Python lets an object change between classes of one layout.
_Draft = dataclasses.make_dataclass("_Draft", [f.name for f in dataclasses.fields(Pod)], slots=True, eq=False)


class PodReader:
    """Reads pods one by one; may be kept for the life of a watch, as long as classes and groups do not change.

    `gangs`: groups that objects declare, by key. `gangs_of_pods` collects those that only their pods declare, by a
    size in labels or annotations, or as replicas of a declared group.
    """

    def __init__(self, classes: Classes = NO_CLASSES, gangs: Mapping[str, GangSpec] | None = None) -> None:
        self.shapes = ShapeReader(classes)
        self.meta = MetaReader()
        self.gangs: Mapping[str, GangSpec] = {} if gangs is None else gangs
        self.gangs_of_pods: dict[str, GangSpec] = {}
        self._ungrouped = {NO_LABELS}
        self._marks: dict[bytes, float | None] = {b"": None, b"null": None, b"[]": None}

    def read(self, raw: msgspec.Raw | bytes) -> Pod:
        """A pod from the JSON of its object.

        Raises FieldError with the path from the object's root, or msgspec.DecodeError for what is not JSON.
        """
        try:
            found = _decode_pod(raw)
        except msgspec.ValidationError:
            found = decoded(_decode_pod, msgspec.Raw(bytes(raw)), "")
        meta = named(found.metadata)
        name = meta.name or ""
        space = namespace(meta)
        labels = self.meta.labels(meta.labels)
        annotations = self.meta.annotations(meta.annotations)
        owner = self.meta.owner(meta.owner_references)
        shape, node = self.shapes.read(found.spec, daemon=owner is not None and owner.kind == "DaemonSet")
        status = found.status or _NO_STATUS
        since = None if node else self._unplaced_since(status)
        created = self.meta.created(meta)
        grace = meta.deletion_grace_period_seconds
        made = _Draft(
            space,
            name,
            self._spec(shape, name, found.spec, status),
            meta.uid or "",
            created,
            labels,
            annotations,
            owner,
            node,
            status.nominated_node_name or "",
            sys.intern(status.phase or "Pending"),
            self.meta.deleted(meta) if meta.deletion_timestamp else None,
            shape.grace_s if grace is None else max(0, grace),
            shape.gated,
            since is not None,
            since or None,
            shape.local_storage,
            MIRROR in annotations,
            self._gang(space, shape, labels, annotations, created),
        )
        made.__class__ = Pod
        return cast(Pod, made)

    def _spec(self, shape: Shape, pod: str, raw: msgspec.Raw, status: wire_pod.PodStatus) -> PodSpec:
        """The spec of the shape, with what only this pod has.

        That is the claims of generic ephemeral volumes, `POD-VOLUME` (k8s.io/component-helpers, ephemeral), and
        other requests while they are being changed in place.
        """
        spec = shape.spec
        conditions = bytes(status.conditions)
        if b'"PodResize' in conditions:
            spec = dataclasses.replace(spec, requests=self._resized(raw, status))
        elif not shape.ephemeral:
            return spec
        own = {f"{pod}-{volume}" for volume in shape.ephemeral}
        return self.shapes.intern(dataclasses.replace(spec, volumes=tuple(sorted(own | set(spec.volumes)))))

    def _resized(self, raw: msgspec.Raw, status: wire_pod.PodStatus) -> Amounts:
        """Requests of a pod with a PodResizePending or PodResizeInProgress condition."""
        found = decoded(_decode_conditions, status.conditions, "status.conditions")
        infeasible = any(c.type == "PodResizePending" and c.reason == "Infeasible" for c in found)
        statuses: dict[str, wire_pod.ContainerStatus] = {}
        for path, held in (
            ("status.initContainerStatuses", status.init_container_statuses),
            ("status.containerStatuses", status.container_statuses),
        ):
            told = decoded(_decode_statuses, held, path) if len(held) else None
            statuses.update((s.name or "", s) for s in told or ())
        return self.shapes.requests(raw, Resize(statuses, infeasible))

    def _unplaced_since(self, status: wire_pod.PodStatus) -> float | None:
        """When the scheduler found no place. A manifest that no server has seen has no status: it counts as looked at.

        Every pod of a cluster has a phase from the first moment; without one the file asks "what if I created this?".
        """
        if status.phase is None and not len(status.conditions):
            return 0.0
        return self._unschedulable_since(status.conditions)

    def _unschedulable_since(self, conditions: msgspec.Raw) -> float | None:
        """When the scheduler found no place: PodScheduled is False with the reason Unschedulable; 0.0 if undated.

        Other reasons (SchedulingGated, SchedulerError) say nothing about room.
        """
        key = bytes(conditions)
        if key in self._marks:
            return self._marks[key]
        since = None
        for i, condition in enumerate(decoded(_decode_conditions, conditions, "status.conditions")):
            if condition.type != "PodScheduled":
                continue
            if condition.status == "False" and condition.reason == "Unschedulable":
                at = condition.last_transition_time
                since = self.meta.instant(at, f"status.conditions[{i}].lastTransitionTime") if at else 0.0
        if len(self._marks) < 4096:
            self._marks[key] = since
        return since

    def _gang(self, space: str, shape: Shape, labels: Labels, annotations: Labels, created: float) -> str:
        """The key of the pod's group; what the pod tells of the size of an undeclared one is noted."""
        if shape.group:
            key = gang_key(KUBERNETES, space, shape.group)
            declared = self.gangs.get(gang_key(KUBERNETES, space, shape.template)) if shape.template else None
            if declared is not None and key not in self.gangs:
                self._note(dataclasses.replace(declared, key=key))
            return sys.intern(key)
        if annotations is NO_LABELS and labels in self._ungrouped:
            return ""
        key = gang_of(space, labels, annotations)
        if not key and annotations is NO_LABELS and len(self._ungrouped) < MEMO_LIMIT:
            self._ungrouped.add(labels)
        if not key or key in self.gangs:
            return sys.intern(key)
        size = declared_size(labels, annotations)
        if size is not None:
            self._note(GangSpec(key, size, created))
        elif key.startswith(f"{JOBSET}|"):
            return ""  # a JobSet is a group only where it or its pods say so
        return sys.intern(key)

    def _note(self, gang: GangSpec) -> None:
        """Keep the largest size and the earliest creation that the pods of a group give."""
        known = self.gangs_of_pods.get(gang.key)
        if known is not None:
            gang = dataclasses.replace(
                gang,
                min_member=max(gang.min_member, known.min_member),
                created=min(gang.created, known.created),
            )
        self.gangs_of_pods[gang.key] = gang
