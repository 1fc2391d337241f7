"""Spot pools beside their on-demand fallbacks: a base of on-demand nodes, and a maximum share of spot.

Both depend on how many nodes there will be in all, so the purchase is made once without them and, where the
outcome breaks a rule, again with the number of spot nodes bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autoscaler.planning.caps import Caps
from autoscaler.planning.placement import count
from autoscaler.planning.pools import Policies, Pool
from autoscaler.planning.scale_up import Served, Sources
from autoscaler.planning.units import Unit

AT_THE_MARGIN = 1e-6  # of the price of a reservation
ROUNDS = 3  # the total can grow when spot is bounded; it settles at once unless shapes differ


def serve_within_share(
    units: Sequence[Unit],
    sources: Sources,
    policies: Policies,
    serve: Callable[[Sequence[Unit], Sources, dict[str, int]], Served],
) -> Served:
    """Serve the units with every spot pool inside its rules, as far as its fallbacks can take the rest."""
    bounds: dict[str, int] = {}
    served = free = serve(units, sources, bounds)
    ruled = [p for p in policies.pools if p.capacity_type == "spot" and p.spot.fallback and _has_rule(p)]
    for _ in range(ROUNDS if ruled else 0):
        tighter = {p.name: bound for p in ruled if (bound := _bound(p, policies, served.shop.caps, bounds)) is not None}
        if not tighter:
            break
        bounds = {**bounds, **tighter}
        served = serve(units, sources, bounds)
    if _left(served) > _left(free):
        # The fallbacks cannot take their share: a pod runs on spot sooner than it waits for a place on demand.
        bounds = {p.name: _relaxed(p, policies, free.shop.caps, served.shop.caps) for p in ruled if p.name in bounds}
        relaxed = serve(units, sources, bounds)
        served = relaxed if _left(relaxed) < _left(served) else served
    return served


def _left(served: Served) -> int:
    """Pods that got no place."""
    return sum(count(rest) for _, rest in served.unserved) + sum(unit.count for unit, _ in served.short)


def _relaxed(pool: Pool, policies: Policies, free: Caps, bounded: Caps) -> int:
    """Spot nodes of a pool when its fallbacks give what they have and spot the rest."""
    others = [policies.by_name[name] for name in pool.spot.fallback if name in policies.by_name]
    wanted = free.pool_size(pool) + sum(free.pool_size(p) for p in others)
    return max(bounded.pool_size(pool), wanted - sum(bounded.pool_size(p) for p in others))


def _has_rule(pool: Pool) -> bool:
    return pool.spot.on_demand_base > 0 or pool.spot.max_share < 1.0


def _bound(pool: Pool, policies: Policies, caps: Caps, bounds: dict[str, int]) -> int | None:
    """How many spot nodes the pool may have, if it has more now; None if it keeps its rules."""
    spot = caps.pool_size(pool)
    others = [policies.by_name[name] for name in pool.spot.fallback if name in policies.by_name]
    total = spot + sum(caps.pool_size(p) for p in others)
    allowed = min(int(pool.spot.max_share * total + 1e-9), max(0, total - pool.spot.on_demand_base))
    if spot <= allowed or bounds.get(pool.name, spot) < allowed:
        return None
    return min(allowed, bounds.get(pool.name, allowed))


def planning_prices(policies: Policies) -> Mapping[int, float]:
    """Prices to plan with, by the identity of the template.

    A fallback is never cheaper than the spot pool it stands in for, nor than the fallback before it, so that they are
    tried in the order of the list. By GPU, for nodes may differ in size. A reservation is paid for, used or not: it
    costs next to nothing, in the order of its prices (zalando-incubator/kubernetes-on-aws#11623).
    """
    kept: dict[int, float] | None = policies.derived.get("planning-prices")
    if kept is None:
        kept = policies.derived["planning-prices"] = _planning_prices(policies)
    return kept


def _planning_prices(policies: Policies) -> dict[int, float]:
    reserved = (t for p in policies.pools if p.capacity_type == "reserved" for t in p.templates)
    prices = {id(t): AT_THE_MARGIN * (t.usd_per_hour or 1.0) for t in reserved}
    for pool in policies.pools:
        least = max(
            (t.usd_per_hour / max(1, t.gpus) for t in pool.templates if t.usd_per_hour is not None), default=0.0
        )
        for name in pool.spot.fallback:
            fallback = policies.by_name.get(name)
            least *= 1 + 1e-9
            for template in fallback.templates if fallback and least else ():
                floor = least * max(1, template.gpus)
                prices[id(template)] = max(template.usd_per_hour or 0.0, floor, prices.get(id(template), 0.0))
            planned = [prices[id(t)] / max(1, t.gpus) for t in (fallback.templates if fallback and least else ())]
            least = max([least, *planned])
    return prices
