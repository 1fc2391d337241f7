"""Column generation: a linear program over patterns, whose prices of pods lead to better patterns, and so on.

After the last round the fractions are rounded down and the rest is bought greedily, once with the prices of the
program and once with the price per pod alone; while rounding matters, whole numbers of the columns found are tried
too. Budgets are rounds and columns, never seconds.
"""

from __future__ import annotations

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase import greedy
from autoscaler.planning.purchase.linear import NotSolvedError
from autoscaler.planning.purchase.market import FloatArray, IntArray
from autoscaler.planning.purchase.master import Column, Master, Relaxed
from autoscaler.planning.purchase.patterns import PatternMaker, alone
from autoscaler.planning.purchase.problem import Plan, Problem

ROUNDS = 20
WORK = 12_000_000
"""Most rounds, and most classes times patterns tried in all of them: about one second."""

PER_ROUND = 120
SEEDED = 150
SEEDED_PER_TEMPLATE = 2
SEEDS = 4000
"""Most patterns tried from a seed in a round."""

BETTER = 1e-7
"""Relative worth over price from which a pattern improves the program."""

STALL = 2e-4
"""A relative step of the objective below which seeded patterns are tried."""

END = 2e-4
"""Relative progress over three rounds below which the search ends."""

WHOLE_PODS = 3000
WHOLE_CLASSES = 100
"""Up to here the columns are also chosen from in whole numbers; beyond it rounding costs little."""

WHOLE_NODES = 10
"""Branch-and-bound nodes for that."""

WHOLE_GAP = 5e-4
"""Relative gap for that."""


def cover(
    problem: Problem, sizes: tuple[FloatArray, FloatArray], start: Plan, bounds: FloatArray | None
) -> list[tuple[str, Plan]]:
    """(method, plan) for the whole demand, or as much of it as the caps' `bounds` (float64[L]) allow.

    `sizes`: `patterns.shares`. `start`: nodes of other plans, to begin with their patterns. Empty if the solver fails.
    """
    try:
        master, relaxed = _generate(problem, sizes, start, bounds)
    except NotSolvedError:
        return []
    plans = [("column generation", plan) for plan in _rounded(problem, sizes, master, relaxed)]
    if int(problem.demand.sum()) <= WHOLE_PODS and len(problem.demand) <= WHOLE_CLASSES:
        master.add((nodes.template, nodes.pattern) for _, plan in plans for nodes in plan)
        whole = master.whole(WHOLE_NODES, WHOLE_GAP)
        if whole is not None:
            plans.append(("whole columns", whole))
    return plans


def _generate(
    problem: Problem, sizes: tuple[FloatArray, FloatArray], start: Plan, bounds: FloatArray | None
) -> tuple[Master, Relaxed]:
    """The program with the columns found, and its last answer with fractions."""
    master = Master(problem, bounds)
    master.add(_alone(problem))
    master.add((nodes.template, nodes.pattern) for nodes in start)
    relaxed = master.relax()
    history = [np.inf, np.inf, relaxed.objective]
    per_round = len(problem.demand) * (2 * len(problem.price) + min(SEEDS, int((problem.fits > 0).sum())))
    for _ in range(min(ROUNDS, max(2, WORK // per_round))):
        maker = PatternMaker(problem, sizes, relaxed.values)
        better, ranked = _patterns(problem, maker, relaxed)
        added = master.add(better)
        if not added or history[-2] - history[-1] < STALL * history[-1]:
            added += master.add(_seeded(problem, maker, relaxed, ranked))
        if not added:
            break
        relaxed = master.relax()
        history.append(relaxed.objective)
        if history[-4] - history[-1] < END * history[-1]:
            break
    return master, relaxed


def _rounded(problem: Problem, sizes: tuple[FloatArray, FloatArray], master: Master, relaxed: Relaxed) -> list[Plan]:
    """The columns rounded down, and the rest greedily: by the program's values, and by price alone."""
    at_least = alone(problem, problem.demand)
    # A class without a price in the program rides along; it still has to be bought if it is left over.
    guided = np.where(relaxed.values > at_least * 1e-6, relaxed.values, at_least * 1e-3)
    plans = []
    for values, price in ((guided, relaxed.price), (None, problem.price), (at_least, problem.price)):
        remaining, stock = problem.demand.tolist(), master.stock()
        base = master.take(relaxed.amounts, remaining, stock)
        maker = PatternMaker(problem, sizes, alone(problem, remaining) if values is None else values)
        plans.append(base + greedy.buy(problem, maker, remaining, price.tolist(), stock))
    return plans


def _alone(problem: Problem) -> list[Column]:
    """Each class by itself on the template with the least price per pod: with these every demand can be met."""
    with np.errstate(divide="ignore"):
        template = np.where(problem.fits > 0, problem.price[None, :] / problem.fits, np.inf).argmin(axis=1)
    return [(t, ((cls, int(problem.fits[cls, t])),)) for cls, t in enumerate(template.tolist())]


def _patterns(problem: Problem, maker: PatternMaker, relaxed: Relaxed) -> tuple[list[Column], IntArray]:
    """The better of both orders per template where it improves the program, best first; and all templates so sorted."""
    every = np.arange(len(problem.price))
    by_order = [maker.many(every, order, problem.demand) for order in (0, 1)]
    worth = [counts @ relaxed.values for counts in by_order]
    counts = np.where((worth[0] >= worth[1])[:, None], by_order[0], by_order[1])
    ratio = np.maximum(worth[0], worth[1]) / relaxed.price
    ranked = np.argsort(-ratio, kind="stable")
    return [_column(t, counts[t]) for t in ranked[:PER_ROUND].tolist() if ratio[t] > 1 + BETTER], ranked


def _seeded(problem: Problem, maker: PatternMaker, relaxed: Relaxed, ranked: IntArray) -> list[Column]:
    """Patterns that start with one pod of a class, for every class on every template: what density alone overlooks.

    By the dominant share only: with the other order too, programs were 0.002 % better and took a third longer.

    `ranked`: templates, the most promising first; `SEEDS` may not go round.
    """
    at, classes = np.nonzero(problem.fits.T[ranked])
    templates, classes = ranked[at[:SEEDS]], classes[:SEEDS]
    counts = maker.many(templates, 0, problem.demand, classes)
    ratio = counts @ relaxed.values / relaxed.price[templates]
    found: list[Column] = []
    per_template: dict[int, int] = {}
    for row in np.argsort(-ratio, kind="stable").tolist():
        template = int(templates[row])
        if ratio[row] <= 1 + BETTER or len(found) == SEEDED:
            break
        if per_template.get(template, 0) < SEEDED_PER_TEMPLATE:
            per_template[template] = per_template.get(template, 0) + 1
            found.append(_column(template, counts[row]))
    return found


def _column(template: int, counts: IntArray) -> Column:
    return template, tuple([(cls, pods) for cls, pods in enumerate(counts.tolist()) if pods])
