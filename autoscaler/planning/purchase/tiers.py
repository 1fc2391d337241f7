"""Which nodes to buy for pods that nothing in the cluster takes, at the least cost within the caps.

A pure function of numbers: no policy, no pod, no clock. What is cheap to say is said first: nothing to buy, caps
already reached, one class, a handful of pods; programs are solved only where the quick answers leave room below them.
"""

from __future__ import annotations

from dataclasses import dataclass

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase import stages
from autoscaler.planning.purchase.market import BoolArray, Bought, FloatArray, IntArray, Market, Purchase, check
from autoscaler.planning.purchase.portfolio import Effort, outer
from autoscaler.planning.purchase.problem import NANO, TOLERANCE, Nodes, Plan, Problem, build, pods_per_node
from autoscaler.planning.purchase.rightsize import merged

NODE_OVERHEAD_USD = 1e-6
"""Added to the price of each node in the objective: of two plans of equal cost the one with fewer nodes is bought."""


def purchase(
    requests: IntArray,
    demand: IntArray,
    market: Market,
    *,
    priority: IntArray | None = None,
    node_overhead_usd: float = NODE_OVERHEAD_USD,
    effort: Effort = Effort.THOROUGH,
) -> Purchase:
    """The cheapest nodes for `demand` (int64[C]) pods of classes with `requests` (int64[C, R]).

    Tiers are used up from the highest down; within one, templates without a known price come last. Caps hold over the
    whole purchase; where they leave pods out, as many as possible are served of the highest `priority` (int64[C]; all
    equal if None), then of the next, and so on. `node_overhead_usd`, dollars an hour above 0, is what a node costs
    beside its price (daemons, addresses, API calls): it steers the choice and is not part of the answer's cost.

    Equal costs: fewer nodes, then lower templates. Raises ValueError if shapes disagree or an amount is negative.
    """
    check(requests, demand, market, priority)
    if not node_overhead_usd > 0:
        raise ValueError(f"node_overhead_usd is {node_overhead_usd}; it has to be above 0")
    goods = _goods(requests, demand, market, node_overhead_usd)
    counters = _counters(market, goods.known)
    sold = _sell(goods, counters, [demand > 0], demand, effort)
    if priority is not None and sold.remaining[goods.fits.any(axis=1)].any():
        levels = [priority == level for level in sorted(set(priority.tolist()), reverse=True)]
        if len(levels) > 1:
            by_level = _sell(goods, counters, levels, demand, effort)
            sold = min(sold, by_level, key=lambda s: [int(s.remaining[level].sum()) for level in levels])
    # Beyond one counter, what a lower tier would have charged is not known.
    bound = sold.bound - node_overhead_usd * sum(nodes.number for nodes in sold.plan) if len(counters) == 1 else 0.0
    return _answer(market, goods, sold, max(0.0, bound))


@dataclass(frozen=True, slots=True, eq=False)
class _Goods:
    """The market in the form of `Problem`, all classes and templates. `bounds`: float64[L]; `known`: bool[T]."""

    requests: IntArray
    capacity: IntArray
    fits: IntArray
    price: FloatArray
    known: BoolArray
    caps: FloatArray
    bounds: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class _Sold:
    """What is bought so far, for the caller's classes and templates."""

    plan: Plan
    remaining: IntArray
    methods: list[str]
    bound: float


def _goods(requests: IntArray, demand: IntArray, market: Market, overhead: float) -> _Goods:
    """Prices by which to compare: unknown ones are guessed from the size of the machine, and only meet each other."""
    known = np.isfinite(market.price)
    price = market.price
    if not known.all():
        largest = np.maximum(market.capacity.max(axis=0, initial=1), 1)
        price = np.where(known, price, (market.capacity / largest[None, :]).mean(axis=1))
    shape = len(market.limits), len(price)
    return _Goods(
        requests=requests,
        capacity=market.capacity,
        fits=pods_per_node(requests, market.capacity, market.compatible, np.maximum(demand, 1)),
        price=price + overhead,
        known=known,
        caps=np.array([limit.coefficients for limit in market.limits], dtype=np.float64).reshape(shape),
        bounds=np.array([limit.bound for limit in market.limits], dtype=np.float64),
    )


def _counters(market: Market, known: BoolArray) -> list[BoolArray]:
    """bool[T] templates that are used up together, in order: by tier, and those of known price first."""
    counters = []
    for tier in sorted(set(market.tier.tolist()), reverse=True):
        of_tier = market.tier == tier
        counters += [chosen for chosen in (of_tier & known, of_tier & ~known) if chosen.any()]
    return counters


