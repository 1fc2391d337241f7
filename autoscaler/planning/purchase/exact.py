"""Small batches exactly: every maximal pattern of every template, and the best whole number of each."""

from __future__ import annotations

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import FloatArray
from autoscaler.planning.purchase.master import Column, Master
from autoscaler.planning.purchase.maximal import maximal
from autoscaler.planning.purchase.problem import Plan, Problem

PODS = 200
CLASSES = 8
"""Most pods and classes of a small batch."""

LOOKS = 20_000
"""Most partial patterns to look at: about 40 ms."""

COLUMNS = 1_500
"""Most patterns to choose from: HiGHS takes about 0.1 s for these."""

SEARCH_NODES = 200
"""Most branch-and-bound nodes; most batches need one."""

GAP = 1e-7
"""Relative gap at which an answer counts as optimal."""


def is_small(problem: Problem) -> bool:
    """True if `cover` is worth a try."""
    return len(problem.demand) <= CLASSES and int(problem.demand.sum()) <= PODS


def cover(problem: Problem, bounds: FloatArray | None) -> Plan | None:
    """The cheapest plan, serving as many pods as the caps' `bounds` (float64[L]) allow; None if it is too large."""
    columns = _columns(problem, by_price=bounds is None)
    if not columns:
        return None
    master = Master(problem, bounds)
    master.add(columns)
    return master.whole(SEARCH_NODES, GAP if bounds is None else 0.0)


def _columns(problem: Problem, *, by_price: bool) -> list[Column] | None:
    """Maximal patterns; `by_price`: each only for the template that holds it at the least price."""
    demand = problem.demand.tolist()
    fits = (problem.fits > 0).T.tolist()
    columns: list[Column] = []
    known: set[tuple[int, ...]] = set()
    looks = LOOKS
    for template in np.lexsort((np.arange(len(problem.price)), problem.price)).tolist():
        limit = [pods if fit else 0 for pods, fit in zip(demand, fits[template], strict=True)]
        looked = maximal(problem.needs, limit, problem.rooms[template], looks)
        if looked is None:
            return None
        looks -= looked[1]
        for counts in looked[0]:
            if not (by_price and counts in known):
                known.add(counts)
                columns.append((template, tuple([(cls, pods) for cls, pods in enumerate(counts) if pods])))
        if len(columns) > COLUMNS:
            return None
    return columns
