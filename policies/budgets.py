"""What the disruption budgets still allow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from policies.schema_cluster import Budget
from policies.windows import closes, is_open

UNBOUNDED = 1 << 30
NEVER = math.inf


LOOKS_MAX = 16  # windows that may lie between now and a free slot before the slot is called unknown


def allowed(
    budgets: Sequence[Budget],
    *,
    reason: str,
    managed_nodes: int,
    removals: Sequence[tuple[float, str]],
    now: float,
    in_progress: int = 0,
) -> tuple[int, float | None]:
    """How many more nodes may be removed for `reason`, and when the next slot opens if none may (None: unknown).

    Every budget that names the reason must have room: `nodes` limits how many are being removed at one time
    (`in_progress`; a share is of the managed nodes, rounded up), `atMost` how many left within the last `per`, counted
    from `removals` (instant, reason) over all reasons that the budget names. There is room at the instant of the next
    slot, if nothing else is removed until then: a window that opens before it puts it off.
    """
    left, opens = _allowed(budgets, reason, managed_nodes, removals, now, in_progress)
    for _ in range(LOOKS_MAX):
        if opens is None:
            return left, None
        then, later = _allowed(budgets, reason, managed_nodes, removals, opens, in_progress)
        if then > 0:
            return left, opens
        opens = later
    return left, None


def _allowed(
    budgets: Sequence[Budget],
    reason: str,
    managed_nodes: int,
    removals: Sequence[tuple[float, str]],
    now: float,
    in_progress: int,
) -> tuple[int, float | None]:
    """How many more now, and when those budgets that are full now have room again, whatever opens until then."""
    left, opens = UNBOUNDED, now
    for budget in budgets:
        if reason not in budget.reasons or not _is_active(budget, now):
            continue
        at_once = budget.nodes if isinstance(budget.nodes, int) else math.ceil(round(budget.nodes * managed_nodes, 6))
        by_count, by_rate, slot = at_once - in_progress, UNBOUNDED, now
        if budget.at_most is not None and budget.per is not None:
            by_rate, slot = _rate(budget, budget.at_most, budget.per, removals, now)
        if by_count <= 0:
            slot = NEVER  # it ends with a removal under way, whenever that is
        room = min(by_count, by_rate)
        if room <= 0:
            opens = max(opens, min(slot, _closes(budget, now)))
        left = min(left, room)
    if left > 0:
        return left, None
    return 0, None if opens == NEVER else opens


def _rate(
    budget: Budget, at_most: int, per: float, removals: Sequence[tuple[float, str]], now: float
) -> tuple[int, float]:
    """How many more removals the rate allows, and when it allows one."""
    recent = sorted(at for at, why in removals if why in budget.reasons and at + per > now)
    room = at_most - len(recent)
    if room > 0:
        return room, now
    return room, recent[-at_most] + per if at_most else NEVER


def _is_active(budget: Budget, now: float) -> bool:
    if budget.schedule is None or budget.duration is None:
        return True
    return is_open(budget.schedule, budget.time_zone, budget.duration, now)


def _closes(budget: Budget, now: float) -> float:
    """When a budget's own window closes, and it no longer limits."""
    if budget.schedule is None or budget.duration is None:
        return NEVER
    found = closes(budget.schedule, budget.time_zone, budget.duration, now)
    return NEVER if found is None else found