def _sell(goods: _Goods, counters: list[BoolArray], levels: list[BoolArray], demand: IntArray, effort: Effort) -> _Sold:
    """Level by level (bool[C] classes, the most important first), each at all counters in their order.

    A counter whose caps leave out pods that no later one takes is asked again, for those pods first.
    """
    sold = _Sold([], demand.copy(), [], 0.0)
    rank = np.zeros(len(demand), dtype=np.int64)
    for i, level in enumerate(levels):
        rank[level] = i
    for level in levels:
        for i, chosen in enumerate(counters):
            if not sold.remaining[level].any():
                break
            after = _served(goods, chosen, level, rank, effort, sold)
            if counters[i + 1 :] and after.remaining[level].any():
                later = _takes(goods, np.any(counters[i + 1 :], axis=0), sold).any(axis=1)
                now_or_never = level & ~later & _takes(goods, chosen, sold).any(axis=1)
                if after.remaining[now_or_never].any():
                    first = _served(goods, chosen, now_or_never, rank, effort, sold)
                    after = _served(goods, chosen, level, rank, effort, first)
            sold = after
    return sold


def _served(goods: _Goods, chosen: BoolArray, level: BoolArray, rank: IntArray, effort: Effort, sold: _Sold) -> _Sold:
    """Serve the classes of a `level` from the `chosen` templates, within the caps; others, by `rank`, may ride."""
    problem = _problem(goods, chosen, sold)
    if problem is None:
        return sold
    wanted = np.where(level[problem.classes], problem.demand, 0)
    order = np.argsort(rank[problem.classes], kind="stable").tolist()
    stage = stages.buy(problem, wanted, _slack(goods, sold), order, effort)
    bought = outer(problem, stage.plan)
    methods = [*sold.methods, stage.method] if bought else sold.methods
    remaining = sold.remaining.copy()
    for nodes in bought:
        for cls, pods in nodes.pattern:
            remaining[cls] -= pods * nodes.number
    bound = stage.bound if not sold.plan and goods.known[chosen].all() else 0.0
    return _Sold(sold.plan + bought, remaining, methods, bound)


def _slack(goods: _Goods, sold: _Sold) -> FloatArray:
    """float64[L]: what the caps leave."""
    count = np.zeros(len(goods.price))
    for nodes in sold.plan:
        count[nodes.template] += nodes.number
    left: FloatArray = goods.bounds - goods.caps @ count
    return left


def _takes(goods: _Goods, chosen: BoolArray, sold: _Sold) -> BoolArray:
    """bool[C, T]: classes with pods left, and those of the `chosen` templates that take them and that caps allow."""
    if len(goods.bounds):
        left = _slack(goods, sold)
        room = (left + TOLERANCE * (1 + np.abs(left)))[:, None]
        chosen = chosen & ((goods.caps <= room) | (goods.caps == 0)).all(axis=0)
    takes: BoolArray = (goods.fits > 0) & chosen[None, :] & (sold.remaining > 0)[:, None]
    return takes


def _problem(goods: _Goods, chosen: BoolArray, sold: _Sold) -> Problem | None:
    """The purchase of what is left on those of the templates of which the caps allow one; None if it is empty."""
    takes = _takes(goods, chosen, sold)
    classes = np.flatnonzero(takes.any(axis=1))
    if not len(classes):
        return None
    templates = np.flatnonzero(takes.any(axis=0))
    return build(
        goods.requests, sold.remaining, goods.capacity, goods.fits, goods.price, goods.caps, classes, templates
    )


def _answer(market: Market, goods: _Goods, sold: _Sold, bound: float) -> Purchase:
    """The plan in the published form: equal nodes together, sorted."""
    plan = merged([Nodes(t, tuple(sorted(pattern)), count) for t, pattern, count in sold.plan])
    nano = [round(price * NANO) for price in np.where(goods.known, market.price, 0.0).tolist()]
    return Purchase(
        bought=tuple(Bought(nodes.template, nodes.number, nodes.pattern) for nodes in plan),
        unserved=sold.remaining,
        impossible=np.logical_not(goods.fits.any(axis=1)),
        cost=sum(nano[nodes.template] * nodes.number for nodes in plan) / NANO,
        unpriced=sum(nodes.number for nodes in plan if not goods.known[nodes.template]),
        method=", then ".join(dict.fromkeys(sold.methods)) or "nothing bought",
        lower_bound=bound,
    )
