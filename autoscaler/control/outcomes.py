"""What launches and starts came to: failures in a row of each pool, as the memory keeps them.

A stock-out or a spent quota that the cloud reports, and a node that was given up, count once each; a node that became
usable after the last of them ends the row.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace

from autoscaler.model.memory import Memory, PoolMemory
from autoscaler.model.nodes import InstanceGroup
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import NodeState, Plan
from autoscaler.planning.pool_health import BACKS_OFF
from autoscaler.planning.pools import Policies


def counted(memory: Memory, groups: Mapping[str, InstanceGroup], policies: Policies, now: float) -> Memory:
    """The memory with the launch errors in it that are new since the last pass; several of one pass count once."""
    changed: dict[str, PoolMemory] = {}
    for pool in policies.pools:
        before = memory.pool(pool.name)
        instants = [
            min(error.at, now)
            for name in pool.groups
            if name in groups
            for error in groups[name].errors
            if error.code in BACKS_OFF
        ]
        newest = max(instants, default=None)
        if newest is None or (before.failures_until is not None and newest <= before.failures_until):
            continue
        changed[pool.name] = replace(
            before, consecutive_failures=before.consecutive_failures + 1, failures_until=newest
        )
    return replace(memory, pools={**memory.pools, **changed}) if changed else memory


def settled(memory: Memory, plan: Plan, snapshot: Snapshot) -> Memory:
    """The memory after nodes became usable: the row of failures of their pools is over."""
    failing = {name: pool for name, pool in memory.pools.items() if pool.consecutive_failures}
    if not failing:
        return memory
    newest: defaultdict[str, float] = defaultdict(lambda: float("-inf"))
    nodes = snapshot.nodes_by_name
    for verdict in plan.nodes:
        if verdict.pool in failing and verdict.state is NodeState.READY and verdict.node in nodes:
            newest[verdict.pool] = max(newest[verdict.pool], nodes[verdict.node].created)
    ended = {
        name: replace(pool, consecutive_failures=0, missing="")
        for name, pool in failing.items()
        if name in newest and newest[name] > (pool.failures_until or float("-inf"))
    }
    return replace(memory, pools={**memory.pools, **ended}) if ended else memory


def given_up(memory: Memory, plan: Plan, done: Mapping[str, str], now: float) -> Memory:
    """The memory after starts were given up in this pass. `done`: pool by name of the instance or node."""
    if not done:
        return memory
    lacked = {gone.pool: gone.reason.param("missing") for gone in plan.terminate}
    row = {pool.pool: pool.failures for pool in plan.pools}
    pools = dict(memory.pools)
    for pool, count in sorted(Counter(done.values()).items()):
        before = pools.get(pool, PoolMemory())
        missing = lacked.get(pool)
        pools[pool] = replace(
            before,
            # The plan knows whether others of them came up well, which makes these no broken pool.
            consecutive_failures=min(row.get(pool, 0), before.consecutive_failures + count),
            missing=missing if isinstance(missing, str) else before.missing,
            failures_until=max(now, before.failures_until or now),
        )
    return replace(memory, pools=pools)
