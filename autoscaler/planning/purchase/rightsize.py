"""The finish of any plan: pods into the room that is left, nodes on the cheapest template that holds their pods."""

from __future__ import annotations

from collections.abc import Iterable

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.firstfit import Rows
from autoscaler.planning.purchase.problem import Nodes, Plan, Problem
from autoscaler.planning.purchase.stock import Stock


def merged(plan: Plan) -> Plan:
    """Nodes of one template and pattern in one entry, sorted, without empty ones."""
    count: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
    for nodes in plan:
        if nodes.number and nodes.pattern:
            key = (nodes.template, nodes.pattern)
            count[key] = count.get(key, 0) + nodes.number
    return [Nodes(template, pattern, n) for (template, pattern), n in sorted(count.items())]


def right_size(problem: Problem, plan: Plan, stock: Stock | None = None) -> Plan:
    """Each node becomes the cheapest template that holds the same pods (then the lowest), as far as `stock` allows."""
    plan = merged(plan)
    if not plan:
        return plan
    pods = np.zeros((len(plan), len(problem.demand)), dtype=np.int64)
    for row, nodes in zip(pods, plan, strict=True):
        for cls, n in nodes.pattern:
            row[cls] = n
    used = pods @ problem.requests
    # Single floats, for the fast product: it only has to tell zero from more.
    holds = (pods > 0).astype(np.float32) @ (problem.fits == 0).astype(np.float32) == 0
    for resource in range(used.shape[1]):
        holds &= used[:, resource][:, None] <= problem.capacity[:, resource][None, :]
    ranked = np.lexsort((np.arange(len(problem.nano)), problem.price))
    cheapest = ranked[np.argmax(holds[:, ranked], axis=1)].tolist()
    sized: Plan = []
    for nodes, template in zip(plan, cheapest, strict=True):
        count = nodes.number if problem.nano[template] < problem.nano[nodes.template] else 0
        if count and stock is not None:
            count = stock.swaps(nodes.template, template, count)
            stock.take(nodes.template, -count)
            stock.take(template, count)
        sized += [nodes._replace(template=template, number=count), nodes._replace(number=nodes.number - count)]
    return merged(sized)


def top_up(problem: Problem, plan: Plan, remaining: list[int], order: Iterable[int]) -> Plan:
    """Pods of `remaining` (taken off) into the room left on the nodes of a plan, by `order` of the classes."""
    if not plan or not any(remaining):
        return plan
    rows = Rows(problem)
    for nodes in plan:
        free = problem.capacity[nodes.template].copy()
        for cls, pods in nodes.pattern:
            free -= pods * problem.requests[cls]
        rows.add(nodes.template, nodes.number, free, list(nodes.pattern))
    for cls in order:
        remaining[cls] = rows.fill(cls, remaining[cls])
    return merged(rows.plan())
