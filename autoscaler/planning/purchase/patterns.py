"""Greedy patterns: what to put on a new node of each template, given what a pod of each class is worth.

A pattern takes classes by density, value over size, as many pods of each as fit and are wanted. Two sizes are
tried, since neither is better everywhere: the dominant share of the node and the sum of the shares.
"""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import FloatArray, IntArray
from autoscaler.planning.purchase.problem import Pattern, Problem

NO_SIZE = 1e-12
"""The size of a class that requests nothing, so that it still has a density."""


def shares(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """Two float64[C, T] sizes of a pod on a node: its largest and its summed share over the resources."""
    capacity = np.maximum(problem.capacity, 1).astype(np.float64)
    share = problem.requests[:, None, :] / capacity[None, :, :]
    dominant = np.maximum(share.max(axis=2, initial=0.0), NO_SIZE)
    return dominant, np.maximum(share.sum(axis=2), NO_SIZE)


def alone(problem: Problem, demand: Sequence[int] | IntArray, price: FloatArray | None = None) -> FloatArray:
    """float64[C]: the least price per pod of a class on nodes that it has to itself; infinite where nothing fits."""
    fits = np.minimum(problem.fits, np.maximum(np.asarray(demand, dtype=np.int64), 1)[:, None])
    price = problem.price if price is None else price
    with np.errstate(divide="ignore"):
        ratios: FloatArray = np.where(fits > 0, price[None, :] / fits, np.inf).min(axis=1, initial=np.inf)
    return ratios


class PatternMaker:
    """Makes patterns of one problem for one vector of values (float64[C], dollars a pod)."""

    def __init__(self, problem: Problem, sizes: tuple[FloatArray, FloatArray], values: FloatArray) -> None:
        self.problem = problem
        self.values: list[float] = values.tolist()
        self._matrices: list[IntArray] = []
        self._orders: list[list[list[int]]] = []
        wanted = (problem.fits > 0) & (values > 0)[:, None]
        length = wanted.sum(axis=0).tolist()
        for size in sizes:
            # float32: densities that differ by rounding alone are equal, so that scaled prices give the same plan.
            density = np.where(wanted, values[:, None] / size, -1.0).astype(np.float32)
            matrix = np.argsort(-density, axis=0, kind="stable")
            self._matrices.append(matrix)
            self.ranks = max(length, default=0)
            self._orders.append([row[:n] for row, n in zip(matrix.T.tolist(), length, strict=True)])

    def one(self, template: int, order: int, remaining: Sequence[int]) -> tuple[float, Pattern]:
        """The worth of one node and its pattern, by the dominant share (`order` 0) or the sum of shares (1)."""
        free = self.problem.rooms[template].copy()
        needs, values = self.problem.needs, self.values
        worth, pattern = 0.0, []
        for cls in self._orders[order][template]:
            pods = remaining[cls]
            for resource, request in needs[cls]:
                if pods * request > free[resource]:
                    pods = free[resource] // request
            if pods:
                for resource, request in needs[cls]:
                    free[resource] -= pods * request
                worth += pods * values[cls]
                pattern.append((cls, pods))
        return worth, tuple(sorted(pattern))

    def many(self, templates: IntArray, order: int, demand: IntArray, seeds: IntArray | None = None) -> IntArray:
        """int64[N, C]: the patterns of `one` for N templates at once, rank by rank.

        `seeds`: int64[N], a class per row that is put on the node first, one pod, whatever its density. It has to
        fit there.
        """
        problem = self.problem
        rows = np.arange(len(templates))
        # Doubles divide whole numbers below 2^53 exactly enough for a floor, and much faster than int64.
        free = problem.capacity[templates].astype(np.float64)
        requests = problem.requests.astype(np.float64)
        counts = np.zeros((len(templates), len(demand)), dtype=np.float64)
        if seeds is not None:
            free -= requests[seeds]
            counts[rows, seeds] = 1.0
        ranked = self._matrices[order][: self.ranks, templates]
        wanted = demand.astype(np.float64)
        wanted = np.where((problem.fits[:, templates] > 0) & (np.array(self.values) > 0)[:, None], wanted[:, None], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            for classes in ranked:
                request = requests[classes]
                ratio = np.where(request > 0, free / request, np.inf).min(axis=1)
                pods = np.floor(np.minimum(ratio, wanted[classes, rows] - counts[rows, classes]))
                np.maximum(pods, 0.0, out=pods)
                free -= pods[:, None] * request
                counts[rows, classes] += pods
        return counts.astype(np.int64)
