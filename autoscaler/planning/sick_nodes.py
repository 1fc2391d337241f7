"""Nodes that worked once and have not been Ready for longer than a start may take: lost, and paid for.

Only one that runs nothing goes: the kubelet may be cut off while its pods still work. Pods of other owners are evicted
from such a node by the node controller after five minutes, so that what is left on it is left on purpose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.drain_rules import drain
from autoscaler.planning.plan import NodeState, NodeVerdict, ScaleDown, Verdict
from autoscaler.planning.scale_down import held_by_people

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autoscaler.planning.decide import World
    from autoscaler.planning.drain_rules.rule import Surroundings
    from autoscaler.planning.scale_down import Removals


def remove_sick(world: World, state: Removals, around: Mapping[str, Surroundings]) -> None:
    """Remove lost nodes, the one lost for longest first, as far as health, people and budgets allow."""
    if state.halted is not None:
        return
    lost = [
        (status.since or 0.0, name)
        for name in world.membership.members
        if (status := world.statuses[name]).state is NodeState.NOT_READY and (status.deadline or world.now) <= world.now
    ]
    for since, name in sorted(lost):
        member, template = world.membership.members[name], world.statuses[name].template
        emptied = drain(world.snapshot.pods_by_node.get(name, ()), around[member.pool.name])
        if emptied.blocked is not None or emptied.moving or held_by_people(member.node, member) is not None:
            continue
        if state.budget.obstacle(str(Code.UNHEALTHY)) is not None:
            continue
        state.budget.spend(str(Code.UNHEALTHY))
        reason = Reason.of(Code.UNHEALTHY, condition="Ready", since=since)
        price = template.usd_per_hour if template is not None else None
        state.chosen.append(ScaleDown(member.pool.name, member.group, name, member.instance.id, price, reason))
        state.verdicts[name] = NodeVerdict(
            name, member.pool.name, NodeState.NOT_READY, Verdict.REMOVE, reason, removable_at=world.now
        )
