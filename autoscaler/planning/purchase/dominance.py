"""Offerings that cannot be part of a better plan, and purchases that have nothing to do with each other."""

from __future__ import annotations

from autoscaler.model.lazy_numpy import np
from autoscaler.planning.purchase.market import BoolArray, IntArray
from autoscaler.planning.purchase.problem import Problem

ROWS = 256
"""Templates compared at a time, to keep the comparison in a few megabytes."""


def undominated(problem: Problem) -> IntArray:
    """The templates left when those go for which another is no dearer, no smaller and takes all their classes.

    Of equal ones the lowest stays. Not valid under caps, where the second best is needed too.
    """
    count = len(problem.price)
    order = np.lexsort((np.arange(count), problem.price))
    # More than all pods together need is of no use.
    wanted = problem.demand @ problem.requests
    room = np.minimum(problem.capacity, wanted[None, :])[order][:, wanted > 0]
    takes = (problem.fits > 0)[:, order].astype(np.float32)
    kept = np.ones(count, dtype=bool)
    for start in range(0, count, ROWS):
        part = slice(start, start + ROWS)
        covers = (takes.T @ takes[:, part]) >= takes[:, part].sum(axis=0)[None, :]
        for resource in range(room.shape[1]):
            covers &= room[:, resource][:, None] >= room[part, resource][None, :]
        # In this order an earlier one is no dearer.
        earlier = np.arange(count)[:, None] < np.arange(start, min(start + ROWS, count))[None, :]
        kept[part] &= ~(covers & earlier).any(axis=0)
    left: IntArray = np.sort(order[kept])
    return left


def components(problem: Problem, templates: IntArray) -> list[tuple[IntArray, IntArray]]:
    """(classes, templates) of the parts that share none of `templates`: each can be bought by itself."""
    takes = problem.fits[:, templates] > 0
    left: BoolArray = np.ones(len(problem.demand), dtype=bool)
    parts = []
    while left.any():
        classes = left & (np.cumsum(left) == 1)
        while True:
            columns = takes[classes].any(axis=0)
            grown = takes[:, columns].any(axis=1)
            if np.array_equal(grown, classes):
                break
            classes = np.asarray(grown)
        parts.append((np.flatnonzero(classes), templates[columns]))
        left &= ~classes
    return parts
