"""What the disruption budgets still allow."""

from __future__ import annotations

import math
from collections.abc import Sequence

from policies.schema_cluster import Budget
from policies.windows import is_open, next_open

UNBOUNDED = 1 << 30


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
    from `removals` (instant, reason) over all reasons that the budget names.
    """
    left, opens = UNBOUNDED, None
    for budget in budgets:
        if reason not in budget.reasons or not _is_active(budget, now):
            continue
        at_once = budget.nodes if isinstance(budget.nodes, int) else math.ceil(round(budget.nodes * managed_nodes, 6))
        room = at_once - in_progress
        slot = None
        if budget.at_most is not None and budget.per is not None:
            recent = sorted(at for at, why in removals if why in budget.reasons and at > now - budget.per)
            by_rate = budget.at_most - len(recent)
            if by_rate <= 0 and budget.at_most > 0:
                slot = recent[len(recent) - budget.at_most] + budget.per
            room = min(room, by_rate)
        if room <= 0:
            closes = _closes(budget, now)
            slots = [s for s in (slot, closes) if s is not None]
            slot = min(slots, default=None)
            opens = slot if opens is None or slot is None else max(opens, slot)
        left = min(left, room)
    return max(0, left), (opens if left <= 0 else None)


def _is_active(budget: Budget, now: float) -> bool:
    if budget.schedule is None or budget.duration is None:
        return True
    return is_open(budget.schedule, budget.time_zone, budget.duration, now)


def _closes(budget: Budget, now: float) -> float | None:
    """When a budget's own window closes, and it no longer limits."""
    if budget.schedule is None or budget.duration is None:
        return None
    from policies.windows import last_start

    last = last_start(budget.schedule, budget.time_zone, now)
    return last + budget.duration if last is not None else next_open(budget.schedule, budget.time_zone, now)
