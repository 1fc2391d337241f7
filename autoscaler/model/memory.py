"""What the controller persists between passes; in the cluster one ConfigMap, for `plan` the file of `--state`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autoscaler.model.nodes import ErrorClass


@dataclass(frozen=True, slots=True)
class PoolMemory:
    """What is remembered of one pool. Instants in the future count as now wherever a timer runs from them (S11)."""

    last_scale_up: float | None = None
    last_scale_down: float | None = None
    consecutive_failures: int = 0
    backoff_until: float | None = None
    backoff_cause: ErrorClass | None = None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Removal:
    """A node that was removed: when, from which pool, for which reason code. Budgets count these."""

    at: float
    pool: str
    reason: str


@dataclass(frozen=True, slots=True)
class Memory:
    """The persisted state. `paused` holds until `paused_until` (None: until resumed)."""

    pools: Mapping[str, PoolMemory] = field(default_factory=dict)
    removals: tuple[Removal, ...] = ()
    paused: bool = False
    paused_until: float | None = None
    pause_reason: str = ""

    def pool(self, name: str) -> PoolMemory:
        """What is remembered of the pool, or nothing."""
        return self.pools.get(name, NO_POOL_MEMORY)


NO_POOL_MEMORY = PoolMemory()
NO_MEMORY = Memory()
