"""The configuration program: how many nodes of which pattern, so that every class is served at the least cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.linear import LinearProgram
from autoscaler.planning.purchase.market import FloatArray
from autoscaler.planning.purchase.problem import Nodes, Pattern, Plan, Problem
from autoscaler.planning.purchase.stock import Stock

Column = tuple[int, Pattern]
"""A template and what one node of it holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """The answer with fractions of nodes.

    `values`: float64[C], what one more pod of a class would cost. `price`: float64[T], the price of a node plus what
    the caps charge for it.
    """

    objective: float
    amounts: FloatArray
    values: FloatArray
    price: FloatArray


class Master:
    """Rows: the demand of each class, and each cap if `bounds` (float64[L]) are given; columns: patterns.

    With caps a pod may also go unserved, at more than any other plan could cost for it.
    """

    def __init__(self, problem: Problem, bounds: FloatArray | None) -> None:
        self.problem = problem
        self._bounds = bounds
        # The solver's tolerances are absolute: cents and millions are shown to it alike.
        self._scale = float(problem.price.max())
        self.columns: list[Column] = []
        self._known: set[Column] = set()
        self._caps = problem.caps[:0] if bounds is None else problem.caps
        demand = problem.demand.astype(np.float64)
        caps = len(self._caps)
        self._program = LinearProgram(
            np.concatenate([demand, np.full(caps, -np.inf)]),
            np.concatenate([np.full(len(demand), np.inf), np.zeros(0) if bounds is None else bounds]),
        )
        self._unserved = 0
        if bounds is not None:
            self._unserved = len(demand)
            penalty = 1.0 + min(int(problem.demand.sum()), 200)
            self._program.add(np.full(len(demand), penalty), np.eye(len(demand), len(demand) + caps))

    def add(self, columns: Iterable[Column]) -> int:
        """Add those that are not there yet; returns how many."""
        new = [column for column in dict.fromkeys(columns) if column not in self._known]
        if not new:
            return 0
        classes = len(self.problem.demand)
        rows = np.zeros((len(new), classes + len(self._caps)))
        for row, (template, pattern) in zip(rows, new, strict=True):
            for cls, pods in pattern:
                row[cls] = pods
            row[classes:] = self._caps[:, template]
        self._program.add(self.problem.price[[template for template, _ in new]] / self._scale, rows)
        self._known.update(new)
        self.columns += new
        return len(new)

    def relax(self) -> Relaxed:
        """Solve with fractions of nodes, from the last answer on."""
        objective, amounts, duals = self._program.solve()
        classes = len(self.problem.demand)
        duals *= self._scale
        values, charges = np.maximum(duals[:classes], 0.0), np.maximum(-duals[classes:], 0.0)
        price = self.problem.price + charges @ self._caps
        return Relaxed(objective * self._scale, amounts[self._unserved :], values, price)

    def whole(self, nodes: int, gap: float) -> Plan | None:
        """A plan of whole nodes: within `gap`, relative, of the best, or the best of `nodes` branch-and-bound nodes.

        The last call: the columns stay whole.
        """
        amounts = self._program.solve_whole(nodes, gap)
        if amounts is None:
            return None
        return self.take(amounts[self._unserved :], self.problem.demand.tolist(), self.stock())

    def stock(self) -> Stock | None:
        """What the caps allow, before anything is bought; None without caps."""
        return None if self._bounds is None else Stock(self.problem, self._bounds)

    def take(self, amounts: FloatArray, remaining: list[int], stock: Stock | None) -> Plan:
        """Whole nodes of the columns, as many as `amounts` says (rounded down), no pod twice.

        `remaining` pods per class are taken off, nodes from `stock`. Where a pattern holds more than is left, a node
        is filled with what is left, and not bought if that is nothing.
        """
        plan: Plan = []
        whole = np.floor(amounts + 1e-6).astype(np.int64).tolist()
        for (template, pattern), amount in zip(self.columns, whole, strict=True):
            # The solver may pass a cap by its tolerance; the stock does not.
            left = amount if stock is None else min(amount, stock.allowed(template))
            while left:
                held = tuple([(cls, min(pods, remaining[cls])) for cls, pods in pattern if remaining[cls]])
                if not held:
                    break
                times = min(left, min(remaining[cls] // pods for cls, pods in held))
                plan.append(Nodes(template, held, times))
                left -= times
                for cls, pods in held:
                    remaining[cls] -= pods * times
                if stock is not None:
                    stock.take(template, times)
        return plan
