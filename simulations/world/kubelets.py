"""Kubelets and device plugins: a machine becomes a node, its devices come late, in part, never, or go away again."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import HOSTNAME, POOL_LABEL, Condition, InstanceState, Node, Taint
from autoscaler.model.objects import DaemonSet
from autoscaler.model.pods import Owner, Pod
from autoscaler.model.resources import Amounts
from autoscaler.planning.pools import Policies, Template
from simulations.world.core import World
from simulations.world.faults import Gremlin
from simulations.world.groups import Groups, Machine
from simulations.world.records import What
from simulations.world.store import Store
from simulations.world.workloads import Workloads

MIG_CONFIG, MIG_STATE = "nvidia.com/mig.config", "nvidia.com/mig.config.state"
READY_S = 15.0
NOT_READY = Taint("node.kubernetes.io/not-ready", "", "NoSchedule")


@dataclass(slots=True)
class Kubelets:
    """All kubelets. `policies`: whose templates the machines have (the launch templates do not change with a file)."""

    world: World
    store: Store
    groups: Groups
    gremlin: Gremlin
    rng: random.Random
    policies: Policies
    workloads: Workloads
    templates: dict[str, tuple[Template, ...]] = field(default_factory=dict)
    names: int = 0
    _free_names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for pool in self.policies.pools:
            for group in pool.groups:
                self.templates[group] = pool.templates_of(group)

    def boot(self, machine: Machine) -> None:
        """A machine was launched."""
        setup = machine.group.setup
        if self.gremlin.hits("never_registers"):
            self.world.after(5.0, lambda: self._runs(machine))
            return
        self.world.after(5.0, lambda: self._runs(machine))
        self.world.after(5.0 + self.rng.uniform(*setup.boot), lambda: self.register(machine))

    def _runs(self, machine: Machine) -> None:
        if machine.shown.state is InstanceState.PENDING:
            self.groups.show(machine, InstanceState.RUNNING)

    def register(self, machine: Machine, *, ready: bool = False) -> None:
        """The machine's node object comes into being. `ready`: at once, with everything."""
        if not machine.alive or machine.node:
            return
        template = self.templates[machine.group.name][0]
        name = self._name(template.pool)
        wall = self.world.wall()
        labels = template.labels.plus({HOSTNAME: name, POOL_LABEL: template.pool})
        if template.layout is not None:
            labels = labels.plus({MIG_CONFIG: template.layout, MIG_STATE: "success" if ready else "pending"})
        node = Node(
            name=name,
            uid=f"uid-{machine.id}",
            provider_id=f"sim:///{template.zone or 'zone'}/{machine.id}",
            created=wall,
            labels=labels,
            taints=template.taints if ready else (*template.taints, NOT_READY),
            allocatable=template.allocatable if ready else _without(template.allocatable, template.accelerators),
            capacity=template.allocatable if ready else _without(template.allocatable, template.accelerators),
            conditions=(Condition("Ready", "True" if ready else "False", wall),),
        )
        machine.node = name
        self.store.put_node("kubelet", node, What.NODE_CREATED, instance=machine.id)
        for daemon in self.store.daemon_sets:
            self._daemon(daemon, name)
        if ready:
            self.world.tell("kubelet", What.NODE_READY, name, instance=machine.id)
        else:
            self.world.after(READY_S, lambda: self._ready(machine))

    def _ready(self, machine: Machine) -> None:
        node = self._node(machine)
        if node is None:
            return
        wall = self.world.wall()
        taints = tuple(t for t in node.taints if t.key != NOT_READY.key)
        self.store.put_node("kubelet", replace(node, taints=taints, conditions=(Condition("Ready", "True", wall),)))
        template = self.templates[machine.group.name][0]
        wait = self.rng.uniform(*machine.group.setup.devices)
        if self.gremlin.hits("devices_late"):
            wait += self.rng.uniform(60, 220)
        if self.gremlin.hits("devices_never"):
            return
        self.world.after(wait, lambda: self._devices(machine, template))

    def _devices(self, machine: Machine, template: Template) -> None:
        node = self._node(machine)
        if node is None:
            return
        amounts = template.allocatable
        if self.gremlin.hits("devices_in_part") and template.gpus > 1:
            amounts = tuple((n, max(1, a // 2) if n in template.accelerators else a) for n, a in amounts)
            self.world.after(self.rng.uniform(30, 90), lambda: self._devices(machine, template))
        labels = node.labels
        if template.layout is not None:
            labels = labels.plus({MIG_CONFIG: template.layout, MIG_STATE: "success"})
        self.store.put_node("kubelet", replace(node, labels=labels, allocatable=amounts, capacity=amounts))
        if amounts == template.allocatable:
            self.world.tell("kubelet", What.NODE_READY, node.name, instance=machine.id)

    def relabeled(self, node: Node) -> None:
        """mig-manager saw another layout on the node's label: devices go, and come back in it."""
        machine = self.machine_of(node)
        if machine is None:
            return
        wanted = node.labels.get(MIG_CONFIG)
        template = next((t for t in self.templates[machine.group.name] if t.layout == wanted), None)
        if template is None:
            return
        left = _without(node.allocatable, template.accelerators | _mig(node.allocatable))
        self.store.put_node(
            "kubelet", replace(node, allocatable=left, labels=Labels(node.labels).plus({MIG_STATE: "pending"}))
        )
        self.world.after(self.rng.uniform(20, 60), lambda: self._devices(machine, template))

    def lose_devices(self, node: Node) -> None:
        """The device plugin is gone: allocatable falls to 0, capacity stays for a while."""
        machine = self.machine_of(node)
        if machine is not None:
            template = self.templates[machine.group.name][0]
            gone = template.accelerators | _mig(node.allocatable)
            self.store.put_node("kubelet", replace(node, allocatable=_without(node.allocatable, gone)))

    def flip_ready(self, node: Node, status: str) -> None:
        """The kubelet is lost, or back."""
        self.store.put_node("kubelet", replace(node, conditions=(Condition("Ready", status, self.world.wall()),)))

    def stop(self, machine: Machine) -> None:
        """The machine goes: its pods with it, and its node object a little later."""
        self.world.after(self.rng.uniform(1, 10), lambda: self._stopped(machine))

    def _stopped(self, machine: Machine) -> None:
        node = self._node(machine)
        if node is None:
            return
        self.workloads.kill_on(node.name)
        self.store.drop_node("cloud-controller-manager", node.name)
        self._free_names.append(node.name)

    def pods_on(self, machine: Machine) -> tuple[Pod, ...]:
        """The pods that are bound to the machine's node now."""
        node = self._node(machine)
        return tuple(self.store.on_node.get(node.name, {}).values()) if node is not None else ()

    def machine_of(self, node: Node) -> Machine | None:
        """The machine behind a node object."""
        return self.groups.machines.get(node.provider_id.rsplit("/", 1)[-1])

    def _node(self, machine: Machine) -> Node | None:
        node = self.store.nodes.get(machine.node) if machine.node else None
        return node if node is not None and node.uid == f"uid-{machine.id}" else None

    def _name(self, pool: str) -> str:
        """A name, now and then one that another node had before (S3)."""
        mine = [name for name in self._free_names if name.startswith(f"{pool}-")]
        if mine and self.rng.random() < 0.5:
            self._free_names.remove(mine[0])
            return mine[0]
        self.names += 1
        return f"{pool}-{self.names}"

    def _daemon(self, daemon: DaemonSet, node: str) -> None:
        pod = Pod(
            namespace=daemon.namespace,
            name=f"{daemon.name}-{node}",
            spec=daemon.spec,
            uid=f"uid-{daemon.name}-{node}-{self.store.version}",
            created=self.world.wall(),
            owner=Owner("DaemonSet", daemon.name),
            node=node,
            phase="Running",
        )
        self.store.put_pod("daemonset-controller", pod)


def _without(amounts: Amounts, names: frozenset[str]) -> Amounts:
    return tuple((name, amount) for name, amount in amounts if name not in names)


def _mig(amounts: Amounts) -> frozenset[str]:
    return frozenset(name for name, _ in amounts if name.startswith("nvidia.com/"))
