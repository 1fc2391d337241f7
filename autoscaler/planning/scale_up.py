"""Serve the demand: what exists first, then what is on its way, then what can be had back, then what must be bought.

First everything is bought at once, which is cheapest. Only if something stays unserved and there are gangs, units are
served one after the other, each gang whole or not at all, so that limits cut off whole gangs and never halves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.lazy_numpy import np
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.freeing import wait_for_room
from autoscaler.planning.market import Shop
from autoscaler.planning.one_by_one import buy_one_by_one
from autoscaler.planning.placement import Placement, Remaining, best_choice, count, merge
from autoscaler.planning.places import Places
from autoscaler.planning.rows import Place, RowMaker
from autoscaler.planning.units import Unit


@dataclass(slots=True)
class Served:
    """The state after scale-up. `unserved`: what each unit still lacks. `short`: gangs that were left out whole."""

    shop: Shop
    unserved: list[tuple[Unit, Remaining]] = field(default_factory=list)
    short: list[tuple[Unit, Reason]] = field(default_factory=list)

    @property
    def placement(self) -> Placement:
        """Which pods went where."""
        return self.shop.placement


@dataclass(frozen=True, slots=True)
class Sources:
    """Where capacity may come from. `resliceable`: idle nodes with the layouts they could have instead. `ending`: pods
    by node that are about to leave it.

    By class: `is_accelerated` asks for accelerators, `is_simple` can be bought for by arithmetic, `looks_at_room_alone`
    does not care what other pods are on a node.
    """

    places: Places
    resliceable: tuple[Place, ...]
    nominated: tuple[tuple[int, Pod], ...]
    ending: Mapping[str, tuple[Pod, ...]]
    maker: RowMaker
    new_shop: Callable[[], Shop]
    is_accelerated: Sequence[bool]
    is_simple: Sequence[bool]
    looks_at_room_alone: Sequence[bool]


def serve(units: Sequence[Unit], sources: Sources, spot_bound: Mapping[str, int]) -> Served:
    """Place and buy for all units. `spot_bound`: nodes that spot pools may have (see `spot_share`)."""
    together = _all_together(units, sources, spot_bound)
    if not together.unserved or not any(u.gang for u in units):
        return together
    return _one_after_the_other(units, sources, spot_bound)


def _start(sources: Sources, spot_bound: Mapping[str, int]) -> Shop:
    shop = sources.new_shop()
    shop.caps.spot_bound.update(spot_bound)
    placement = shop.placement
    placement.add(sources.places.fixed)
    rows = {p.node: i for i, p in enumerate(placement.places) if p.node}
    for cls, pod in sources.nominated:
        # The scheduler has made room by preemption and said where: that room is spoken for.
        placement.put(cls, (pod,), rows[pod.nominated_node])
    return shop


def unmet(units: Sequence[Unit], sources: Sources) -> tuple[Shop, list[tuple[Unit, Remaining]]]:
    """What nothing takes that is there, on its way, or can be had back; and the shop in which that was found out."""
    shop = _start(sources, {})
    left = [(unit, rest) for unit in units if (rest := _existing(shop.placement, unit))]
    return shop, _regain(shop, left, sources)


def _all_together(units: Sequence[Unit], sources: Sources, spot_bound: Mapping[str, int]) -> Served:
    shop = _start(sources, spot_bound)
    left: list[tuple[Unit, Remaining]] = []
    for unit in units:
        rest = _existing(shop.placement, unit)
        if rest:
            left.append((unit, rest))
    left = _regain(shop, left, sources)
    if left:
        shop.last = True
        left = _buy_for(shop, left, sources)
    return Served(shop, left)


def _existing(placement: Placement, unit: Unit) -> Remaining:
    """Place a unit on the rows there are; a gang that must share a domain takes the first that holds all of it."""
    if not unit.topology_key:
        spreads = any(pods[0].spec.spread for pods in unit.pods.values())
        return placement.fill_unit(placement.fill_ready(unit.pods) if spreads else unit.pods)
    for value in placement.domains(unit.topology_key):
        token = placement.mark()
        if not placement.fill_unit(unit.pods, placement.rows_in(unit.topology_key, value)):
            return {}
        placement.rollback(token)
    return dict(unit.pods)


def _regain(shop: Shop, left: list[tuple[Unit, Remaining]], sources: Sources) -> list[tuple[Unit, Remaining]]:
    """Capacity that costs nothing more: coming nodes that may choose a layout, our drains, idle nodes re-sliced."""
    placement = shop.placement
    left = wait_for_room(placement, left, sources.ending, sources.looks_at_room_alone) if sources.ending else left
    for place in sources.places.flexible:
        options = _variants(place, sources.maker)
        chosen = best_choice(placement, options, [rest for _, rest in left]) or 0
        left = _use(placement, options[chosen], left)
    for place in sources.places.draining if left else ():
        if best_choice(placement, [place], [rest for _, rest in left]) is not None:
            left = _use(placement, place, left)
    used = {placement.places[row].node for row in placement.used_rows()}
    for place in sources.resliceable if left else ():
        if place.node in used:
            continue
        options = _variants(place, sources.maker)
        chosen_ = best_choice(placement, options, [rest for _, rest in left])
        if chosen_ is not None:
            left = _use(placement, options[chosen_], left)
    return left


def _variants(place: Place, maker: RowMaker) -> list[Place]:
    pods = place.row.pods
    return [
        Place(maker.empty(t, place.row.name, pods), place.kind, place.node, place.pool, t, place.choices)
        for t in place.choices
    ]


def _use(placement: Placement, place: Place, left: list[tuple[Unit, Remaining]]) -> list[tuple[Unit, Remaining]]:
    row = placement.add([place])[0]
    after = [(unit, placement.fill_unit(rest, [row])) for unit, rest in left]
    return [(unit, rest) for unit, rest in after if rest]


def _buy_for(shop: Shop, left: list[tuple[Unit, Remaining]], sources: Sources) -> list[tuple[Unit, Remaining]]:
    """Buy for everything that is left: pods that look at others first, then GPU pods, then the rest into the gaps."""
    unserved: dict[int, tuple[Pod, ...]] = {}
    for unit, rest in left:
        if unit.topology_key:
            missing = _buy_in_one_domain(shop, unit, rest, sources)
            unserved = merge([unserved, missing])
    open_ = merge(rest for unit, rest in left if not unit.topology_key)
    for cls in [c for c in open_ if not sources.is_simple[c]]:
        missing_pods = buy_one_by_one(shop, cls, open_.pop(cls))
        if missing_pods:
            unserved[cls] = unserved.get(cls, ()) + missing_pods
    for accelerated in (True, False):
        part = {c: pods for c, pods in open_.items() if sources.is_accelerated[c] is accelerated}
        if shop.bought:
            part = _into_gaps(shop, part, sources)
        if part:
            unserved = merge([unserved, shop.buy(part, alike=shop.last)])
    return _by_unit(left, unserved)


def _into_gaps(shop: Shop, part: Remaining, sources: Sources) -> Remaining:
    """Place pods on nodes bought before. Those that keep apart by host do not take part: rows may share a name."""
    rows = np.array([row for row, _ in shop.bought], dtype=np.int64)
    alone = {c: pods for c, pods in part.items() if sources.looks_at_room_alone[c]}
    left = shop.placement.fill_unit(alone, rows)
    return {c: left.get(c, ()) if c in alone else pods for c, pods in part.items() if c not in alone or left.get(c)}


def _by_unit(
    left: list[tuple[Unit, Remaining]], unserved: Mapping[int, tuple[Pod, ...]]
) -> list[tuple[Unit, Remaining]]:
    missing = {p.key for pods in unserved.values() for p in pods}
    out: list[tuple[Unit, Remaining]] = []
    for unit, rest in left if missing else ():
        lacks = {cls: tuple(p for p in pods if p.key in missing) for cls, pods in rest.items()}
        lacks = {cls: pods for cls, pods in lacks.items() if pods}
        if lacks:
            out.append((unit, lacks))
    return out


def _buy_in_one_domain(shop: Shop, unit: Unit, rest: Remaining, sources: Sources) -> Remaining:
    """Buy a gang's nodes in one topology domain, the cheapest that holds all of it. {} on success, else `rest`."""
    best: tuple[float, str] | None = None
    for value in sorted({v for t in shop.templates if (v := t.labels.get(unit.topology_key))}):
        token, before = shop.mark(), shop.caps.usd
        if not _try_domain(shop, unit, rest, value, sources):
            price = shop.caps.usd - before
            best = min(best, (price, value)) if best else (price, value)
        shop.rollback(token)
    if best is None:
        return rest
    return _try_domain(shop, unit, rest, best[1], sources)


