"""The virtual cluster and cloud at one instant, and what can happen to them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from autoscaler.control.claims import is_marked
from autoscaler.model.nodes import ErrorClass, InstanceGroup, LaunchError, Node
from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import Pod
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import Policies, Template
from simulations.machines import Machine, node_of, resliced, reslicing
from simulations.room import Room
from simulations.runs import Run

KEPT_ERRORS = 5
"""Launch errors that a group reports, the newest ones (clouds keep a short history)."""


@dataclass(slots=True)
class Group:
    """An instance group: its machines, and the launches that failed. `report` is kept until something changes."""

    name: str
    machines: dict[str, Machine] = field(default_factory=dict)
    errors: tuple[LaunchError, ...] = ()
    report: InstanceGroup | None = None

    def as_reported(self) -> InstanceGroup:
        """The group as the cloud shows it."""
        if self.report is None:
            instances = tuple(m.instance for m in self.machines.values())
            self.report = InstanceGroup(self.name, len(instances), instances=instances, errors=self.errors)
        return self.report


@dataclass(slots=True)
class Gauges:
    """What there is now: nodes, GPUs and dollars an hour, kept up to date with every change."""

    booting: int = 0
    ready: int = 0
    idle: int = 0
    booting_gpus: int = 0
    ready_gpus: int = 0
    used_gpus: float = 0.0
    usd_per_hour: float = 0.0

    @property
    def busy_gpus(self) -> float:
        """`used_gpus` without what sums of binary fractions leave behind."""
        return round(self.used_gpus, 6) + 0.0


@dataclass(slots=True)
class World:
    """Machines, pods and groups. Instants are handed in; nothing here knows what comes next.

    `base`: the objects of the starting cluster that never change (volumes, daemon sets, budgets, …).
    `past`: machines that are gone, in the order in which they went. `machine_changes` counts machines that came, became
    nodes, changed or went; `idle_flips` counts nodes that began or ended to be in use. `version` counts the writes to
    nodes, and is their resourceVersion.
    """

    policies: Policies
    room: Room
    base: Snapshot = field(default_factory=Snapshot)
    groups: dict[str, Group] = field(default_factory=dict)
    machines: dict[str, Machine] = field(default_factory=dict)
    past: list[Machine] = field(default_factory=list)
    gauges: Gauges = field(default_factory=Gauges)
    owners: dict[str, Run] = field(default_factory=dict)
    pods: dict[str, Pod] = field(default_factory=dict)
    machine_changes: int = 0
    idle_flips: int = 0
    gangs: dict[str, GangSpec] = field(default_factory=dict)
    _by_name: dict[str, Machine] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list)
    _keys: list[tuple[str, str, str]] = field(default_factory=list)
    version: int = 0
    _launched: int = 0
    _ended: list[Pod] = field(default_factory=list)
    _nodes: tuple[Node, ...] | None = None
    _pods: tuple[Pod, ...] | None = None
    _snapshot: Snapshot | None = None

    def __post_init__(self) -> None:
        self.groups = {name: Group(name) for pool in self.policies.pools for name in pool.groups}

    def snapshot(self) -> Snapshot:
        """The cluster as it is, without the cloud; the same value as long as nothing has changed.

        Pods that ran to their end are listed once more, as finished ones: they vanish no other way.
        """
        if self._nodes is None:
            there = [self._by_name[name].node for name in self._names]
            self._nodes = tuple([node for node in there if node is not None])
            self._snapshot = None
        if self._pods is None:
            pods = [self.pods[key] for _, _, key in self._keys]
            if self._ended:
                pods = sorted([*pods, *self._ended], key=lambda pod: (pod.namespace, pod.name))
                self._ended = []
            self._pods = tuple(pods)
            self._snapshot = None
        if self._snapshot is None:
            gangs = {**self.base.gangs, **self.gangs}
            self._snapshot = replace(self.base, nodes=self._nodes, pods=self._pods, gangs=gangs, derived={})
        return self._snapshot

    def reports(self) -> dict[str, InstanceGroup]:
        """The groups as the cloud shows them."""
        return {name: group.as_reported() for name, group in self.groups.items()}

    @property
    def is_draining(self) -> bool:
        """True while a node carries anything of a drain."""
        return any(m.node is not None and is_marked(m.node) for m in self.machines.values())

    def machine(self, node: str) -> Machine:
        """The machine behind a node."""
        return self._by_name[node]

    def find(self, node: str) -> Machine | None:
        """The machine behind a node, None where the node is gone."""
        return self._by_name.get(node)

    def running(self, pool: str) -> list[Machine]:
        """The machines of a pool, booting ones included, in order of launch."""
        return [m for m in self.machines.values() if m.pool == pool]

    # Machines

    def launch(self, template: Template, zone: str, now: float, boot_s: float) -> Machine:
        """A new instance of the template's group; it is a node once it has booted."""
        self._launched += 1
        number = f"{self._launched:06d}"
        machine = Machine(
            id=f"i-{number}",
            name=f"{template.pool}-{number}",
            pool=template.pool,
            template=template,
            zone=zone,
            launched_at=now,
            ready_at=now + boot_s,
            price=template.usd_per_hour,
            counted_to=now,
            cutoff=self.policies.cluster.priority_cutoff,
        )
        self._enter(machine)
        self.gauges.booting += 1
        self.gauges.booting_gpus += machine.gpus
        return machine

    def adopt(self, machine: Machine, node: Node) -> None:
        """A machine that is there from the beginning, or (pool "") a node that no pool owns."""
        self._enter(machine)
        machine.booted = True
        self._register(machine, node)

    def refuse(self, group: str, code: ErrorClass, message: str, now: float) -> LaunchError:
        """A launch failed: the group does not try again by itself, and reports the error."""
        found, error = self.groups[group], LaunchError(now, code, message)
        found.errors = (*found.errors, error)[-KEPT_ERRORS:]
        found.report = None
        return error

    def boot(self, machine: Machine, now: float) -> None:
        """The instance has become a usable node."""
        machine.counted_to = machine.ready_at = now
        machine.booted = True
        self.gauges.booting -= 1
        self.gauges.booting_gpus -= machine.gpus
        self._register(machine, node_of(machine, now))
        self.groups[machine.template.group].report = None

    def end(self, machine: Machine, cause: str, now: float) -> list[Run]:
        """The instance is gone; the jobs that ran on it, which have lost all their pods, in order of their numbers."""
        machine.count_to(now)
        hit = {self.owners[key].number: self.owners[key] for key in machine.pods if key in self.owners}
        for number in sorted(hit):
            self.unbind(hit[number], now)
        for key in list(machine.pods):
            machine.drop_pod(key, now)
            self._drop(key)
        self._leave(machine)
        machine.ended_at = now
        machine.cause = cause
        self.past.append(machine)
        return [hit[number] for number in sorted(hit)]

    def start_reslicing(self, machine: Machine, layout: str) -> None:
        """The MIG layout of an idle node is being changed: its devices are gone for a while."""
        assert machine.node is not None
        self._reopen(machine, reslicing(machine.node, layout))

    def end_reslicing(self, machine: Machine, template: Template, now: float) -> None:
        """The new layout is in place."""
        assert machine.node is not None
        machine.count_to(now)
        machine.template = template
        self._reopen(machine, resliced(machine.node, template))

    def _reopen(self, machine: Machine, node: Node) -> None:
        self.machine_changes += 1
        node = self._write(machine, node)
        self.room.close(machine.name)
        self.room.open(node, [pod.spec.requests for pod in machine.pods.values()])

    def change(self, machine: Machine, node: Node) -> Node:
        """The node object is written to: labels, annotations, taints, cordon; it with its new version."""
        node = self._write(machine, node)
        self.room.change(node)
        return node

    def _write(self, machine: Machine, node: Node) -> Node:
        self.version += 1
        self._nodes = None
        machine.node = replace(node, resource_version=str(self.version))
        return machine.node

    def _enter(self, machine: Machine) -> None:
        self.machine_changes += 1
        self.machines[machine.id] = machine
        self.gauges.usd_per_hour += machine.usd_per_hour
        if machine.pool:
            group = self.groups[machine.template.group]
            group.machines[machine.id] = machine
            group.report = None

    def _register(self, machine: Machine, node: Node) -> None:
        self.machine_changes += 1
        node = self._write(machine, node)
        self._by_name[machine.name] = machine
        insort(self._names, machine.name)
        self.room.open(node)
        self.gauges.ready += 1
        self.gauges.idle += 1
        self.gauges.ready_gpus += machine.gpus

    def _leave(self, machine: Machine) -> None:
        self.machine_changes += 1
        del self.machines[machine.id]
        if machine.pool:
            group = self.groups[machine.template.group]
            del group.machines[machine.id]
            group.report = None
        gauges = self.gauges
        gauges.usd_per_hour -= machine.usd_per_hour
        if machine.booted:
            self._nodes = None
            self._ended = [pod for pod in self._ended if pod.node != machine.name]
            del self._by_name[machine.name]
            self._names.pop(bisect_left(self._names, machine.name))
            self.room.close(machine.name)
            gauges.ready -= 1
            gauges.idle -= 1
            gauges.ready_gpus -= machine.gpus
        else:
            gauges.booting -= 1
            gauges.booting_gpus -= machine.gpus

    # Pods

    def submit(self, run: Run, now: float) -> None:
        """The pods of a job come into being."""
        run.create_pods(now)
        if run.gang is not None:
            self.gangs[run.gang.key] = run.gang
        for pod in run.pods:
            self.owners[pod.key] = run
            self._put(pod)

    def bind(self, run: Run, names: Iterable[str], now: float) -> None:
        """The pods of a job have a node each; the room on it was taken already."""
        run.bind(tuple(self._by_name[name] for name in names), now)
        for pod, machine in zip(run.pods, run.machines, strict=True):
            self._start(pod, machine, now)
            self.pods[pod.key] = pod
        self._pods = None

    def settle(self, pod: Pod, machine: Machine, now: float) -> None:
        """A pod that comes and goes with its node (of a DaemonSet); its room is taken here."""
        self._start(pod, machine, now)
        self.room.take(machine.name, pod.spec)
        self._put(pod)

    def resume(self, run: Run, machine: Machine, now: float) -> None:
        """A pod of the starting cluster that runs on one of its nodes already; its room is taken here."""
        self.submit(run, now)
        self.room.take(machine.name, run.item.specs[0])
        self.bind(run, [machine.name], now)

    def finish(self, run: Run, now: float) -> None:
        """The pods of a job have done their work."""
        self.unbind(run, now)
        self._ended += [replace(pod, phase="Succeeded") for pod in run.pods]

    def unbind(self, run: Run, now: float) -> None:
        """The pods of a job leave their nodes and are deleted."""
        assert run.started_at is not None
        for pod, machine in zip(run.pods, run.machines, strict=True):
            before, worked = machine.used_gpus, machine.working
            machine.drop_pod(pod.key, now)
            share = (before - machine.used_gpus) / machine.gpus if machine.gpus else 1.0
            run.usd += share * machine.usd_per_hour * (now - run.started_at) / 3600
            self.gauges.used_gpus -= before - machine.used_gpus
            if worked and not machine.working:
                self.gauges.idle += 1
                self.idle_flips += 1
            self.room.release(machine.name, pod.spec)
        self.forget(run)

    def forget(self, run: Run) -> None:
        """The pods of a job are deleted."""
        for pod in run.pods:
            del self.owners[pod.key]
            self._drop(pod.key)
        if run.gang is not None:
            self.gangs.pop(run.gang.key, None)

    def nodes_of(self, run: Run) -> Sequence[str]:
        """The nodes of a running job's pods, in the order of the pods."""
        return [machine.name for machine in run.machines]

    def _start(self, pod: Pod, machine: Machine, now: float) -> None:
        before, worked = machine.used_gpus, machine.working
        machine.add_pod(pod, now)
        self.gauges.used_gpus += machine.used_gpus - before
        if machine.working and not worked:
            self.gauges.idle -= 1
            self.idle_flips += 1

    def _put(self, pod: Pod) -> None:
        if pod.key not in self.pods:
            insort(self._keys, (pod.namespace, pod.name, pod.key))
        self.pods[pod.key] = pod
        self._pods = None

    def _drop(self, key: str) -> None:
        pod = self.pods.pop(key)
        self._pods = None
        self._keys.pop(bisect_left(self._keys, (pod.namespace, pod.name, key)))
