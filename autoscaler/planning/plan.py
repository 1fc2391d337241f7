"""The plan: what `decide` wants done, and why each pod, node and pool is as it is.

These are values; `autoscaler.reporting.documents` turns them into the published document
(`docs/reference/plan.md`). Pods come in groups of equal outcome, so that a plan for 100,000 equal pods is small;
`PodVerdict.pods` names them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Reason


class Outcome(StrEnum):
    """What will become of a pod."""

    FITS = "Fits"
    COMING = "Coming"
    SCALE_UP = "ScaleUp"
    WAITING = "Waiting"
    UNSCHEDULABLE = "Unschedulable"
    IGNORED = "Ignored"
    BOUND = "Bound"


class NodeState(StrEnum):
    """Where a node is in its life."""

    READY = "Ready"
    INITIALIZING = "Initializing"
    NOT_READY = "NotReady"
    DRAINING = "Draining"
    INITIALIZATION_FAILED = "InitializationFailed"
    UNMANAGED = "Unmanaged"


class Verdict(StrEnum):
    """Whether a node stays."""

    KEEP = "Keep"
    REMOVE = "Remove"


class PoolState(StrEnum):
    """Whether a pool can grow, in the words of a pool's reasons."""

    HEALTHY = "Healthy"
    AT_MAX = "AtMax"
    BACKOFF = "Backoff"
    CONFIG_ERROR = "ConfigError"
    FAILURE_LIMIT = "FailureLimit"
    DEGRADED = "Degraded"
    PAUSED = "Paused"


@dataclass(frozen=True, slots=True)
class ScaleUp:
    """`count` nodes for one group: `raise_to(group, to)`. `usd_per_hour` is for one node, None if unknown.

    `nodes` names the planned nodes (`new/GROUP/N`), in order; `pods` all pods that they are bought for.
    """

    pool: str
    group: str
    count: int
    size_from: int
    size_to: int
    zone: str
    instance_type: str
    capacity_type: str
    layout: str | None
    usd_per_hour: float | None
    reason: Reason
    nodes: tuple[str, ...] = ()
    pods: tuple[Pod, ...] = ()


@dataclass(frozen=True, slots=True)
class ScaleDown:
    """A node to drain and remove by its instance id. `pods` are those that have to move first."""

    pool: str
    group: str
    node: str
    instance: str
    usd_per_hour: float | None
    reason: Reason
    pods: tuple[Pod, ...] = ()


@dataclass(frozen=True, slots=True)
class Terminate:
    """An instance that never became a usable node."""

    pool: str
    group: str
    instance: str
    node: str | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class Reconfigure:
    """An idle node whose GPUs get another MIG layout."""

    pool: str
    node: str
    layout_from: str | None
    layout_to: str
    reason: Reason
    pods: tuple[Pod, ...] = ()


@dataclass(frozen=True, slots=True)
class CancelDrain:
    """A drain to undo: its node is wanted again."""

    node: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class PodVerdict:
    """Equal outcome of pods: `nodes[i]` is where `pods[i]` goes ("" where it goes nowhere yet)."""

    pods: tuple[Pod, ...]
    outcome: Outcome
    reason: Reason
    pool: str | None = None
    nodes: tuple[str, ...] = ()
    pools: tuple[tuple[str, Reason], ...] = ()


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """What becomes of a node.

    `idle_since`: since when it does no work, None while it works; the actuator keeps the node's
    `idle-since` annotation equal to it. `removable_at`: the earliest instant at which it may go, None if unknown.
    """

    node: str
    pool: str | None
    state: NodeState
    verdict: Verdict
    reason: Reason
    idle_since: float | None = None
    removable_at: float | None = None


@dataclass(frozen=True, slots=True)
class PoolVerdict:
    """Counts of nodes of a pool and whether it can grow; `reason` None for a healthy pool."""

    pool: str
    ready: int
    coming: int
    idle: int
    wanted_idle: int
    state: PoolState
    reason: Reason | None = None
    backoff_until: float | None = None
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars an hour. `unpriced` counts nodes whose price is not known; they are left out of the sums."""

    now: float = 0.0
    after: float = 0.0
    idle: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole decision at instant `at`. `held`: why the plan, or a part of it, is not carried out."""

    at: float
    mode: str
    scale_up: tuple[ScaleUp, ...] = ()
    scale_down: tuple[ScaleDown, ...] = ()
    terminate: tuple[Terminate, ...] = ()
    reconfigure: tuple[Reconfigure, ...] = ()
    cancel_drain: tuple[CancelDrain, ...] = ()
    pods: tuple[PodVerdict, ...] = ()
    nodes: tuple[NodeVerdict, ...] = ()
    pools: tuple[PoolVerdict, ...] = ()
    cost: Cost = Cost()
    held: tuple[Reason, ...] = ()

    @property
    def changes(self) -> bool:
        """True if anything is to be done."""
        return bool(self.scale_up or self.scale_down or self.terminate or self.reconfigure or self.cancel_drain)
