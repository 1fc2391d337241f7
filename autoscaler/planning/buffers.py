"""Nodes that no pending pod asks for: minimums, and the warm buffer that keeps idle capacity ready.

No pause pods: the buffer is a number that the plan fills up and that scale-down does not eat. Capacity on its way
counts, and the buffer counts inside the minimum, not on top of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.market import Shop
from autoscaler.planning.pools import Policies, Pool, Template
from policies import buffers as rules


@dataclass(frozen=True, slots=True)
class PoolCount:
    """Nodes of a pool before buffers are filled: `idle` ready and unreserved, `coming_idle` on their way and not
    spoken for, `busy` all others (planned ones included), `size` everything."""

    idle: int = 0
    coming_idle: int = 0
    busy: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class Filled:
    """A node that was planned without a pod: its row and why."""

    row: int
    template: Template
    reason: Reason


def wanted_idle(pool: Pool, busy: int, now: float) -> int:
    """Idle nodes that the pool's warm buffer wants now."""
    if pool.warm_buffer is None:
        return 0
    return rules.wanted_idle(pool.warm_buffer, busy_nodes=busy, gpus_per_node=max(1, pool.gpus), now=now)


def fill_up(
    shop: Shop, policies: Policies, counts: Mapping[str, PoolCount], now: float
) -> tuple[list[Filled], dict[str, int]]:
    """Plan nodes up to each pool's minimum, then up to its buffer; the nodes, and the idle nodes each pool wants."""
    filled: list[Filled] = []
    wanted: dict[str, int] = {}
    for pool in policies.pools:
        count = counts.get(pool.name, PoolCount())
        wanted[pool.name] = wanted_idle(pool, count.busy, now)
        by_minimum: list[Filled] = []
        lacking = pool.min_nodes - shop.caps.pool_size(pool) if pool.min_nodes else 0
        if lacking > 0:
            by_minimum = _add(shop, pool, lacking, Reason.of(Code.MIN_NODES, min=pool.min_nodes))
        idle = count.idle + count.coming_idle + len(by_minimum)
        filled += by_minimum
        if wanted[pool.name] > idle:
            reason = Reason.of(Code.WARM_BUFFER, wanted=wanted[pool.name], idle=idle)
            filled += _add(shop, pool, wanted[pool.name] - idle, reason)
    return filled, wanted


def _add(shop: Shop, pool: Pool, number: int, reason: Reason) -> list[Filled]:
    """Add up to `number` nodes of the pool's cheapest open templates, spread over its groups."""
    added: list[Filled] = []
    for _ in range(number):
        open_ = [t for t in shop.templates if t.pool == pool.name and shop.caps.headroom(t) > 0]
        if not open_:
            break
        cheapest = min(shop.price_of(t) for t in open_)
        first_layout = next(t.layout for t in pool.templates)
        family = [t for t in open_ if shop.price_of(t) == cheapest]
        template = shop.pick([t for t in family if t.layout == first_layout] or family)
        added.append(Filled(shop.add_node(template), template, reason))
    return added
