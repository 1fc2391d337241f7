"""What the caps still allow."""

from __future__ import annotations

from collections.abc import Iterable

from autoscaler.planning.purchase.market import FloatArray
from autoscaler.planning.purchase.problem import TOLERANCE, Nodes, Problem

PLENTY = 2**40
"""More nodes than anybody buys: no cap speaks of this template."""


class Stock:
    """Counts nodes against linear caps: `sum(caps[l, t] * nodes[t]) <= bounds[l]`."""

    def __init__(self, problem: Problem, bounds: FloatArray) -> None:
        self._of = problem.charges
        self._slack = [bound + TOLERANCE * (1 + abs(bound)) for bound in bounds.tolist()]

    def allowed(self, template: int) -> int:
        """How many more nodes of a template may be bought if no other is."""
        most = min((self._slack[i] / c for i, c in self._of[template]), default=PLENTY)
        return max(0, int(min(most, PLENTY)))

    def take(self, template: int, count: int) -> None:
        """Count nodes (negative: give them back)."""
        for i, c in self._of[template]:
            self._slack[i] -= c * count

    def admits(self, plan: Iterable[Nodes]) -> bool:
        """True if all nodes of a plan may still be bought together; nothing is taken."""
        left = self._slack.copy()
        for nodes in plan:
            for i, c in self._of[nodes.template]:
                left[i] -= c * nodes.number
                if left[i] < 0:
                    return False
        return True

    def swaps(self, old: int, new: int, count: int) -> int:
        """How many of `count` nodes of template `old` may become nodes of `new` instead."""
        before = dict(self._of[old])
        for i, c in self._of[new]:
            more = c - before.get(i, 0.0)
            if more > 0:
                count = min(count, max(0, int(min(self._slack[i] / more, PLENTY))))
        return count
