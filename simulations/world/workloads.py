"""Controllers of pods: they make pods, end them, and make them again when they are taken away."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.objects import Workload
from autoscaler.model.pods import Owner, Pod, PodSpec, Toleration
from autoscaler.model.resources import amounts
from simulations.world.core import World
from simulations.world.records import What
from simulations.world.setup import WorkloadSetup
from simulations.world.store import Budget, Store

EVERYTHING = "*"


@dataclass(slots=True)
class Workloads:
    """All of them. `changed`: tells the scheduler that there is something to look at."""

    world: World
    store: Store
    rng: random.Random
    changed: Callable[[], None] = lambda: None
    setups: dict[str, WorkloadSetup] = field(default_factory=dict)
    specs: dict[str, PodSpec] = field(default_factory=dict)
    made: int = 0

    def create(self, setup: WorkloadSetup, nodes: tuple[str, ...] = ()) -> None:
        """The workload comes into being; its first pods are bound to `nodes`, the rest are pending."""
        self.setups[setup.name] = setup
        self.specs[setup.name] = spec_of(setup)
        if setup.kind != "Pod":
            self.store.workloads[(setup.kind, "default", setup.name)] = Workload(
                setup.kind, "default", setup.name, f"uid-{setup.name}", setup.replicas
            )
        if setup.min_available is not None:
            selector = LabelSelector((Requirement("app", "In", (setup.name,)),))
            self.store.budgets[setup.name] = Budget(setup.name, selector, setup.min_available)
        for number in range(setup.replicas):
            self._make(setup, nodes[number] if number < len(nodes) else "")
        self.changed()

    def add(self, setup: WorkloadSetup, count: int) -> None:
        """More pods of a workload that is there."""
        for _ in range(count):
            self._make(setup)
        self.changed()

    def _make(self, setup: WorkloadSetup, node: str = "") -> None:
        self.made += 1
        pod = Pod(
            namespace="default",
            name=f"{setup.name}-{self.made}",
            spec=self.specs[setup.name],
            uid=f"uid-{self.made}",
            created=self.world.wall(),
            labels=Labels({"app": setup.name}),
            annotations=Labels(dict(setup.annotations)),
            owner=Owner(setup.kind, setup.name, f"uid-{setup.name}") if setup.kind != "Pod" else None,
            deletion_grace_s=setup.grace,
        )
        self.store.put_pod(setup.kind, pod, What.POD_CREATED)
        if node:
            self.bind(pod, node)

    def bind(self, pod: Pod, node: str) -> None:
        """The pod runs on the node from now on."""
        bound = replace(pod, node=node, phase="Running", marked_unschedulable=False, unschedulable_since=None)
        self.store.put_pod("scheduler", bound, What.POD_BOUND, node=node)
        setup = self.setups.get(pod.labels.get("app", ""))
        if setup is not None and setup.duration is not None:
            self.world.after(self.rng.uniform(*setup.duration), lambda: self._end(bound))

    def _end(self, pod: Pod) -> None:
        now = self.store.pods.get(pod.key)
        if now is None or now.uid != pod.uid or now.deleted_at is not None:
            return
        setup = self.setups[pod.labels["app"]]
        if setup.kind == "ReplicaSet":
            self.delete(now, 0)
            return
        self.store.put_pod("kubelet", replace(now, phase="Succeeded"), What.POD_ENDED)
        self.world.after(30.0, lambda: self._remove(pod.key, pod.uid, again=False))
        self.changed()

    def delete(self, pod: Pod, grace_s: float) -> None:
        """Somebody asks for the pod's deletion; it goes when it has ended, at the latest after its grace period."""
        if pod.deleted_at is not None:
            return
        marked = replace(pod, deleted_at=self.world.wall() + grace_s)
        self.store.put_pod("api-server", marked)
        setup = self.setups.get(pod.labels.get("app", ""))
        at_once = setup is not None and setup.kind == "ReplicaSet"
        if at_once and setup is not None:
            self._make(setup)
            self.changed()
        wait = self.rng.uniform(0, grace_s) if grace_s and pod.node else 0.0
        self.world.after(wait, lambda: self._remove(pod.key, pod.uid, again=not at_once))

    def _remove(self, key: str, uid: str, *, again: bool) -> None:
        pod = self.store.pods.get(key)
        if pod is None or pod.uid != uid:
            return
        self.store.drop_pod("kubelet", key)
        setup = self.setups.get(pod.labels.get("app", ""))
        if again and setup is not None and setup.kind == "Job":
            self._make(setup)
        self.changed()

    def kill_on(self, node: str) -> None:
        """All pods of a node are gone at once."""
        for pod in list(self.store.on_node.get(node, {}).values()):
            replaced = pod.deleted_at is not None and pod.owner is not None and pod.owner.kind == "ReplicaSet"
            self.store.drop_pod("pod-gc", pod.key)
            setup = self.setups.get(pod.labels.get("app", ""))
            if setup is not None and setup.kind != "Pod" and not replaced:
                self._make(setup)
        for pod in [p for p in self.store.pods.values() if p.node == node]:
            self.store.drop_pod("pod-gc", pod.key)
        self.changed()


def spec_of(setup: WorkloadSetup) -> PodSpec:
    """The spec of its pods."""
    scaled = {name: amount * (1000 if name == "cpu" else 1) for name, amount in setup.requests}
    if setup.tolerates == EVERYTHING:
        tolerations: tuple[Toleration, ...] = (Toleration(operator="Exists"),)
    elif setup.tolerates:
        tolerations = (Toleration(setup.tolerates, "Exists"),)
    else:
        tolerations = ()
    return PodSpec(
        requests=amounts(scaled),
        container_peaks=amounts({n: a for n, a in scaled.items() if "/" in n}),
        node_selector=tuple(sorted(setup.selector)),
        tolerations=tolerations,
        priority=setup.priority,
    )
