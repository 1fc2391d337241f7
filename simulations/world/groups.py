"""The cloud: instance groups that keep their desired size by themselves, and choose victims of their own.

A group launches what is missing and takes away what is too much, as Auto Scaling groups and managed instance groups do;
nobody may rely on which instance it takes (kubernetes/autoscaler#10147).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from autoscaler.model.nodes import ErrorClass, Instance, InstanceGroup, InstanceState, LaunchError
from autoscaler.model.pods import Pod
from simulations.world.core import World
from simulations.world.faults import Gremlin
from simulations.world.records import What
from simulations.world.setup import GroupSetup

ALIVE = (InstanceState.PENDING, InstanceState.RUNNING)
RETRY_S = 60.0
ERRORS_KEPT = 5


@dataclass(slots=True, eq=False)
class Machine:
    """An instance of a group. `node`: the name of its node object, "" before it registers."""

    shown: Instance
    group: Group
    node: str = ""
    born: float = 0.0

    @property
    def id(self) -> str:
        """The instance's id."""
        return self.shown.id

    @property
    def alive(self) -> bool:
        """True until it begins to go."""
        return self.shown.state in ALIVE

    @property
    def leaving(self) -> bool:
        """True once it is being terminated; an instance that failed is not, until somebody asks for it."""
        return self.shown.state in (InstanceState.TERMINATING, InstanceState.TERMINATED)


@dataclass(slots=True, eq=False)
class Group:
    """An instance group. `exists` False: deleted by somebody. `stock`: how many of it the cloud can run."""

    name: str
    setup: GroupSetup
    zone: str
    desired: int = 0
    stock: int = 0
    owned: bool = True
    exists: bool = True
    machines: dict[str, Machine] = field(default_factory=dict)
    errors: tuple[LaunchError, ...] = ()
    retry_at: float = 0.0

    @property
    def alive(self) -> list[Machine]:
        """Those that are not on their way out."""
        return [m for m in self.machines.values() if m.alive]

    def shown(self) -> InstanceGroup:
        """As the cloud reports it."""
        instances = tuple(m.shown for m in self.machines.values())
        return InstanceGroup(
            self.name, self.desired, 0, self.setup.max, instances, errors=self.errors, owned=self.owned
        )


@dataclass(slots=True)
class Groups:
    """All groups of the cloud. `on_launch` and `on_stop` tell the machines' kubelets."""

    world: World
    gremlin: Gremlin
    rng: random.Random
    by_name: dict[str, Group] = field(default_factory=dict)
    machines: dict[str, Machine] = field(default_factory=dict)
    on_launch: Callable[[Machine], None] = lambda _: None
    on_stop: Callable[[Machine], None] = lambda _: None
    pods_on: Callable[[Machine], tuple[Pod, ...]] = lambda _: ()
    version: int = 0
    launched: int = 0

    def set_desired(self, group: Group, size: int, actor: str) -> None:
        """Another size; only people and rebalancers may lower it, and then the group chooses whom to take."""
        before, group.desired = group.desired, size
        self.version += 1
        self.world.tell(actor, What.RAISED, group.name, before=before, after=size)
        group.retry_at = 0.0
        self.world.after(1.0, lambda: self.reconcile(group))

    def reconcile(self, group: Group) -> None:
        """Launch what is missing, take what is too much."""
        alive = group.alive
        if len(alive) > group.desired:
            for machine in self.rng.sample(alive, len(alive) - group.desired):
                self.take(machine, "the group chose it")
        missing = group.desired - len(alive)
        if missing <= 0 or not group.exists or self.world.now < group.retry_at:
            return
        failed: ErrorClass | None = None
        for _ in range(missing):
            if len(group.alive) >= group.stock or self.gremlin.hits("launch_fails"):
                failed = ErrorClass.STOCKOUT
                break
            self.launch(group)
        if failed is not None:
            message = f"no capacity in {group.zone or 'any zone'}"
            group.errors = (*group.errors, LaunchError(self.world.wall(), failed, message))[-ERRORS_KEPT:]
            group.retry_at = self.world.now + RETRY_S
            self.version += 1
            self.world.tell("cloud", What.LAUNCH_FAILED, group.name, why=message)
            self.world.after(RETRY_S, lambda: self.reconcile(group))

    def launch(self, group: Group, *, running: bool = False) -> Machine:
        """A new instance."""
        self.launched += 1
        self.version += 1
        state = InstanceState.RUNNING if running else InstanceState.PENDING
        shown = Instance(f"i-{self.launched:04d}", state, self.world.wall(), group.zone)
        machine = Machine(shown, group, born=self.world.now)
        group.machines[machine.id] = self.machines[machine.id] = machine
        self.world.tell("cloud", What.LAUNCHED, machine.id, group=group.name)
        self.on_launch(machine)
        return machine

    def show(self, machine: Machine, state: InstanceState) -> None:
        """Another state of the instance."""
        machine.shown = replace(machine.shown, state=state)
        self.version += 1

    def terminate(self, machine: Machine, actor: str) -> None:
        """Somebody names this instance: it goes, and the size falls by one."""
        group = machine.group
        group.desired = max(0, group.desired - 1)
        self.world.tell(
            actor, What.TERMINATED, machine.id, group=group.name, node=machine.node, pods=self.pods_on(machine)
        )
        self._stop(machine)

    def take(self, machine: Machine, cause: str) -> None:
        """The cloud takes the instance by itself; the group will replace it."""
        if not machine.alive:
            return
        self.world.tell(
            "cloud",
            What.TAKEN,
            machine.id,
            cause=cause,
            group=machine.group.name,
            node=machine.node,
            pods=self.pods_on(machine),
        )
        self._stop(machine)
        self.world.after(2.0, lambda: self.reconcile(machine.group))

    def _stop(self, machine: Machine) -> None:
        self.show(machine, InstanceState.TERMINATING)
        self.on_stop(machine)
        self.world.after(self.rng.uniform(10, 60), lambda: self._gone(machine))

    def _gone(self, machine: Machine) -> None:
        self.version += 1
        del machine.group.machines[machine.id]
        del self.machines[machine.id]
        self.world.tell("cloud", What.GONE, machine.id, group=machine.group.name)
