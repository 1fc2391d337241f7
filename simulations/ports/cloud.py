"""The instance groups of the fast world.

A group launches at once what the market gives. Where it gives nothing, the launch is refused at once; where it gives
a part, the rest fails a moment later and stands in the group's errors, as scaling activities do. A group does not try
again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from autoscaler.model.failures import LaunchRefused, NotFound, WouldLower
from autoscaler.model.ports import CloudView
from autoscaler.planning.pools import Template
from simulations.cloud import Cloud
from simulations.cluster import World
from simulations.machines import Machine

Order = Callable[[str, int], tuple[Template, str]]
"""What to launch in a group that is raised to a size: the template (its layout is in no call of a cloud) and zone."""
Remove = Callable[[Machine], None]


@dataclass(slots=True)
class CloudPort:
    """All of `autoscaler.model.ports.Cloud`. `order`: what a raise is for; `remove`: an instance is terminated."""

    world: World
    cloud: Cloud
    order: Order
    remove: Remove

    def observe(self) -> CloudView:
        """All groups of the policy."""
        return CloudView(self.world.reports())

    def raise_to(self, group: str, size: int) -> None:
        """Launch what is missing to `size`."""
        have = len(self.world.groups[group].machines)
        if size < have:
            raise WouldLower(f"group {group} has {have} instances, {size} were asked for")
        if size == have:
            return
        template, zone = self.order(group, size)
        refused = self.cloud.launch(template, zone, size - have)
        if refused is not None:
            raise LaunchRefused(refused.code, refused.message)

    def terminate(self, group: str, instances: Sequence[str]) -> None:
        """Terminate these instances."""
        machines = self.world.groups[group].machines
        for instance in instances:
            if instance not in machines:
                raise NotFound(f"group {group} has no instance {instance}")
        for instance in instances:
            self.remove(machines[instance])
