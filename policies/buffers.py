"""How many idle nodes a warm buffer wants now."""

from __future__ import annotations

import math

from policies.schema_pool import BufferSchedule, WarmBuffer
from policies.windows import closes, is_open, next_open


def wanted_idle(buffer: WarmBuffer, *, busy_nodes: int, gpus_per_node: int, now: float) -> int:
    """Idle nodes: the largest of `nodes`, `gpus` (rounded up to nodes), `percent` of the busy nodes (rounded up)
    and the schedules that are open at `now`; `max` caps the result. Percent of no busy node is none.
    """
    by_gpus = -(-buffer.gpus // max(1, gpus_per_node))
    # The share was read from at most three decimals; rounding takes off what binary fractions add before rounding up.
    by_share = math.ceil(round(buffer.percent * busy_nodes, 6))
    scheduled = [s.nodes for s in buffer.schedules if _is_open(s, now)]
    wanted = max(buffer.nodes, by_gpus, by_share, *scheduled, 0)
    return min(wanted, buffer.max) if buffer.max is not None else wanted


def next_change(buffer: WarmBuffer, now: float) -> float | None:
    """When a schedule opens or closes next, None if none ever does."""
    instants = (
        closes(s.cron, s.time_zone, s.duration, now) if _is_open(s, now) else next_open(s.cron, s.time_zone, now)
        for s in buffer.schedules
    )
    return min((at for at in instants if at is not None), default=None)


def _is_open(schedule: BufferSchedule, now: float) -> bool:
    return is_open(schedule.cron, schedule.time_zone, schedule.duration, now)
