"""All maximal patterns of one node for a few classes: what exact methods choose from."""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.planning.purchase.problem import Pattern

Counts = tuple[int, ...]
"""Pods per class, in the order of the classes asked for."""


def maximal(
    needs: Sequence[Pattern], limit: Sequence[int], room: Sequence[int], most: int
) -> tuple[list[Counts], int] | None:
    """Count vectors up to `limit` that fit into `room` and to which nothing can be added, and how many were looked at.

    `needs`: per class its requests as (resource, amount). None if more than `most` would have to be looked at.
    """
    last = len(needs) - 1
    found: list[Counts] = []
    looked_at = 0
    stack: list[tuple[Counts, list[int]]] = [((), list(room))]
    while stack:
        head, free = stack.pop()
        looked_at += 1
        if looked_at > most:
            return None
        at = len(head)
        if at > last:
            if any(head) and not _grows(head, needs, limit, free):
                found.append(head)
            continue
        pods = limit[at]
        for resource, request in needs[at]:
            if pods * request > free[resource]:
                pods = free[resource] // request
        for n in range(pods if at == last else 0, pods + 1):
            rest = free
            if n:
                rest = free.copy()
                for resource, request in needs[at]:
                    rest[resource] -= n * request
            stack.append(((*head, n), rest))
    return found, looked_at


def _grows(head: Counts, needs: Sequence[Pattern], limit: Sequence[int], free: list[int]) -> bool:
    """True if one more pod of some class fits."""
    for pods, most, need in zip(head, limit, needs, strict=True):
        if pods < most:
            for resource, request in need:
                if request > free[resource]:
                    break
            else:
                return True
    return False
