"""The Cluster port of one controller in the world: what the API server answers, with what it gets wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autoscaler.model.failures import Conflict, EvictionBlocked, EvictionMisconfigured, NotFound
from autoscaler.model.nodes import Node
from autoscaler.model.pods import Pod
from autoscaler.model.ports import DocumentName, LeaseRecord, LiveNode, NodePatch, Observed, StoredDocument
from autoscaler.model.snapshot import Snapshot
from simulations.world.core import World
from simulations.world.faults import Gremlin
from simulations.world.kubelets import MIG_CONFIG, Kubelets
from simulations.world.records import What
from simulations.world.store import Store
from simulations.world.workloads import Workloads

STALE_S = 45.0


@dataclass(slots=True)
class SimCluster:
    """A Cluster (autoscaler.model.ports). `actor`: the controller's name. `reads`: when it last read which node."""

    world: World
    store: Store
    workloads: Workloads
    kubelets: Kubelets
    gremlin: Gremlin
    actor: str
    reads: dict[tuple[str, str], float] = field(default_factory=dict)
    _served: deque[tuple[float, Snapshot]] = field(default_factory=lambda: deque(maxlen=4))

    def observe(self) -> Observed:
        """See Cluster."""
        now = self.store.snapshot()
        gremlin = self.gremlin
        old = [s for at, s in self._served if self.world.now - at <= STALE_S]
        self._served.append((self.world.now, now))
        if not gremlin.any:
            return Observed(now, self.world.wall())
        if old and gremlin.hits("stale_list"):
            self._tell("observe", "an old list")
            return Observed(gremlin.rng.choice(old), self.world.wall())
        if gremlin.hits("partial_list"):
            self._tell("observe", "a list cut off, and marked so")
            return Observed(replace(self._thinned(now), complete=False), self.world.wall(), "the list was cut off")
        if gremlin.hits("shrunken_list") and len(now.nodes) > 2:
            self._tell("observe", "a list cut off, and nothing says so")
            return Observed(self._thinned(now, least=0.5), self.world.wall())
        return Observed(now, self.world.wall() if gremlin.rng.random() < 0.9 else None)

    def _thinned(self, snapshot: Snapshot, least: float = 0.1) -> Snapshot:
        rng = self.gremlin.rng
        share = rng.uniform(least, 1)
        nodes = tuple(n for n in snapshot.nodes if rng.random() > share)
        if least >= 0.5:
            nodes = nodes[: max(0, len(snapshot.nodes) // 2)]
        names = {n.name for n in nodes}
        pods = tuple(p for p in snapshot.pods if not p.node or p.node in names)
        return replace(snapshot, nodes=nodes, pods=pods, derived={})

    def read_node(self, name: str) -> LiveNode | None:
        """See Cluster."""
        self.reads[self.actor, name] = self.world.now
        node = self.store.nodes.get(name)
        if node is None:
            return None
        return LiveNode(node, tuple(p for p in self.store.pods.values() if p.node == name))

    def find_node(self, instance: str) -> str | None:
        """See Cluster."""
        return next((n.name for n in self.store.nodes.values() if n.provider_id.endswith(f"/{instance}")), None)

    def patch_node(self, node: Node, patch: NodePatch) -> Node:
        """See Cluster."""
        now = self.store.nodes.get(node.name)
        if now is None:
            raise NotFound(f"node {node.name} is gone")
        if now.uid != node.uid:
            raise Conflict(f"node {node.name} is another one")
        only_annotations = not (patch.taint or patch.untaint or patch.unschedulable is not None or patch.labels)
        if not only_annotations and now.resource_version != node.resource_version:
            raise Conflict(f"node {node.name} has changed")
        after = patched(now, patch)
        after = self.store.put_node(self.actor, after, What.NODE_PATCHED, before=now, patch=patch)
        if any(key == MIG_CONFIG for key, _ in patch.labels):
            self.world.after(2.0, lambda: self.kubelets.relabeled(self.store.nodes.get(node.name, after)))
        self.workloads.changed()
        return after

    def evict(self, pod: Pod) -> None:
        """See Cluster."""
        now = self.store.pods.get(pod.key)
        if now is None:
            raise NotFound(f"pod {pod.key} is gone")
        if now.uid != pod.uid:
            raise Conflict(f"pod {pod.key} is another one")
        if now.deleted_at is not None:
            return
        budgets = self.store.budgets_of(now)
        if len(budgets) > 1:
            raise EvictionMisconfigured(f"pod {pod.key} has {len(budgets)} PodDisruptionBudgets")
        if any(self.store.allowed(b) <= 0 for b in budgets):
            raise EvictionBlocked(f"pod {pod.key}: its PodDisruptionBudget allows none")
        self.world.tell(self.actor, What.EVICTED, pod.key, pod=now, asked=pod.uid, node=now.node)
        self.workloads.delete(now, now.deletion_grace_s)

    def read_document(self, name: DocumentName) -> StoredDocument | None:
        """See Cluster."""
        return self.store.documents.get(name)

    def write_document(self, name: DocumentName, data: Mapping[str, str], version: str | None) -> str:
        """See Cluster."""
        now = self.store.documents.get(name)
        if (now.version if now is not None else None) != version:
            raise Conflict(f"{name} has changed")
        return self.store.write_document(self.actor, name, data)

    def read_lease(self) -> tuple[LeaseRecord, str] | None:
        """See Cluster."""
        found = self.store.lease
        if found is not None and found[0].holder and self.gremlin.hits("lying_lease"):
            self._tell("read_lease", "a lease without a holder")
            return replace(found[0], holder=""), found[1]
        return found

    def write_lease(self, record: LeaseRecord, version: str | None) -> str:
        """See Cluster."""
        now = self.store.lease
        if now is not None and self.gremlin.hits("lying_lease"):
            self._tell("write_lease", "success, and nothing is stored")
            return version or now[1]
        if (now[1] if now is not None else None) != version:
            raise Conflict("the lease has changed")
        return self.store.write_lease(self.actor, record)

    def _tell(self, method: str, kind: str) -> None:
        self.world.tell(self.actor, What.FAULT, method, kind=kind)


def patched(node: Node, patch: NodePatch) -> Node:
    """The node after a patch."""
    taints = node.taints
    if patch.untaint:
        taints = tuple(t for t in taints if t.key != patch.untaint)
    if patch.taint is not None:
        wanted = patch.taint
        taints = (*(t for t in taints if (t.key, t.effect) != (wanted.key, wanted.effect)), wanted)
    annotations, labels = node.annotations, node.labels
    for key, value in patch.annotations:
        annotations = annotations.without(key) if value is None else annotations.plus({key: value})
    for key, value in patch.labels:
        labels = labels.without(key) if value is None else labels.plus({key: value})
    cordoned = node.unschedulable if patch.unschedulable is None else patch.unschedulable
    return replace(node, taints=taints, annotations=annotations, labels=labels, unschedulable=cordoned)
