"""The Kubernetes API of the fast world: what there is, writes to nodes, evictions, documents, the lease."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autoscaler.model.failures import Conflict, NotFound
from autoscaler.model.labels import Labels
from autoscaler.model.nodes import Node
from autoscaler.model.pods import Pod
from autoscaler.model.ports import DocumentName, LeaseRecord, LiveNode, NodePatch, Observed, StoredDocument
from simulations.cloud import Cloud
from simulations.cluster import World
from simulations.machines import MIG_CONFIG, Machine


@dataclass(slots=True)
class ClusterPort:
    """All of `autoscaler.model.ports.Cluster`. Documents and the lease are values in memory with a version."""

    world: World
    cloud: Cloud
    documents: dict[DocumentName, StoredDocument] = field(default_factory=dict)
    lease: tuple[LeaseRecord, str] | None = None
    _version: int = 0

    def observe(self) -> Observed:
        """Everything, as it is; the same snapshot as long as nothing has changed."""
        return Observed(self.world.snapshot(), self.cloud.now)

    def read_node(self, name: str) -> LiveNode | None:
        """The node and the pods on it now."""
        machine = self.world.find(name)
        if machine is None or machine.node is None:
            return None
        return LiveNode(machine.node, tuple(machine.pods.values()))

    def find_node(self, instance: str) -> str | None:
        """The name of the node of an instance, if it has registered."""
        machine = self.world.machines.get(instance)
        return machine.name if machine is not None and machine.booted else None

    def patch_node(self, node: Node, patch: NodePatch) -> Node:
        """Write to the node; a new MIG layout in its labels cuts its GPUs anew."""
        machine, there = self._same(node)
        annotations_alone = patch == NodePatch(annotations=patch.annotations)
        if not annotations_alone and there.resource_version != node.resource_version:
            raise Conflict(f"node {node.name} has changed since it was read")
        changed = self.world.change(machine, patched(there, patch))
        layout = dict(patch.labels).get(MIG_CONFIG)
        if layout is not None and layout != there.labels.get(MIG_CONFIG):
            choices = self.world.policies.by_name[machine.pool].templates_of(machine.template.group)
            self.cloud.reslice(machine, next(t for t in choices if t.layout == layout))
            assert machine.node is not None
            return machine.node
        if patch.untaint or patch.unschedulable is False:
            self.cloud.on_room()
        return changed

    def _same(self, node: Node) -> tuple[Machine, Node]:
        machine = self.world.find(node.name)
        if machine is None or machine.node is None:
            raise NotFound(f"there is no node {node.name}")
        if machine.node.uid != node.uid:
            raise Conflict(f"another node has the name {node.name} now")
        return machine, machine.node

    def evict(self, pod: Pod) -> None:
        """Take the pod off its node; the pods of its job go with it, and the job waits again."""
        there = self.world.pods.get(pod.key)
        if there is None:
            raise NotFound(f"there is no pod {pod.key}")
        if there.uid != pod.uid:
            raise Conflict(f"another pod has the name {pod.key} now")
        self.cloud.evict(self.world.machine(there.node), [pod.key])

    def read_document(self, name: DocumentName) -> StoredDocument | None:
        """The document as it lies there."""
        return self.documents.get(name)

    def write_document(self, name: DocumentName, data: Mapping[str, str], version: str | None) -> str:
        """Replace it, if it still has this version."""
        there = self.documents.get(name)
        _compare(str(name), there.version if there is not None else None, version)
        self.documents[name] = StoredDocument(data, self._next())
        return self.documents[name].version

    def read_lease(self) -> tuple[LeaseRecord, str] | None:
        """The lease with its version."""
        return self.lease

    def write_lease(self, record: LeaseRecord, version: str | None) -> str:
        """Replace it, if it still has this version."""
        _compare("the lease", self.lease[1] if self.lease is not None else None, version)
        self.lease = (record, self._next())
        return self.lease[1]

    def _next(self) -> str:
        self._version += 1
        return str(self._version)


def _compare(what: str, there: str | None, version: str | None) -> None:
    if there != version:
        raise Conflict(f"{what} has version {there}, not {version}")


def patched(node: Node, patch: NodePatch) -> Node:
    """The node after the patch."""
    taints, taint = node.taints, patch.taint
    if patch.untaint:
        taints = tuple(t for t in taints if t.key != patch.untaint)
    if taint is not None:
        taints = (*(t for t in taints if (t.key, t.effect) != (taint.key, taint.effect)), taint)
    return replace(
        node,
        taints=taints,
        unschedulable=node.unschedulable if patch.unschedulable is None else patch.unschedulable,
        annotations=_changed(node.annotations, patch.annotations),
        labels=_changed(node.labels, patch.labels),
    )


def _changed(labels: Labels, changes: tuple[tuple[str, str | None], ...]) -> Labels:
    if not changes:
        return labels
    kept = labels.without(*(key for key, _ in changes))
    return kept.plus({key: value for key, value in changes if value is not None})
