"""First-fit decreasing with the least price per pod: the classic rule, in closed form per class.

The dearest class goes first; each takes the room left on the nodes bought so far, then opens nodes of the template
with the least price per pod. Equal nodes are one row, so the work is classes x rows, whatever the number of pods.
"""

from __future__ import annotations

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import IntArray
from autoscaler.planning.purchase.problem import Nodes, Plan, Problem


class Rows:
    """Groups of equal nodes: template, count, pattern and free room of one node."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.template: list[int] = []
        self.count: list[int] = []
        self.pattern: list[list[tuple[int, int]]] = []
        self._free: IntArray = np.zeros((64, problem.requests.shape[1]), dtype=np.int64)

    def add(self, template: int, count: int, free: IntArray, pattern: list[tuple[int, int]]) -> None:
        """One more group."""
        rows = len(self.template)
        if rows == len(self._free):
            self._free = np.concatenate([self._free, np.zeros_like(self._free)])
        self._free[rows] = free
        self.template.append(template)
        self.count.append(count)
        self.pattern.append(pattern)

    def fill(self, cls: int, pods: int) -> int:
        """Put as many of `pods` as fit onto the groups in order; returns how many are left."""
        rows = len(self.template)
        if not rows or not pods:
            return pods
        problem = self.problem
        k = np.where(problem.fits[cls, self.template] > 0, pods, 0)
        for resource, request in problem.needs[cls]:
            np.minimum(k, self._free[:rows, resource] // request, out=k)
        for row in np.flatnonzero(k).tolist():
            each = int(k[row])
            full = min(self.count[row], pods // each)
            rest = pods - full * each if full < self.count[row] else 0
            self._split(row, cls, each, full, rest)
            pods -= full * each + rest
            if not pods:
                break
        return pods

    def _split(self, row: int, cls: int, each: int, full: int, rest: int) -> None:
        """Of the nodes of a group, `full` take `each` pods more, one takes `rest`, the others stay as they are."""
        template, count, pattern, free = self.template[row], self.count[row], self.pattern[row], self._free[row].copy()
        request = self.problem.requests[cls]
        parts = [(full, each)] if full else []
        parts += [(1, rest)] if rest else []
        parts += [(count - sum(n for n, _ in parts), 0)]
        for i, (nodes, pods) in enumerate(part for part in parts if part[0]):
            grown = [*pattern, (cls, pods)] if pods else pattern
            if i:
                self.add(template, nodes, free - pods * request, grown)
            else:
                self.count[row], self.pattern[row] = nodes, grown
                self._free[row] = free - pods * request

    def plan(self) -> Plan:
        """The groups as a plan."""
        return [
            Nodes(template, _merged(pattern), count)
            for template, pattern, count in zip(self.template, self.pattern, self.count, strict=True)
        ]


def buy(problem: Problem) -> Plan:
    """A plan for the whole demand."""
    rows = Rows(problem)
    price = problem.price
    for cls, demand in enumerate(problem.demand.tolist()):
        left = rows.fill(cls, demand)
        request = problem.requests[cls]
        while left:
            k = np.minimum(problem.fits[cls], left)
            with np.errstate(divide="ignore"):
                template = int(np.argmin(np.round(np.where(k > 0, price / k, np.inf), 9)))
            each = int(k[template])
            nodes = left // each
            rows.add(template, nodes, problem.capacity[template] - each * request, [(cls, each)])
            left -= nodes * each
    return rows.plan()


def _merged(pattern: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """By class; a class that was added twice is one entry."""
    pods: dict[int, int] = {}
    for cls, n in pattern:
        pods[cls] = pods.get(cls, 0) + n
    return tuple(sorted(pods.items()))
