"""Free room on the nodes of the virtual cluster, and where a pod goes.

A pod goes to the feasible node with the fewest free accelerators, then the least free CPU, then the oldest: the
packing that GPU clusters configure in kube-scheduler (NodeResourcesFit, MostAllocated), with ties decided for
determinism. Resources are one integer matrix over all nodes; labels and taints are compared once for each kind
of pod and kind of node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy.typing as npt

from autoscaler.model.lazy_numpy import np
from autoscaler.model.nodes import HOSTNAME, Node
from autoscaler.model.pods import PodSpec
from autoscaler.model.resources import CPU, PODS, Amounts, Axis, Vector, is_accelerator

Admits = Callable[[PodSpec, Node], bool]
"""True if labels and taints of the node let a pod of this spec in."""

Placement = tuple[int, Vector]


@dataclass(slots=True)
class Room:
    """What is free on each node. `axis` has every resource that any pod may ask for."""

    axis: Axis
    admits: Admits
    _free: npt.NDArray[np.int64] = field(init=False)
    _open: npt.NDArray[np.bool_] = field(init=False)
    _nodes: list[Node | None] = field(default_factory=list)
    _slot: dict[str, int] = field(default_factory=dict)
    _masks: dict[PodSpec, npt.NDArray[np.bool_]] = field(default_factory=dict)
    _vectors: dict[PodSpec, Vector] = field(default_factory=dict)
    _kinds: dict[tuple[PodSpec, object], bool] = field(default_factory=dict)
    _devices: npt.NDArray[np.intp] = field(init=False)

    def __post_init__(self) -> None:
        self._free = np.zeros((0, len(self.axis)), dtype=np.int64)
        self._open = np.zeros(0, dtype=np.bool_)
        self._devices = np.array([i for i, n in enumerate(self.axis.names) if is_accelerator(n)], dtype=np.intp)

    def open(self, node: Node, used: Sequence[Amounts] = ()) -> None:
        """A node takes pods from now on, less what `used` already holds."""
        slot = len(self._nodes)
        self._nodes.append(node)
        self._slot[node.name] = slot
        if slot >= len(self._open):
            self._grow()
        free = self.axis.vector(node.allocatable)
        for amounts in used:
            free -= self._with_pod(amounts)
        self._free[slot] = free
        self._open[slot] = True
        for spec, mask in self._masks.items():
            mask[slot] = self._admitted(spec, node)

    def close(self, name: str) -> None:
        """The node takes no more pods."""
        slot = self._slot.pop(name)
        self._open[slot] = False
        self._nodes[slot] = None
        if len(self._nodes) > 64 and len(self._slot) * 2 < len(self._nodes):
            self._compact()

    def change(self, node: Node) -> None:
        """Labels, taints or the cordon of a node are others now; what is on it stays."""
        slot = self._slot[node.name]
        before, self._nodes[slot] = self._nodes[slot], node
        if before is None or _gate(before) != _gate(node):
            for spec, mask in self._masks.items():
                mask[slot] = self._admitted(spec, node)

    def place(self, specs: Sequence[PodSpec]) -> list[str] | None:
        """Nodes for all pods of a job, taken at once; None, and nothing taken, where one of them has no place."""
        taken: list[Placement] = []
        names: list[str] = []
        for spec in specs:
            slot = self._best(spec)
            if slot is None:
                for at, vector in taken:
                    self._free[at] += vector
                return None
            vector = self._vector(spec)
            self._free[slot] -= vector
            taken.append((slot, vector))
            node = self._nodes[slot]
            assert node is not None
            names.append(node.name)
        return names

    def take(self, name: str, spec: PodSpec) -> None:
        """A pod of this spec is on the node, wherever it came from."""
        self._free[self._slot[name]] -= self._vector(spec)

    def release(self, name: str, spec: PodSpec) -> None:
        """A pod of this spec has left the node; nothing to do for a node that is gone."""
        slot = self._slot.get(name)
        if slot is not None:
            self._free[slot] += self._vector(spec)

    def free(self, name: str) -> Amounts:
        """What is free on a node."""
        return self.axis.amounts(self._free[self._slot[name]])

    def _best(self, spec: PodSpec) -> int | None:
        mask = self._masks.get(spec)
        if mask is None:
            mask = self._new_mask(spec)
        count = len(self._nodes)
        fits = mask[:count] & self._open[:count] & (self._free[:count] >= self._vector(spec)).all(axis=1)
        slots = np.flatnonzero(fits)
        if len(slots) <= 1:
            return int(slots[0]) if len(slots) else None
        devices = self._free[np.ix_(slots, self._devices)].sum(axis=1)
        slots = slots[devices == devices.min()]
        cpu = self._free[slots, self.axis.index[CPU]]
        return int(slots[np.argmin(cpu)])

    def _vector(self, spec: PodSpec) -> Vector:
        found = self._vectors.get(spec)
        if found is None:
            found = self._vectors[spec] = self._with_pod(spec.requests)
        return found

    def _with_pod(self, amounts: Amounts) -> Vector:
        vector = self.axis.vector(amounts)
        vector[self.axis.index[PODS]] += 1
        return vector

    def _new_mask(self, spec: PodSpec) -> npt.NDArray[np.bool_]:
        mask = np.zeros(len(self._open), dtype=np.bool_)
        for slot, node in enumerate(self._nodes):
            if node is not None:
                mask[slot] = self._admitted(spec, node)
        self._masks[spec] = mask
        return mask

    def _admitted(self, spec: PodSpec, node: Node) -> bool:
        """`admits`, asked once for all nodes that differ in their name alone (unless the pod reads names).

        A cordoned node is asked for each time: the taint of a drain holds an instant, so that no two are alike.
        """
        if node.unschedulable or not spec.is_simple or _reads_names(spec):
            return self.admits(spec, node)
        kind = (spec, _gate(node))
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = self.admits(spec, node)
        return found

    def _grow(self) -> None:
        size = max(16, 2 * len(self._open))
        free = np.zeros((size, len(self.axis)), dtype=np.int64)
        free[: len(self._free)] = self._free
        opened = np.zeros(size, dtype=np.bool_)
        opened[: len(self._open)] = self._open
        for spec, mask in self._masks.items():
            wider = np.zeros(size, dtype=np.bool_)
            wider[: len(mask)] = mask
            self._masks[spec] = wider
        self._free, self._open = free, opened

    def _compact(self) -> None:
        """Forget the slots of nodes that are gone; the order of the others stays."""
        kept = [slot for slot, node in enumerate(self._nodes) if node is not None]
        size = len(self._open)
        for old in [self._free, self._open, *self._masks.values()]:
            old[: len(kept)] = old[kept]
        self._open[len(kept) : size] = False
        self._nodes = [self._nodes[slot] for slot in kept]
        self._slot = {node.name: at for at, node in enumerate(self._nodes) if node is not None}


def _gate(node: Node) -> object:
    """What admission reads of a node, its name aside."""
    return node.labels.without(HOSTNAME), node.taints, node.unschedulable


def _reads_names(spec: PodSpec) -> bool:
    keys = {key for key, _ in spec.node_selector}
    for term in spec.node_affinity or ():
        keys |= {r.key for r in (*term.expressions, *term.fields)}
    return bool(spec.node_name) or HOSTNAME in keys or "metadata.name" in keys
