"""Nodes: wire -> model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from autoscaler.model.decoding import wire
from autoscaler.model.decoding.convert_meta import MetaReader, named, taint, text
from autoscaler.model.decoding.convert_requests import capped, resource_list
from autoscaler.model.nodes import Condition, Node

Limits = tuple[tuple[str, int], ...]
"""Volumes that may be attached to a node, by CSI driver, sorted."""


def node(found: wire.Node, meta_reader: MetaReader) -> Node:
    """A node. Without `status.allocatable` its capacity counts (`SetDefaults_NodeStatus` of core/v1)."""
    meta = named(found.metadata)
    spec = found.spec or wire.NodeSpec()
    status = found.status or wire.NodeStatus()
    capacity = capped(resource_list(status.capacity, "status.capacity"))
    allocatable = capped(resource_list(status.allocatable, "status.allocatable"))
    return Node(
        name=text(meta.name),
        uid=text(meta.uid),
        provider_id=text(spec.provider_id),
        created=meta_reader.created(meta),
        labels=meta_reader.labels(meta.labels),
        annotations=meta_reader.annotations(meta.annotations),
        taints=tuple(taint(t) for t in spec.taints or ()),
        unschedulable=bool(spec.unschedulable),
        allocatable=capacity if status.allocatable is None else allocatable,
        capacity=capacity,
        conditions=_conditions(status.conditions, meta_reader),
        deleted_at=meta_reader.deleted(meta),
    )


def _conditions(found: Iterable[wire.Condition] | None, meta_reader: MetaReader) -> tuple[Condition, ...]:
    made = []
    for i, condition in enumerate(found or ()):
        at = condition.last_transition_time
        since = meta_reader.instant(at, f"status.conditions[{i}].lastTransitionTime") if at else None
        made.append(Condition(text(condition.type), text(condition.status), since))
    return tuple(made)


def attach_limits(found: wire.CSINode) -> Limits:
    """How many volumes each driver may attach; a driver without a number has no limit."""
    drivers = found.spec.drivers if found.spec else None
    limits = {
        text(d.name): d.allocatable.count
        for d in drivers or ()
        if d.allocatable is not None and d.allocatable.count is not None
    }
    return tuple(sorted(limits.items()))


def with_limits(nodes: Iterable[Node], limits: Mapping[str, Limits]) -> list[Node]:
    """The nodes with the limits of the CSINode of the same name."""
    return [dataclasses.replace(n, attach_limits=limits[n.name]) if limits.get(n.name) else n for n in nodes]