def _try_domain(shop: Shop, unit: Unit, rest: Remaining, value: str, sources: Sources) -> Remaining:
    only = [t for t in shop.templates if t.labels.get(unit.topology_key) == value]
    left = shop.placement.fill_unit(rest, shop.placement.rows_in(unit.topology_key, value))
    for cls in [c for c in left if not sources.is_simple[c]]:
        missing = buy_one_by_one(shop, cls, left.pop(cls), only)
        if missing:
            return {cls: missing}
    return shop.buy(left, only) if left else {}


def _one_after_the_other(units: Sequence[Unit], sources: Sources, spot_bound: Mapping[str, int]) -> Served:
    """Units in order; a gang that cannot be whole gives back what it took and leaves it to those behind it."""
    shop = _start(sources, spot_bound)
    result = Served(shop)
    regained = False
    short: dict[str, Reason] = {}
    for unit in units:
        if unit.beyond in short:
            result.short.append((unit, short[unit.beyond]))
            continue
        token = shop.mark()
        rest = _existing(shop.placement, unit)
        left = [(unit, rest)] if rest else []
        regains = bool(left) and not regained
        if regains:
            left = _regain(shop, left, sources)
        if left:
            left = _buy_for(shop, left, sources)
        if left and unit.gang:
            have = unit.count - count(left[0][1])
            shop.rollback(token)
            short[unit.gang] = _gang_reason(shop, unit, have, sources)
            result.short.append((unit, short[unit.gang]))
            continue
        regained = regained or regains
        result.unserved += left
    if not regained:
        _regain(shop, [], sources)  # nodes on their way count, whether somebody is left to use them or not
    return result


def _gang_reason(shop: Shop, unit: Unit, have: int, sources: Sources) -> Reason:
    """GangTopology where the gang would fit if only it might be spread over domains, else GangShort."""
    if unit.topology_key and _room_over_domains(shop, unit, sources) >= unit.count:
        return Reason.of(Code.GANG_TOPOLOGY, topologyKey=unit.topology_key, need=unit.count)
    return Reason.of(Code.GANG_SHORT, have=have, need=unit.count)


def _room_over_domains(shop: Shop, unit: Unit, sources: Sources) -> int:
    """How many of the gang's pods all its domains hold together, each taken for itself."""
    values = {v for t in shop.templates if (v := t.labels.get(unit.topology_key))}
    served = 0
    for value in sorted(values.union(shop.placement.domains(unit.topology_key))):
        token = shop.mark()
        served += unit.count - count(_try_domain(shop, unit, dict(unit.pods), value, sources))
        shop.rollback(token)
    return served
