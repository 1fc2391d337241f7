"""Spot pools and the pools that stand in for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policies.checks.facts import Facts
from policies.problems import Path, Problem
from policies.suggestions import did_you_mean


def check_fallbacks(pools: Sequence[Facts]) -> Iterator[Problem]:
    """`spot` is for spot pools; its fallbacks exist, are other pools, and lead nowhere back."""
    edges = {facts.name: facts.spec.spot.fallback if facts.spec.spot else () for facts in pools}
    for facts in pools:
        spot = facts.spec.spot
        if spot is None:
            continue
        if facts.spec.capacity_type != "spot":
            message = f"is for spot pools, and this one is {facts.spec.capacity_type}; remove it, or set capacityType"
            yield facts.error(("spec", "spot"), message)
            continue
        for at, name in enumerate(spot.fallback):
            told = _fallback(facts.name, name, name in spot.fallback[:at], edges)
            if told:
                yield facts.error(("spec", "spot", "fallback", at), told)
        yield from _without(facts)
        if "return_after" in spot.model_fields_set:
            path: Path = ("spec", "spot", "returnAfter")
            yield facts.warning(path, "is read, and has no effect yet: spot is tried first whenever nodes are bought")


def _without(facts: Facts) -> Iterator[Problem]:
    """Shares between a pool and its fallbacks, where there is none."""
    spot = facts.spec.spot
    assert spot is not None
    if spot.fallback:
        return
    for key, has_effect in (("onDemandBase", spot.on_demand_base > 0), ("maxShare", spot.max_share < 1)):
        if has_effect:
            yield facts.error(("spec", "spot", key), "has no effect without fallback; name the on-demand pools there")


def _fallback(pool: str, name: str, again: bool, edges: Mapping[str, Sequence[str]]) -> str | None:  # noqa: FBT001
    if name == pool:
        return "a pool cannot fall back to itself; name another pool"
    if name not in edges:
        return f"there is no pool {name}{did_you_mean(name, edges) or '; add it, or remove the name'}"
    if again:
        return f"{name} is given twice; keep one"
    cycle = _cycle(pool, name, edges)
    return f"fallbacks form a cycle: {' -> '.join(cycle)}; cut it" if cycle else None


def _cycle(start: str, first: str, edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The way from `start` over `first` back to `start`, if there is one; only the smallest name reports it."""
    ways = [[start, first]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for following in edges.get(way[-1], ()):
            if following == start:
                return [*way, start] if start == min(way) else None
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None
