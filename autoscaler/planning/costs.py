"""What the fleet costs an hour: now, after the plan, and for nodes that do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from autoscaler.planning.plan import Cost, NodeState, ScaleUp, Terminate
from autoscaler.planning.removals import Decided
from autoscaler.planning.use_of_nodes import use_on

if TYPE_CHECKING:
    from autoscaler.planning.decide import World


def cost_of(world: World, scale_up: Sequence[ScaleUp], removals: Decided, terminate: Sequence[Terminate]) -> Cost:
    """Instances that run or start cost their price; launches that are still owed cost nothing yet."""
    now = idle = 0.0
    unpriced = 0
    prices: dict[str, float] = {}
    for name, member in world.membership.members.items():
        status = world.statuses[name]
        price = status.template.usd_per_hour if status.template else None
        if price is None:
            unpriced += 1
            continue
        prices[member.instance.id] = price
        now += price
        if status.state is NodeState.READY and use_on(world, name).idle:
            idle += price
    for instance, group, pool in world.membership.unregistered:
        template = next(iter(pool.templates_of(group)), None)
        if template is None or template.usd_per_hour is None:
            unpriced += 1
            continue
        prices[instance.id] = template.usd_per_hour
        now += template.usd_per_hour
    added = sum((order.usd_per_hour or 0.0) * order.count for order in scale_up)
    gone = {item.instance for item in removals.scale_down} | {item.instance for item in terminate}
    saved = sum(prices.get(instance, 0.0) for instance in sorted(gone))
    return Cost(round(now, 6), round(now + added - saved, 6), round(idle, 6), unpriced)
