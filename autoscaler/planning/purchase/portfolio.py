"""The cheapest plan without caps: several methods, the best answer wins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase import bounds, columns, dynamic, exact, firstfit, greedy, linear
from autoscaler.planning.purchase.dominance import components, undominated
from autoscaler.planning.purchase.patterns import PatternMaker, alone, shares
from autoscaler.planning.purchase.problem import NANO, Nodes, Plan, Problem, restrict
from autoscaler.planning.purchase.rightsize import right_size

CLOSE = 1e-6
"""A plan within this of a lower bound, relative, is not improved upon."""

FEW = 16
"""Templates up to which a few pods are bought exactly before anything is pruned: pruning would cost more."""


class Effort(Enum):
    """How much work an answer is worth. Both are deterministic."""

    QUICK = "quick"
    """Patterns, first fit, and dynamic programming: no solver, a few milliseconds."""

    THOROUGH = "thorough"
    """Also whole-numbered programs for small batches and column generation for large ones: up to some 0.1 s."""


@dataclass(frozen=True, slots=True)
class Found:
    """A plan, the method that found it, and dollars an hour that any plan costs at least."""

    plan: Plan
    method: str
    bound: float


def cheapest(problem: Problem, effort: Effort) -> Found:
    """The cheapest plan for the whole demand, caps aside."""
    if len(problem.price) <= FEW and (found := _exactly(problem)) is not None:
        return found
    kept = undominated(problem)
    parts = components(problem, kept)
    if len(parts) == 1 and len(kept) == len(problem.price):
        return _part(problem, effort)
    plan: Plan = []
    methods: set[str] = set()
    bound = 0.0
    for classes, templates in parts:
        demand = np.zeros_like(problem.demand)
        demand[classes] = problem.demand[classes]
        part = restrict(problem, demand, templates)
        found = _part(part, effort)
        plan += outer(part, found.plan)
        methods.add(found.method)
        bound += found.bound
    return Found(plan, "+".join(sorted(methods)), bound)


def outer(inner: Problem, plan: Plan) -> Plan:
    """A plan of a restricted problem in the numbers of the one it came from."""
    classes, templates = inner.classes.tolist(), inner.templates.tolist()
    return [
        Nodes(templates[t], tuple(sorted([(classes[cls], pods) for cls, pods in pattern])), count)
        for t, pattern, count in plan
    ]


def _exactly(problem: Problem) -> Found | None:
    """The optimum, if the pods are few."""
    plan = dynamic.cover(problem, problem.demand.tolist())
    return None if plan is None else Found(plan, "dynamic programming", problem.cost(plan)[0] / NANO)


def _part(problem: Problem, effort: Effort) -> Found:
    """The cheapest plan of classes that compete for the same templates."""
    found = _exactly(problem)
    if found is not None:
        return found
    demand = problem.demand.tolist()
    sizes = shares(problem)
    values = alone(problem, demand)
    price = problem.price.tolist()
    patterns = greedy.buy(problem, PatternMaker(problem, sizes, values), demand, price)
    candidates = [
        ("greedy patterns", right_size(problem, patterns)),
        ("first fit", right_size(problem, firstfit.buy(problem))),
    ]
    bound = bounds.quick(problem)
    best = min(candidates, key=lambda found: problem.cost(found[1]))
    if effort is Effort.QUICK or problem.cost(best[1])[0] <= bound * (1 + CLOSE) * NANO or not linear.is_available():
        return Found(best[1], best[0], bound)
    if exact.is_small(problem) and (whole := exact.cover(problem, None)) is not None:
        candidates.append(("exact", right_size(problem, whole)))
    else:
        start = [nodes for _, plan in candidates for nodes in plan]
        candidates += [(how, right_size(problem, plan)) for how, plan in columns.cover(problem, sizes, start, None)]
    best = min(candidates, key=lambda found: problem.cost(found[1]))
    return Found(best[1], best[0], bound)
