"""One tier of a market, for some of the classes: without caps if they do not bind, else as much as they allow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autoscaler.planning.purchase.capped import left_over, most
from autoscaler.planning.purchase.market import FloatArray, IntArray
from autoscaler.planning.purchase.portfolio import Effort, cheapest, outer
from autoscaler.planning.purchase.problem import Plan, Problem, restrict
from autoscaler.planning.purchase.rightsize import merged, top_up
from autoscaler.planning.purchase.stock import Stock


@dataclass(frozen=True, slots=True)
class Stage:
    """What a tier gives. `bound`: dollars an hour that its pods cost at least, 0.0 if some are left out."""

    plan: Plan
    method: str
    bound: float


def buy(problem: Problem, wanted: IntArray, bounds: FloatArray, order: Iterable[int], effort: Effort) -> Stage:
    """The nodes for `wanted` (int64[C], at most the demand) within the caps' `bounds` (float64[L]).

    First as if there were no caps: if that keeps them, it is the answer. Other pods of the problem get the room left
    on the nodes, in `order` of the classes.
    """
    some = bool((wanted < problem.demand).any())
    inner = restrict(problem, wanted) if some else problem
    if not inner.fits.size:
        return Stage([], "nothing bought", 0.0)
    found = cheapest(inner, effort)
    plan, how, bound = found.plan, found.method, found.bound
    if not Stock(inner, bounds).admits(plan):
        plan, how = most(inner, bounds, effort)
        bound = 0.0 if any(left_over(inner, plan)) else bound
    if some:
        plan = outer(inner, plan)
        plan = top_up(problem, plan, left_over(problem, plan), order)
    return Stage(merged(plan), how, bound)
