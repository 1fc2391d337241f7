"""The clocks of one machine: the monotonic one runs true, the wall clock may jump."""

from __future__ import annotations

from dataclasses import dataclass

from simulations.world.core import World


@dataclass(frozen=True, slots=True)
class SimClock:
    """A Clock (autoscaler.model.ports) of the machine `name`."""

    world: World
    name: str

    def monotonic(self) -> float:
        """See Clock."""
        return self.world.now

    def wall(self) -> float:
        """See Clock."""
        return self.world.now + self.world.skews.get(self.name, 0.0)
