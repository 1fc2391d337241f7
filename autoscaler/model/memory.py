"""What the controller persists between passes; in the cluster one ConfigMap, for `plan` the file of `--state`.

All of it is bounded (`autoscaler.control.ledger`), and every instant in the future counts as now wherever a timer runs
from it (S11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autoscaler.model.nodes import ErrorClass, LaunchError


@dataclass(frozen=True, slots=True)
class PoolMemory:
    """What is remembered of one pool.

    `consecutive_failures`: launches and starts in a row that gave no usable node; `failures_until`: errors up to this
    instant are counted in it. `missing`: what the last failed node lacked.
    """

    last_scale_up: float | None = None
    last_scale_down: float | None = None
    consecutive_failures: int = 0
    backoff_until: float | None = None
    backoff_cause: ErrorClass | None = None
    missing: str = ""
    failures_until: float | None = None


@dataclass(frozen=True, slots=True)
class Removal:
    """A node that was removed: when, from which pool, for which reason code. Budgets count these.

    It is written before the instance is terminated; `instance` tells whether a removal on its way is counted already.
    """

    at: float
    pool: str
    reason: str
    instance: str = ""


@dataclass(frozen=True, slots=True)
class Raise:
    """A group that was asked for more: written before the call, so that a cloud that answers with an older size is not
    asked for the same nodes again (S8).
    """

    at: float
    pool: str
    group: str
    size_from: int
    size_to: int


@dataclass(frozen=True, slots=True)
class Futility:
    """Nodes bought for pods of one shape in one pool that the pods did not use (L3).

    `nodes`: bought for them since they were last served; `since`: the first purchase; `at`: the last one.
    `until`: no node of the pool is bought for the shape before this instant; `times`: quarantines in a row.
    """

    nodes: int
    since: float
    at: float
    until: float | None = None
    times: int = 0


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote the state last: the epoch of its lease, and its identity. An older epoch writes no more (S8)."""

    epoch: int = 0
    holder: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The persisted state. `paused` holds until `paused_until` (None: until resumed).

    `refusals`: launches that the cloud refused at once, by group, newest last; they stand beside the errors that the
    group itself reports. `futility`: by pool and shape (`autoscaler.planning.futility.key`).
    `policy`: the digest of the policy that is accepted; `held_policy`: one that waits for approval, or "".
    """

    pools: Mapping[str, PoolMemory] = field(default_factory=dict)
    removals: tuple[Removal, ...] = ()
    raises: tuple[Raise, ...] = ()
    refusals: Mapping[str, tuple[LaunchError, ...]] = field(default_factory=dict)
    futility: Mapping[str, Futility] = field(default_factory=dict)
    policy: str = ""
    held_policy: str = ""
    writer: Writer = Writer()
    paused: bool = False
    paused_until: float | None = None
    pause_reason: str = ""

    def pool(self, name: str) -> PoolMemory:
        """What is remembered of the pool, or nothing."""
        return self.pools.get(name, NO_POOL_MEMORY)


NO_POOL_MEMORY = PoolMemory()
NO_MEMORY = Memory()
