"""Purchases that the caps bind: as many pods as possible, then at the least cost.

Three greedy rules, since different things are scarce: by price; by price where every class is worth what it costs on
templates that have enough (a pod that could go elsewhere leaves the scarce node to one that could not); and by pods
per part of the caps. Then the exact or the column program with the caps as rows.
"""

from __future__ import annotations

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase import columns, exact, greedy, linear
from autoscaler.planning.purchase.market import FloatArray, IntArray
from autoscaler.planning.purchase.patterns import PatternMaker, alone, shares
from autoscaler.planning.purchase.portfolio import Effort, outer
from autoscaler.planning.purchase.problem import Plan, Problem, restrict
from autoscaler.planning.purchase.rightsize import right_size, top_up
from autoscaler.planning.purchase.stock import Stock

NO_WAY_OUT = 10.0
"""A class that only scarce templates take is worth this many times the dearest other one."""


def most(problem: Problem, bounds: FloatArray, effort: Effort) -> tuple[Plan, str]:
    """The plan that serves the most pods within the caps' `bounds` (float64[L]), the cheapest of those; its method."""
    allowed = _allowed(problem, bounds)
    # More pods than all allowed nodes together take only blow the programs up.
    within = np.minimum(problem.demand, problem.fits @ allowed)
    inner = restrict(problem, within, np.flatnonzero(allowed))
    if not inner.fits.size:
        return [], "nothing bought"
    plan, how = _most(inner, bounds, effort)
    return outer(inner, plan), f"{how} under caps"


def _most(problem: Problem, bounds: FloatArray, effort: Effort) -> tuple[Plan, str]:
    sizes = shares(problem)
    candidates = [
        (how, _greedy(problem, sizes, bounds, values, price)) for how, values, price in _rules(problem, bounds)
    ]
    if effort is Effort.THOROUGH and problem.fits.size > 1 and linear.is_available():
        whole = exact.cover(problem, bounds) if exact.is_small(problem) else None
        if whole is not None:
            candidates.append(("exact", whole))
        else:
            start = [nodes for _, plan in candidates for nodes in plan]
            candidates += columns.cover(problem, sizes, start, bounds)
    finished = [(how, _finish(problem, plan, bounds)) for how, plan in candidates]
    how, plan = min(finished, key=lambda found: (-served(found[1]), problem.cost(found[1])))
    return plan, how


def served(plan: Plan) -> int:
    """Pods of a plan."""
    return sum(nodes.number * sum(pods for _, pods in nodes.pattern) for nodes in plan)


def left_over(problem: Problem, plan: Plan) -> list[int]:
    """Pods per class that a plan does not serve."""
    remaining: list[int] = problem.demand.tolist()
    for nodes in plan:
        for cls, pods in nodes.pattern:
            remaining[cls] -= pods * nodes.number
    return remaining


def _rules(problem: Problem, bounds: FloatArray) -> list[tuple[str, FloatArray, FloatArray]]:
    """(name, value of a pod per class, price of a node per template) of the greedy rules."""
    cheapest = alone(problem, problem.demand)
    enough = problem.fits * _allowed(problem, bounds)[None, :] >= problem.demand[:, None]
    with np.errstate(divide="ignore"):
        elsewhere = np.where(enough & (problem.fits > 0), problem.price[None, :] / problem.fits, np.inf).min(axis=1)
    dearest = max(float(cheapest.max()), float(elsewhere[np.isfinite(elsewhere)].max(initial=0.0)))
    regret = np.where(np.isfinite(elsewhere), elsewhere, NO_WAY_OUT * dearest)
    part = (problem.caps / np.maximum(bounds, 1e-9)[:, None]).sum(axis=0)
    # The price decides between templates that take the same part of the caps.
    scarce = part + 1e-6 * problem.price / problem.price.max()
    return [
        ("greedy patterns", cheapest, problem.price),
        ("greedy patterns by regret", regret, problem.price),
        ("greedy patterns by scarcity", np.ones(len(cheapest)), scarce),
    ]


def _allowed(problem: Problem, bounds: FloatArray) -> IntArray:
    """int64[T]: nodes of a template that the caps allow if no other is bought, at most one for each pod."""
    stock, pods = Stock(problem, bounds), int(problem.demand.sum())
    return np.array([min(stock.allowed(t), pods) for t in range(len(problem.price))], dtype=np.int64)


def _greedy(
    problem: Problem, sizes: tuple[FloatArray, FloatArray], bounds: FloatArray, values: FloatArray, price: FloatArray
) -> Plan:
    """Greedy patterns within the caps."""
    maker = PatternMaker(problem, sizes, values)
    return greedy.buy(problem, maker, problem.demand.tolist(), price.tolist(), Stock(problem, bounds))


def _finish(problem: Problem, plan: Plan, bounds: FloatArray) -> Plan:
    """Fill what room is left, then right-size."""
    plan = top_up(problem, plan, left_over(problem, plan), range(len(problem.demand)))
    stock = Stock(problem, bounds)
    for nodes in plan:
        stock.take(nodes.template, nodes.number)
    return right_size(problem, plan, stock)
