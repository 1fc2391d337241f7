"""kube-scheduler, as far as the controller can tell: it binds pods that fit, a little late, on a view that has aged.

A binding is chosen on what is there now and takes hold some seconds later, whatever taint the node has got meanwhile:
that is the pod that lands between "empty" and "gone" (kubernetes/autoscaler#3886).
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field, replace

from autoscaler.model.nodes import Node
from autoscaler.model.pods import Pod, Toleration
from autoscaler.model.resources import Amounts
from simulations.world.core import World
from simulations.world.store import Store
from simulations.world.workloads import Workloads

PERIOD_S = 1.0
RETRY_S = 30.0
HARD = ("NoSchedule", "NoExecute")
CORDONED = "node.kubernetes.io/unschedulable"


@dataclass(slots=True)
class Scheduler:
    """`lag`: seconds from the choice of a node to the binding, uniform between the two."""

    world: World
    store: Store
    workloads: Workloads
    rng: random.Random
    lag: tuple[float, float]
    refuses: frozenset[str] = frozenset()
    _due: bool = False
    _coming: dict[str, tuple[str, Amounts]] = field(default_factory=dict)

    def wake(self) -> None:
        """Something has changed: look at the queue soon."""
        if not self._due:
            self._due = True
            self.world.after(PERIOD_S, self._run)

    def _run(self) -> None:
        self._due = False
        pending = [
            p for p in self.store.pods.values() if not p.node and p.deleted_at is None and p.key not in self._coming
        ]
        if not pending:
            return
        free = self._free()
        pending.sort(key=lambda p: (-p.spec.priority, p.created, p.key))
        for pod in pending:
            fitting = [name for name in free if self._fits(pod, self.store.nodes[name], free[name])]
            if not fitting:
                if not pod.marked_unschedulable:
                    since = self.world.wall()
                    self.store.put_pod("scheduler", replace(pod, marked_unschedulable=True, unschedulable_since=since))
                continue
            node = self.rng.choice(fitting)
            for name, amount in pod.spec.requests:
                free[node][name] -= amount
            self._coming[pod.key] = (node, pod.spec.requests)
            self.world.after(self.rng.uniform(*self.lag), lambda pod=pod, node=node: self._bind(pod, node))  # type: ignore[misc]

    def _free(self) -> dict[str, dict[str, int]]:
        taken: defaultdict[str, list[Amounts]] = defaultdict(list)
        for node, requests in self._coming.values():
            taken[node].append(requests)
        found = {}
        for name in sorted(self.store.nodes):
            left = dict(self.store.nodes[name].allocatable)
            for requests in [*(p.spec.requests for p in self.store.on_node.get(name, {}).values()), *taken[name]]:
                for resource, amount in requests:
                    left[resource] = left.get(resource, 0) - amount
            found[name] = left
        return found

    def _fits(self, pod: Pod, node: Node, free: dict[str, int]) -> bool:
        setup = self.workloads.setups.get(pod.labels.get("app", ""))
        if setup is not None and setup.unfit:
            return False  # for a reason that no template shows
        if not node.is_ready or node.deleted_at is not None:
            return False
        if any(free.get(name, 0) < amount for name, amount in pod.spec.requests):
            return False
        if any(node.labels.get(key) != value for key, value in pod.spec.node_selector):
            return False
        if node.unschedulable and not _tolerates(pod.spec.tolerations, CORDONED, "", "NoSchedule"):
            return False
        return all(
            t.effect not in HARD or _tolerates(pod.spec.tolerations, t.key, t.value, t.effect) for t in node.taints
        )

    def _bind(self, pod: Pod, name: str) -> None:
        self._coming.pop(pod.key, None)
        now, node = self.store.pods.get(pod.key), self.store.nodes.get(name)
        if now is None or now.uid != pod.uid or now.node or now.deleted_at is not None:
            self.wake()
            return
        there = dict(node.allocatable) if node is not None else {}
        for running in self.store.on_node.get(name, {}).values():
            for resource, amount in running.spec.requests:
                there[resource] = there.get(resource, 0) - amount
        if node is None or any(there.get(resource, 0) < amount for resource, amount in pod.spec.requests):
            self.world.after(RETRY_S / 10, self.wake)
            return
        self.workloads.bind(now, name)


def _tolerates(tolerations: tuple[Toleration, ...], key: str, value: str, effect: str) -> bool:
    for t in tolerations:
        if t.effect and t.effect != effect:
            continue
        if not t.key and t.operator == "Exists":
            return True
        if t.key == key and (t.operator == "Exists" or t.value == value):
            return True
    return False
