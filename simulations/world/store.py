"""The API server's objects, each an immutable value with a version; and the snapshot of them all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from autoscaler.model.labels import LabelSelector
from autoscaler.model.nodes import Node
from autoscaler.model.objects import DaemonSet, PodDisruptionBudget, Workload
from autoscaler.model.pods import Pod
from autoscaler.model.ports import DocumentName, LeaseRecord, StoredDocument
from autoscaler.model.snapshot import Snapshot
from simulations.world.core import World
from simulations.world.records import What


@dataclass(frozen=True, slots=True)
class Budget:
    """A PodDisruptionBudget over the pods of one owner."""

    name: str
    selector: LabelSelector
    min_available: int


@dataclass(slots=True)
class Store:
    """All objects. `version` grows with every change of any of them."""

    world: World
    nodes: dict[str, Node] = field(default_factory=dict)
    pods: dict[str, Pod] = field(default_factory=dict)
    on_node: defaultdict[str, dict[str, Pod]] = field(default_factory=lambda: defaultdict(dict))
    budgets: dict[str, Budget] = field(default_factory=dict)
    workloads: dict[tuple[str, str, str], Workload] = field(default_factory=dict)
    daemon_sets: tuple[DaemonSet, ...] = ()
    documents: dict[DocumentName, StoredDocument] = field(default_factory=dict)
    lease: tuple[LeaseRecord, str] | None = None
    version: int = 1
    objects: int = 0
    changed: Callable[[], None] = lambda: None
    _snapshot: tuple[int, Snapshot] | None = None

    def put_node(self, actor: str, node: Node, what: What = What.NODE_CHANGED, **details: Any) -> Node:
        """A new or changed node; it with its new version."""
        self.version += 1
        self.objects += 1
        node = replace(node, resource_version=str(self.version))
        self.nodes[node.name] = node
        self.world.tell(actor, what, node.name, after=node, **details)
        self.changed()
        return node

    def drop_node(self, actor: str, name: str) -> None:
        """The node object is deleted."""
        self.version += 1
        self.objects += 1
        node = self.nodes.pop(name)
        self.world.tell(actor, What.NODE_DELETED, name, node=node)

    def put_pod(self, actor: str, pod: Pod, what: What | None = None, **details: Any) -> None:
        """A new or changed pod."""
        self.version += 1
        self.objects += 1
        before = self.pods.get(pod.key)
        if before is not None and before.node:
            self.on_node[before.node].pop(pod.key, None)
        if pod.node and not pod.finished:
            self.on_node[pod.node][pod.key] = pod
        self.pods[pod.key] = pod
        if what is not None:
            self.world.tell(actor, what, pod.key, pod=pod, **details)

    def drop_pod(self, actor: str, key: str) -> None:
        """The pod object is gone."""
        self.version += 1
        self.objects += 1
        pod = self.pods.pop(key)
        if pod.node:
            self.on_node[pod.node].pop(key, None)
        self.world.tell(actor, What.POD_DELETED, key, pod=pod)

    def write_document(self, actor: str, name: DocumentName, data: Mapping[str, str]) -> str:
        """Replace a document; its new version."""
        self.version += 1
        before = self.documents.get(name)
        stored = StoredDocument(dict(data), str(self.version))
        self.documents[name] = stored
        self.world.tell(actor, What.DOCUMENT_WRITTEN, name, before=before, after=stored)
        return stored.version

    def write_lease(self, actor: str, record: LeaseRecord) -> str:
        """Replace the lease; its new version."""
        self.version += 1
        self.lease = (record, str(self.version))
        self.world.tell(actor, What.LEASE_WRITTEN, record.holder, record=record)
        return str(self.version)

    def snapshot(self) -> Snapshot:
        """All of it, now; the same value as long as nothing has changed."""
        if self._snapshot is None or self._snapshot[0] != self.objects:
            made = Snapshot(
                nodes=tuple([self.nodes[name] for name in sorted(self.nodes)]),
                pods=tuple(sorted(self.pods.values(), key=lambda p: (p.namespace, p.name))),
                daemon_sets=self.daemon_sets,
                disruption_budgets=tuple(
                    PodDisruptionBudget("default", b.name, b.selector, self.allowed(b)) for b in self.budgets.values()
                ),
                workloads=dict(self.workloads),
            )
            self._snapshot = (self.objects, made)
        return self._snapshot[1]

    def budgets_of(self, pod: Pod) -> list[Budget]:
        """The PodDisruptionBudgets that select the pod."""
        return [b for b in self.budgets.values() if b.selector.matches(pod.labels)] if self.budgets else []

    def allowed(self, budget: Budget) -> int:
        """How many of its pods may be disrupted now."""
        healthy = sum(
            1
            for p in self.pods.values()
            if p.node and p.deleted_at is None and not p.finished and budget.selector.matches(p.labels)
        )
        return max(0, healthy - budget.min_available)
