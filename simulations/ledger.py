"""What the controller of the virtual world remembers between passes, kept as the real one keeps it.

* A launch that the cloud refuses, and a node that never became usable, count as failures in a row of the pool;
  the backoff of a group runs from its newest launch error and doubles with each failure (`scaleUp.backoff`). A
  node that becomes usable ends the row.
* Removals are kept for as long as any budget looks back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autoscaler.model.memory import Memory, PoolMemory, Removal
from autoscaler.planning.plan import Plan


def next_memory(memory: Memory, plan: Plan, now: float, kept_s: float) -> Memory:
    """The memory after the plan was carried out at `now` (launches that were refused are told by `with_failures`).

    Removals are kept for `kept_s` seconds, the longest that any budget looks back.
    """
    pools = dict(memory.pools)
    for up in plan.scale_up:
        pools[up.pool] = replace(pools.get(up.pool, PoolMemory()), last_scale_up=now)
    for down in plan.scale_down:
        pools[down.pool] = replace(pools.get(down.pool, PoolMemory()), last_scale_down=now)
    failures = {p.pool: p.failures for p in plan.pools}
    for gone in plan.terminate:
        missing = gone.reason.param("missing")
        pools[gone.pool] = replace(
            pools.get(gone.pool, PoolMemory()),
            consecutive_failures=failures.get(gone.pool, 0),
            missing=missing if isinstance(missing, str) else "",
        )
    removals = tuple(r for r in memory.removals if r.at > now - kept_s)
    removals += tuple(Removal(now, down.pool, str(down.reason.code)) for down in plan.scale_down)
    return replace(memory, pools=pools, removals=removals)


def with_failures(memory: Memory, refused: Iterable[str]) -> Memory:
    """The memory after the cloud refused launches of these pools; several refusals of one instant count once."""
    pools = dict(memory.pools)
    for name in refused:
        before = pools.get(name, PoolMemory())
        pools[name] = replace(before, consecutive_failures=before.consecutive_failures + 1)
    return replace(memory, pools=pools)


def with_success(memory: Memory, pool: str) -> Memory:
    """The memory after a node of the pool became usable."""
    before = memory.pools.get(pool)
    if before is None or not before.consecutive_failures:
        return memory
    after = replace(before, consecutive_failures=0, missing="")
    return replace(memory, pools={**memory.pools, pool: after})
