"""Buy the pattern of the best price per value, as often as it fits, until nothing is left.

No linear program. Patterns are recomputed only when they are about to be used and no longer fit: demand only
shrinks, so an old ratio is as good as the new one or better, and the heap stays right.
"""

from __future__ import annotations

from heapq import heapify, heappop, heapreplace

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase import dynamic
from autoscaler.planning.purchase.patterns import PatternMaker
from autoscaler.planning.purchase.problem import Nodes, Pattern, Plan, Problem
from autoscaler.planning.purchase.stock import Stock

TAIL = 8
TAIL_STATES = 64
"""Pods and states left at which the rest is settled exactly."""

MANY = 10_000
"""Templates times classes from which the first patterns are made by numpy, all at once."""

_Entry = tuple[float, int, int, Pattern]


def buy(
    problem: Problem,
    maker: PatternMaker,
    remaining: list[int],
    price: list[float],
    stock: Stock | None = None,
) -> Plan:
    """Nodes for `remaining` pods per class, which are taken off as far as something fits and `stock` allows.

    `price`: per template, what its nodes are compared by (dollars, or dollars and the charges of caps). The nodes
    are taken from `stock`.
    """
    plan: Plan = []
    templates = [t for t in range(len(price)) if stock is None or stock.allowed(t)]
    heap = _first(maker, templates, remaining, price)
    heapify(heap)
    left = sum(remaining)
    while heap and left:
        if left <= TAIL and (tail := _tail(problem, remaining, stock)) is not None:
            return plan + tail
        _, template, order, pattern = heap[0]
        times = min([remaining[cls] // pods for cls, pods in pattern])
        if stock is not None:
            allowed = stock.allowed(template)
            if not allowed:
                heappop(heap)
                continue
            times = min(times, allowed)
            stock.take(template, times)
        if times:
            plan.append(Nodes(template, pattern, times))
            for cls, pods in pattern:
                remaining[cls] -= pods * times
                left -= pods * times
        fresh = _entry(maker, template, order, remaining, price)
        if fresh[3]:
            heapreplace(heap, fresh)
        else:
            heappop(heap)
    return plan


def _first(maker: PatternMaker, templates: list[int], remaining: list[int], price: list[float]) -> list[_Entry]:
    """The entries of all templates before anything is bought."""
    if len(templates) * len(remaining) < MANY:
        entries = [_entry(maker, t, order, remaining, price) for t in templates for order in (0, 1)]
        return [entry for entry in entries if entry[3]]
    chosen, demand = np.array(templates, dtype=np.int64), np.array(remaining, dtype=np.int64)
    entries = []
    for order in (0, 1):
        counts = maker.many(chosen, order, demand)
        worth = (counts @ np.array(maker.values)).tolist()
        for t, row, value in zip(templates, counts, worth, strict=True):
            if value > 0:
                classes = np.flatnonzero(row)
                pattern = tuple(zip(classes.tolist(), row[classes].tolist(), strict=True))
                entries.append((round(price[t] / value, 10), t, order, pattern))
    return entries


def _entry(maker: PatternMaker, template: int, order: int, remaining: list[int], price: list[float]) -> _Entry:
    """(ratio, template, order, pattern); ratios are rounded, so that equal ones are equal at any scale of price."""
    worth, pattern = maker.one(template, order, remaining)
    return (round(price[template] / worth, 10) if pattern else 0.0), template, order, pattern


def _tail(problem: Problem, remaining: list[int], stock: Stock | None) -> Plan | None:
    """The exact end of a plan, if it is small and `stock` allows it; empties `remaining`."""
    tail = dynamic.cover(problem, remaining, TAIL_STATES)
    if tail is None or (stock is not None and not stock.admits(tail)):
        return None
    for nodes in tail:
        for cls, pods in nodes.pattern:
            remaining[cls] -= pods * nodes.number
        if stock is not None:
            stock.take(nodes.template, nodes.number)
    return tail
