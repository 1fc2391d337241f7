"""Nodes of the cluster, and the instance groups and instances behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.resources import NO_AMOUNTS, Amounts

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REGION = "topology.kubernetes.io/region"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
ARCH = "kubernetes.io/arch"
OS = "kubernetes.io/os"
PREFIX = "gpu-autoscaler.dev"
POOL_LABEL = f"{PREFIX}/pool"
CAPACITY_TYPE_LABEL = f"{PREFIX}/capacity-type"
IDLE_SINCE = f"{PREFIX}/idle-since"
DRAINING_TAINT = f"{PREFIX}/draining"
DRAIN_CLAIM = f"{PREFIX}/drain"
DO_NOT_DISRUPT = f"{PREFIX}/do-not-disrupt"


@dataclass(frozen=True, slots=True)
class Taint:
    """core/v1 Taint."""

    key: str
    value: str = ""
    effect: str = "NoSchedule"

    def __str__(self) -> str:
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


@dataclass(frozen=True, slots=True)
class Condition:
    """A node condition; `since` is its last transition."""

    type: str
    status: str
    since: float | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A node object. `attach_limits`: volumes that may be attached, by CSI driver (from CSINode)."""

    name: str
    uid: str = ""
    provider_id: str = ""
    created: float = 0.0
    labels: Labels = NO_LABELS
    annotations: Labels = NO_LABELS
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    allocatable: Amounts = NO_AMOUNTS
    capacity: Amounts = NO_AMOUNTS
    conditions: tuple[Condition, ...] = ()
    deleted_at: float | None = None
    attach_limits: tuple[tuple[str, int], ...] = ()
    resource_version: str = field(default="", compare=False)

    @property
    def ready(self) -> Condition | None:
        """The Ready condition, if the node has one."""
        return next((c for c in self.conditions if c.type == "Ready"), None)

    @property
    def is_ready(self) -> bool:
        """True if Ready is True; unknown and absent count as not ready."""
        found = self.ready
        return found is not None and found.status == "True"

    @property
    def zone(self) -> str:
        """The zone label, or ""."""
        return self.labels.get(ZONE, "") or self.labels.get("failure-domain.beta.kubernetes.io/zone", "")


class InstanceState(StrEnum):
    """Where an instance is in its life, in the words of all clouds."""

    PENDING = "Pending"
    RUNNING = "Running"
    TERMINATING = "Terminating"
    TERMINATED = "Terminated"
    FAILED = "Failed"


class ErrorClass(StrEnum):
    """What a failed launch means for the next decision; the text is for people."""

    STOCKOUT = "Stockout"
    QUOTA = "QuotaExceeded"
    THROTTLED = "Throttled"
    BAD_CONFIGURATION = "BadConfiguration"
    UNAUTHORIZED = "Unauthorized"
    TRANSIENT = "Transient"


class NoticeKind(StrEnum):
    """Why a cloud says that an instance will soon be taken away."""

    SPOT = "Spot"
    MAINTENANCE = "Maintenance"
    REBALANCE = "Rebalance"


@dataclass(frozen=True, slots=True)
class Notice:
    """The cloud's warning of an interruption: when it was given, and when the instance goes (None: not said)."""

    kind: NoticeKind
    at: float
    ends: float | None = None


@dataclass(frozen=True, slots=True)
class Instance:
    """A machine of a group. A node belongs to it by the end of its providerID, never by name."""

    id: str
    state: InstanceState = InstanceState.RUNNING
    launched_at: float = 0.0
    zone: str = ""
    protected: bool = False
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class LaunchError:
    """A failed launch of a group."""

    at: float
    code: ErrorClass
    message: str = ""


@dataclass(frozen=True, slots=True)
class InstanceGroup:
    """An instance group as the provider reports it: desired size, bounds, instances, recent launch errors.

    `owned` False: the group does not carry the cluster's ownership tag, so nothing of it is touched (S6).
    """

    name: str
    desired: int = 0
    min: int = 0
    max: int = 2**31 - 1
    instances: tuple[Instance, ...] = ()
    errors: tuple[LaunchError, ...] = ()
    owned: bool = True
