"""One verdict for each pool: what it has, what it wants, and whether it can grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.plan import NodeState, PoolState, PoolVerdict
from autoscaler.planning.pool_health import PoolHealth
from autoscaler.planning.pools import Pool
from autoscaler.planning.removals import Decided
from autoscaler.planning.rows import Kind
from autoscaler.planning.scale_up import Served

if TYPE_CHECKING:
    from autoscaler.planning.decide import World


def pool_verdicts(
    world: World, served: Served, wanted_idle: Mapping[str, int], removals: Decided
) -> tuple[PoolVerdict, ...]:
    """Verdicts in the order of names. `coming` counts what was on its way before this plan."""
    ready: defaultdict[str, int] = defaultdict(int)
    for name, member in world.membership.members.items():
        if world.statuses[name].state is NodeState.READY:
            ready[member.pool.name] += 1
    coming: defaultdict[str, int] = defaultdict(int)
    for place in served.placement.places:
        if place.kind is Kind.COMING and place.pool is not None:
            coming[place.pool] += 1
    out: list[PoolVerdict] = []
    for pool in world.policies.pools:
        health = world.health[pool.name]
        state, reason = _state(pool, health, served)
        out.append(
            PoolVerdict(
                pool=pool.name,
                ready=ready[pool.name],
                coming=coming[pool.name],
                idle=removals.idle.get(pool.name, 0),
                wanted_idle=wanted_idle.get(pool.name, 0),
                state=state,
                # A full pool shows as such by its state; that its template is wrong is said nowhere else.
                reason=world.drift.get(pool.name, reason) if health.blocked is None else reason,
                backoff_until=health.until,
                failures=health.failures,
            )
        )
    return tuple(out)


def _state(pool: Pool, health: PoolHealth, served: Served) -> tuple[PoolState, Reason | None]:
    blocked = health.blocked
    if blocked is not None:
        match blocked.code:
            case Code.BACKOFF:
                return PoolState.BACKOFF, blocked
            case Code.FAILURE_LIMIT:
                return PoolState.FAILURE_LIMIT, blocked
            case Code.CONFIG_ERROR:
                return PoolState.CONFIG_ERROR, blocked
            case _:
                return PoolState.DEGRADED, blocked
    caps = served.shop.caps
    if caps.pool_size(pool) >= pool.max_nodes:
        return PoolState.AT_MAX, Reason.of(Code.AT_MAX, max=pool.max_nodes)
    return PoolState.HEALTHY, None
