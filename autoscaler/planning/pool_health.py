"""May a group be asked for nodes now, and are the nodes it owes still to be expected?

The class of a launch error decides (facts/error-codes): a stock-out or a spent quota backs the group off, so that
the next offering is tried in the same pass; throttling and transient errors are no reason to leave a group; a
bad configuration or missing permission stops it until something changes. Nodes that start and fail count
towards the failure limit of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.memory import Memory, PoolMemory
from autoscaler.model.nodes import ErrorClass, InstanceGroup, InstanceState, LaunchError
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.membership import ALIVE, Membership
from autoscaler.planning.node_states import NodeStatus
from autoscaler.planning.plan import NodeState
from autoscaler.planning.pools import Pool

BACKS_OFF = frozenset({ErrorClass.STOCKOUT, ErrorClass.QUOTA})
STOPS = frozenset({ErrorClass.BAD_CONFIGURATION, ErrorClass.UNAUTHORIZED})


@dataclass(frozen=True, slots=True)
class GroupHealth:
    """`blocked`: why the group takes no new nodes, in the words of a pool's reason; None: it does.

    `expected`: how many of the nodes that the group still owes are coming capacity. `until`: when a backoff ends.
    """

    blocked: Reason | None = None
    expected: int = 0
    until: float | None = None


HEALTHY = GroupHealth()


@dataclass(frozen=True, slots=True)
class PoolHealth:
    """`blocked`: why no group of the pool takes new nodes. `failures`: nodes in a row that never became usable."""

    groups: Mapping[str, GroupHealth]
    blocked: Reason | None = None
    failures: int = 0
    until: float | None = None


def pool_health(pool: Pool, membership: Membership, starts: Starts, memory: Memory, now: float) -> PoolHealth:
    """The health of a pool and of each of its groups."""
    remembered = memory.pool(pool.name)
    failures, missing = _failures(starts, remembered)
    if pool.problem:
        stopped: Reason | None = Reason.of(Code.CONFIG_ERROR, detail=pool.problem)
    elif failures >= pool.scale_up.failure_limit and not _backing_off(pool, membership):
        stopped = Reason.of(
            Code.FAILURE_LIMIT, missing=missing or remembered.missing or "a usable node", failures=failures
        )
    else:
        stopped = None
    groups = {name: _group_health(pool, name, membership, remembered, now) for name in pool.groups}
    if stopped is None and groups and all(g.blocked for g in groups.values()):
        stopped = _first_to_end(list(groups.values()))
    until = None
    if stopped is not None and stopped.code is Code.BACKOFF:
        until = min((g.until for g in groups.values() if g.until is not None), default=None)
    return PoolHealth(groups, stopped, failures, until)


def _first_to_end(groups: Sequence[GroupHealth]) -> Reason | None:
    return min(groups, key=lambda g: (g.until is None, g.until or 0.0)).blocked


def _backing_off(pool: Pool, membership: Membership) -> bool:
    """True where the failures counted are launches that the cloud refused, not nodes that did not start."""
    return any(
        error.code in BACKS_OFF
        for name in pool.groups
        if name in membership.groups
        for error in membership.groups[name].errors
    )


def _group_health(pool: Pool, name: str, membership: Membership, remembered: PoolMemory, now: float) -> GroupHealth:
    group = membership.groups.get(name)
    if group is None:
        return GroupHealth(Reason.of(Code.CONFIG_ERROR, detail=f"the cloud knows no group {name}"))
    if not group.owned:
        return GroupHealth(Reason.of(Code.NOT_OWNED, group=name))
    error = _standing_error(group, now)
    owed = membership.phantoms.get(name, 0)
    if error is not None and error.code in STOPS:
        return GroupHealth(Reason.of(Code.CONFIG_ERROR, detail=error.message or str(error.code)))
    until, cause = _backoff(pool, error, remembered, now)
    refused = error is not None and error.code in BACKS_OFF and error.at >= (remembered.last_scale_up or 0.0)
    if until is not None:
        return GroupHealth(Reason.of(Code.BACKOFF, until=until, cause=str(cause)), 0, until)
    if refused and owed:
        # The backoff is over, the group itself is still trying: neither count on it nor pile more on top.
        return GroupHealth(Reason.of(Code.DEGRADED, cause=f"{owed} launches of {name} outstanding after {error.code}"))  # type: ignore[union-attr]
    if owed and _owed_too_long(pool, remembered, now):
        return GroupHealth(Reason.of(Code.DEGRADED, cause=f"{owed} instances of {name} were never launched"))
    return GroupHealth(None, owed) if owed else HEALTHY


def _standing_error(group: InstanceGroup, now: float) -> LaunchError | None:
    """The newest error that no later launch has proven over; throttling and transient errors stand for nothing."""
    if not group.errors:
        return None
    launched = max((min(i.launched_at, now) for i in group.instances if i.state in ALIVE), default=float("-inf"))
    telling = [e for e in group.errors if e.code in BACKS_OFF | STOPS and min(e.at, now) > launched]
    return max(telling, key=lambda e: (e.at, e.code, e.message), default=None)


def _backoff(
    pool: Pool, error: LaunchError | None, remembered: PoolMemory, now: float
) -> tuple[float | None, ErrorClass]:
    """Until when the group is left alone, doubling with each failure in a row up to the maximum."""
    if error is None and remembered.backoff_until is None:
        return None, ErrorClass.STOCKOUT
    ends: list[tuple[float, ErrorClass]] = []
    if error is not None:
        doubled = pool.scale_up.backoff_initial_s * 2.0 ** min(20, max(0, remembered.consecutive_failures - 1))
        ends.append((min(error.at, now) + min(doubled, pool.scale_up.backoff_max_s), error.code))
    if remembered.backoff_until is not None:
        cause = remembered.backoff_cause or (error.code if error else ErrorClass.STOCKOUT)
        ends.append((min(remembered.backoff_until, now + pool.scale_up.backoff_max_s), cause))
    until, cause = max(ends, default=(float("-inf"), ErrorClass.STOCKOUT))
    return (until, cause) if until > now else (None, cause)


def _owed_too_long(pool: Pool, remembered: PoolMemory, now: float) -> bool:
    """True where the launch was asked for longer ago than a node may take to register (unknown: not yet)."""
    asked = remembered.last_scale_up
    return asked is not None and now - min(asked, now) > pool.scale_up.registration_timeout_s


@dataclass(slots=True)
class Starts:
    """How the nodes of a pool started: those that failed (when, and what they lack), and the newest that did not."""

    failed: list[tuple[float, str]] = field(default_factory=list)
    newest_good: float | None = None


def starts_by_pool(membership: Membership, statuses: Mapping[str, NodeStatus], now: float) -> dict[str, Starts]:
    """One walk over all nodes and instances."""
    found: dict[str, Starts] = {}
    for name, member in membership.members.items():
        state = statuses[name].state
        if state is NodeState.READY and statuses[name].deadline is None:
            starts = found.setdefault(member.pool.name, Starts())
            created = member.node.created
            if starts.newest_good is None or created > starts.newest_good:
                starts.newest_good = created
        elif state is NodeState.INITIALIZATION_FAILED:
            starts = found.setdefault(member.pool.name, Starts())
            starts.failed.append((member.node.created, statuses[name].waiting_for))
    for instance, _, pool in membership.unregistered:
        if instance.state is not InstanceState.FAILED and is_lost(instance.launched_at, pool, now):
            found.setdefault(pool.name, Starts()).failed.append((instance.launched_at, "a registered node"))
    return found


def _failures(starts: Starts, remembered: PoolMemory) -> tuple[int, str]:
    """Nodes and instances in a row that never became usable, those of earlier passes included, and what they lacked.

    One that started as late as they did and became usable ends the row: four of five good nodes are no broken pool.
    """
    if not starts.failed:
        return remembered.consecutive_failures, remembered.missing
    missing = max(starts.failed)[1]
    if starts.newest_good is not None and starts.newest_good >= min(at for at, _ in starts.failed):
        return 0, missing
    return remembered.consecutive_failures + len(starts.failed), missing


def is_lost(launched_at: float, pool: Pool, now: float) -> bool:
    """True for an instance that had its time to register as a node."""
    return now - min(launched_at, now) > pool.scale_up.registration_timeout_s
