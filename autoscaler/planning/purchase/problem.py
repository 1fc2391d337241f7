"""The purchase as the algorithms see it: only classes with demand, only templates that can take one of them.

Money is compared in whole nano-dollars, so that equal costs are equal in whatever order they were added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import BoolArray, FloatArray, IntArray

NANO = 1_000_000_000
TOLERANCE = 1e-9
"""Relative: 0.1 + 0.2 dollars are within a cap of 0.3."""

Pattern = tuple[tuple[int, int], ...]
"""(class, pods) of one node, sorted by class, no zeros."""


class Nodes(NamedTuple):
    """`number` new nodes of a template, each filled with `pattern`."""

    template: int
    pattern: Pattern
    number: int


Plan = list[Nodes]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """C classes and T templates under their own numbers; `classes` and `templates` lead back to the caller's.

    Classes are sorted, dearest first (the order of first-fit decreasing, and what breaks ties), whatever order the
    caller had. `fits`: int64[C, T], pods of a class that an empty node takes, at most its demand, 0 where none.
    `price`: float64[T], the objective in dollars an hour, above 0; `nano`: the same, whole nano-dollars.
    `needs`: per class its non-zero requests as (resource, amount), the scarcest first. `rooms`: `capacity` as lists.
    `caps`: float64[L, T]; `charges`: per template its non-zero entries there as (cap, coefficient).
    """

    requests: IntArray
    demand: IntArray
    capacity: IntArray
    fits: IntArray
    price: FloatArray
    nano: list[int]
    caps: FloatArray
    classes: IntArray
    templates: IntArray
    needs: list[Pattern]
    rooms: list[list[int]]
    charges: list[list[tuple[int, float]]]

    def cost(self, plan: Plan) -> tuple[int, int]:
        """Nano-dollars an hour of the objective, and nodes."""
        nano = self.nano
        return sum(nano[n.template] * n.number for n in plan), sum(n.number for n in plan)


def pods_per_node(requests: IntArray, capacity: IntArray, compatible: BoolArray, demand: IntArray) -> IntArray:
    """int64[C, T]: how many pods of a class an empty node takes, at most `demand`, 0 where not compatible."""
    fits = np.where(compatible, demand[:, None], 0)
    for resource in range(requests.shape[1]):
        request = requests[:, resource]
        if request.any():
            share = capacity[None, :, resource] // np.maximum(request, 1)[:, None]
            np.minimum(fits, np.where(request[:, None] > 0, share, fits), out=fits)
    return fits


def build(
    requests: IntArray,
    demand: IntArray,
    capacity: IntArray,
    fits: IntArray,
    price: FloatArray,
    caps: FloatArray,
    classes: IntArray,
    templates: IntArray,
) -> Problem:
    """The problem of `classes` on `templates` (numbers of rows and columns of the other arguments).

    Each class has to have demand and a template that takes it.
    """
    fits = np.minimum(fits[np.ix_(classes, templates)], demand[classes][:, None])
    price = price[templates]
    capacity = capacity[templates]
    requests = requests[classes]
    with np.errstate(divide="ignore"):
        alone = (price[None, :] / fits).min(axis=1, initial=np.inf)
    size = (requests / np.maximum(capacity.max(axis=0, initial=1), 1)[None, :]).sum(axis=1)
    order = np.lexsort((classes, demand[classes], -size, -np.round(alone, 9)))
    classes, requests = classes[order], requests[order]
    weight = capacity.max(axis=0, initial=1).tolist()
    return Problem(
        requests=requests,
        demand=demand[classes],
        capacity=capacity,
        fits=fits[order],
        price=price,
        nano=[round(p * NANO) for p in price.tolist()],
        caps=caps[:, templates],
        classes=classes,
        templates=templates,
        needs=[_needs(row, weight) for row in requests.tolist()],
        rooms=capacity.tolist(),
        charges=_charges(caps[:, templates]),
    )


def restrict(problem: Problem, demand: Sequence[int] | IntArray, templates: IntArray | None = None) -> Problem:
    """The same problem with another demand (classes without any are dropped), and fewer templates if given.

    Classes that none of the templates takes are dropped too.
    """
    left = np.asarray(demand, dtype=np.int64)
    chosen = np.arange(len(problem.price)) if templates is None else templates
    alive = np.flatnonzero((left > 0) & problem.fits[:, chosen].any(axis=1))
    used = chosen[problem.fits[np.ix_(alive, chosen)].any(axis=0)]
    fits = np.where(problem.fits > 0, 1, 0)
    # `fits` is at most the old demand; ask again, the demand may have grown.
    fits = pods_per_node(problem.requests, problem.capacity, fits > 0, left)
    return build(problem.requests, left, problem.capacity, fits, problem.price, problem.caps, alive, used)


def _needs(row: list[int], weight: list[int]) -> Pattern:
    """Non-zero requests, those that are the largest part of the largest machine first: they fail first."""
    pairs = [(r, q) for r, q in enumerate(row) if q]
    return tuple(sorted(pairs, key=lambda pair: -pair[1] / max(weight[pair[0]], 1)))


def _charges(caps: FloatArray) -> list[list[tuple[int, float]]]:
    """Per template the caps that it counts against."""
    charges: list[list[tuple[int, float]]] = [[] for _ in range(caps.shape[1])]
    for template, cap in np.argwhere(caps.T > 0).tolist():
        charges[template].append((cap, float(caps[cap, template])))
    return charges
