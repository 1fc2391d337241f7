"""The virtual cloud: launches that come, or do not; machines that boot, are taken away, or are given back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from autoscaler.model.nodes import ErrorClass, LaunchError
from autoscaler.planning.pools import Template
from simulations.clock import Agenda, Rank
from simulations.cluster import World
from simulations.machines import Machine
from simulations.runs import Run
from simulations.supply import PoolSupply, Supply

RESLICE_S = 60.0
"""How long a new MIG layout takes on an idle node: the device plugin stops, the GPUs are cut anew, it starts again."""

REFUSED_AFTER_S = 1.0
"""So long after a launch the failure of a part of it is reported."""


def _nothing(_: object) -> None:
    """Nobody listens."""


def _silent() -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Cloud:
    """Carries out what the controller asks for. A refused launch is not tried again by the cloud itself.

    `told`: what happened, one call an event with words for a person. `on_room`: there is room that was not there;
    `on_loss`: these jobs have lost their nodes.
    """

    world: World
    supply: Supply
    agenda: Agenda
    told: Callable[[str], None] = _nothing
    on_room: Callable[[], None] = _silent
    on_loss: Callable[[Sequence[Run]], None] = _nothing
    now: float = 0.0
    launched: Counter[str] = field(default_factory=Counter)
    removed: Counter[str] = field(default_factory=Counter)
    interruptions: Counter[str] = field(default_factory=Counter)
    stockouts: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        """Enter what the market will do by itself."""
        for at, pool in self.supply.changes():
            self.agenda.add(at, Rank.SUPPLY, lambda pool=pool: self._shrink(pool))  # type: ignore[misc]
        for at, pool in self.supply.losses():
            self.agenda.add(at, Rank.SUPPLY, lambda pool=pool: self._lose_all(pool))  # type: ignore[misc]
        for machine in list(self.world.machines.values()):
            if machine.pool:
                self._plan_loss(machine)

    def launch(self, template: Template, zone: str, count: int) -> LaunchError | None:
        """Ask for `count` nodes of a template; the refusal if the market gives none of them.

        Where it gives a part of them, that part comes, and the group reports a moment later that the rest does not.
        """
        market = self.supply.pools[template.pool]
        for done in range(count):
            if not market.in_stock(zone, len(self.world.running(template.pool)), self.now):
                if not done:
                    return self._refuse(template, zone)
                self.agenda.add(self.now + REFUSED_AFTER_S, Rank.SUPPLY, lambda: self._refuse_rest(template, zone))
                return None
            self._launch_one(template, zone, market)
        return None

    def _refuse(self, template: Template, zone: str) -> LaunchError:
        self.stockouts[template.pool] += 1
        self.told(f"no capacity for {template.pool} in {zone or 'any zone'}")
        message = f"no capacity for {template.instance_type or template.pool} in {zone or 'any zone'}"
        return self.world.refuse(template.group, ErrorClass.STOCKOUT, message, self.now)

    def _refuse_rest(self, template: Template, zone: str) -> None:
        self._refuse(template, zone)

    def _launch_one(self, template: Template, zone: str, market: PoolSupply) -> None:
        machine = self.world.launch(template, zone, self.now, market.boot_s())
        self.launched[template.pool] += 1
        machine.boot_entry = self.agenda.add(machine.ready_at, Rank.NODE, lambda: self._boot(machine))
        self._plan_loss(machine)

    def _plan_loss(self, machine: Machine) -> None:
        life = self.supply.pools[machine.pool].life_s()
        if life is not None:
            machine.loss_entry = self.agenda.add(self.now + life, Rank.INTERRUPTION, lambda: self._lose(machine))

    def _boot(self, machine: Machine) -> None:
        self.world.boot(machine, self.now)
        self.told(f"{machine.name} is ready")
        self.on_room()

    def _lose(self, machine: Machine) -> None:
        self.interruptions[machine.pool] += 1
        self.told(f"{machine.name} was taken away by the cloud")
        self._end(machine, "Interrupted")

    def _shrink(self, pool: str) -> None:
        """The market gives fewer nodes than run: the excess is lost."""
        market, running = self.supply.pools[pool], self.world.running(pool)
        excess = len(running) - market.limit(self.now)
        if excess > 0:
            by_id = {m.id: m for m in running}
            for victim in market.victims(list(by_id), int(excess)):
                self._lose(by_id[victim])

    def _lose_all(self, pool: str) -> None:
        for machine in self.world.running(pool):
            self._lose(machine)

    def remove(self, machine: Machine, cause: str) -> None:
        """The controller gives a machine back; pods on it, if any, are evicted first."""
        self.removed[machine.pool] += 1
        self._end(machine, cause)

    def _end(self, machine: Machine, cause: str) -> None:
        self.agenda.cancel(machine.boot_entry)
        self.agenda.cancel(machine.loss_entry)
        self.on_loss(self.world.end(machine, cause, self.now))

    def evict(self, machine: Machine, pods: Iterable[str]) -> None:
        """Take jobs off a node that is about to be removed, by the keys of their pods there."""
        owners = self.world.owners
        runs = {owners[key].number: owners[key] for key in pods if key in owners and key in machine.pods}
        for number in sorted(runs):
            self.world.unbind(runs[number], self.now)
        self.on_loss([runs[number] for number in sorted(runs)])

    def reslice(self, machine: Machine, template: Template) -> None:
        """Give the GPUs of an idle node another MIG layout."""
        self.world.start_reslicing(machine, template.layout or "")
        self.told(f"{machine.name} gets the MIG layout {template.layout}")

        def done() -> None:
            if machine.ended_at is None:
                self.world.end_reslicing(machine, template, self.now)
                self.on_room()

        self.agenda.add(self.now + RESLICE_S, Rank.NODE, done)
