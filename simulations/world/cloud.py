"""The Cloud port of one controller in the world."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.failures import LaunchRefused, NotFound, WouldLower
from autoscaler.model.nodes import ErrorClass, InstanceGroup
from autoscaler.model.ports import CloudView
from simulations.world.core import World
from simulations.world.faults import Gremlin
from simulations.world.groups import Group, Groups
from simulations.world.records import What

STALE_S = 45.0


@dataclass(slots=True)
class SimCloud:
    """A Cloud (autoscaler.model.ports). `actor`: the controller's name."""

    world: World
    groups: Groups
    gremlin: Gremlin
    actor: str
    _served: deque[tuple[float, Mapping[str, InstanceGroup]]] = field(default_factory=lambda: deque(maxlen=4))
    _kept: tuple[int, Mapping[str, InstanceGroup]] | None = None

    def observe(self) -> CloudView:
        """See Cloud."""
        groups = self._now()
        gremlin = self.gremlin
        old = [view for at, view in self._served if self.world.now - at <= STALE_S]
        self._served.append((self.world.now, groups))
        if not gremlin.any:
            return CloudView(groups)
        if old and gremlin.hits("stale_cloud"):
            self._tell("an old view")
            return CloudView(gremlin.rng.choice(old))
        if gremlin.hits("failed_group") and groups:
            name = gremlin.rng.choice(sorted(groups))
            self._tell(f"{name} cannot be read")
            return CloudView({n: g for n, g in groups.items() if n != name}, {name: "simulated"})
        return CloudView(groups)

    def _now(self) -> Mapping[str, InstanceGroup]:
        if self._kept is None or self._kept[0] != self.groups.version:
            shown = {name: g.shown() for name, g in self.groups.by_name.items() if g.exists}
            self._kept = (self.groups.version, shown)
        return self._kept[1]

    def raise_to(self, group: str, size: int) -> None:
        """See Cloud."""
        found = self._group(group)
        if size < found.desired:
            raise WouldLower(f"{group} has {found.desired}, {size} was asked for")
        if size == found.desired:
            return
        if self.gremlin.hits("refusal"):
            self._tell(f"{group}: refused, no capacity")
            raise LaunchRefused(ErrorClass.STOCKOUT, "simulated: no capacity")
        self.groups.set_desired(found, size, self.actor)

    def terminate(self, group: str, instances: Sequence[str]) -> None:
        """See Cloud."""
        found = self._group(group)
        for name in instances:
            machine = found.machines.get(name)
            if machine is None:
                raise NotFound(f"{name} is not in {group}")
            if not machine.leaving:
                self.groups.terminate(machine, self.actor)

    def _group(self, name: str) -> Group:
        found = self.groups.by_name.get(name)
        if found is None or not found.exists:
            raise NotFound(f"there is no group {name}")
        return found

    def _tell(self, kind: str) -> None:
        self.world.tell(self.actor, What.FAULT, "cloud", kind=kind)
