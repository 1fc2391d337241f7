"""Judges of a purchase that share no code with it: a checker of plans and a search through all of them."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from autoscaler.planning.purchase import Limit, Market, Purchase
from autoscaler.planning.purchase.market import IntArray


def market(
    capacity: list[list[int]],
    price: list[float],
    *,
    classes: int = 1,
    compatible: list[list[bool]] | None = None,
    limits: list[tuple[list[float], float]] | None = None,
    tier: list[int] | None = None,
) -> Market:
    """A market from plain lists; everything compatible, one tier, no limits unless said."""
    templates = len(price)
    return Market(
        capacity=np.array(capacity, dtype=np.int64).reshape(templates, -1 if templates else 3),
        price=np.array(price, dtype=np.float64),
        compatible=np.ones((classes, templates), dtype=bool)
        if compatible is None
        else np.array(compatible, dtype=bool),
        limits=tuple(Limit(np.array(c, dtype=np.float64), bound) for c, bound in limits or []),
        tier=np.array(tier if tier is not None else [0] * templates, dtype=np.int64),
    )


def check(requests: IntArray, demand: IntArray, offer: Market, bought: Purchase) -> None:
    """Place every pod of the plan again, one by one, and count the nodes against the limits."""
    served = np.zeros(len(demand), dtype=np.int64)
    nodes = np.zeros(len(offer.price), dtype=np.int64)
    cost = 0.0
    for group in bought.bought:
        assert group.count > 0
        assert group.pattern, "an empty node"
        nodes[group.template] += group.count
        cost += group.count * (float(offer.price[group.template]) if np.isfinite(offer.price[group.template]) else 0.0)
        free = [int(amount) for amount in offer.capacity[group.template]]
        for cls, pods in group.pattern:
            assert pods > 0
            assert offer.compatible[cls, group.template]
            served[cls] += pods * group.count
            for _ in range(pods):
                free = [room - int(request) for room, request in zip(free, requests[cls], strict=True)]
        assert min(free) >= 0, "a node over its capacity"
    assert (served + bought.unserved == demand).all()
    assert (bought.unserved >= 0).all()
    for limit in offer.limits:
        # Of a limit that is exceeded already, nothing that counts against it may be bought.
        assert float(limit.coefficients @ nodes) <= max(0.0, limit.bound + 1e-6)
    assert abs(cost - bought.cost) < 1e-6 * max(1.0, cost)


def best(requests: IntArray, demand: IntArray, offer: Market) -> tuple[int, float]:
    """(pods served, cost) of the best plan of all: the most pods, then the least cost. For about six pods.

    Every way to split the pods into groups, every template for each group, every set of pods left out.
    """
    pods = [cls for cls, n in enumerate(demand.tolist()) for _ in range(n)]
    templates = range(len(offer.price))

    @cache
    def holds(group: tuple[int, ...], template: int) -> bool:
        total = sum((requests[pods[i]] for i in group), np.zeros(requests.shape[1], dtype=np.int64))
        fine = all(offer.compatible[pods[i], template] for i in group)
        return fine and bool((total <= offer.capacity[template]).all())

    def within(nodes: tuple[int, ...]) -> bool:
        return all(float(limit.coefficients @ np.array(nodes)) <= limit.bound + 1e-9 for limit in offer.limits)

    @cache
    def search(left: tuple[int, ...], nodes: tuple[int, ...]) -> tuple[int, float]:
        if not left:
            return 0, 0.0
        head, rest = left[0], left[1:]
        found = search(rest, nodes)  # the first pod goes without
        for size in range(len(rest) + 1):
            for others in combinations(rest, size):
                group = (head, *others)
                for template in templates:
                    more = tuple(n + (t == template) for t, n in enumerate(nodes))
                    if not holds(group, template) or not within(more):
                        continue
                    served, cost = search(tuple(i for i in rest if i not in others), more if offer.limits else nodes)
                    option = (served + len(group), cost + float(offer.price[template]))
                    if (-option[0], option[1]) < (-found[0], found[1] - 1e-12):
                        found = option
        return found

    return search(tuple(range(len(pods))), (0,) * len(offer.price))
