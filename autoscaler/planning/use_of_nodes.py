"""The use of each node, computed once a snapshot and pool rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autoscaler.planning.drain_rules.terminating import is_overdue
from autoscaler.planning.pools import ScaleDownRules
from autoscaler.planning.utilization import Use, use_of

if TYPE_CHECKING:
    from autoscaler.planning.decide import World

DEFAULT = ScaleDownRules()


def use_on(world: World, name: str) -> Use:
    """The use of a node by the pods bound to it."""
    found = world.uses.get(name)
    if found is None:
        member = world.membership.members.get(name)
        down = member.pool.scale_down if member else DEFAULT
        allocatable = world.snapshot.nodes_by_name[name].allocatable
        pods = world.snapshot.pods_by_node.get(name, ())
        dying = any(p.deleted_at is not None for p in pods)
        if dying:
            # One that is stuck in its deletion does no work: it would hold the node for ever.
            pods = tuple(p for p in pods if not is_overdue(p, world.now))
        found = use_of(pods, allocatable, down, world.policies.cluster)
        if not dying:  # kept with the snapshot, so only what time does not change
            world.uses[name] = found
    return found


def is_unused(world: World, name: str) -> bool:
    """True if no pod that does work is bound to the node."""
    return not use_on(world, name).pods
