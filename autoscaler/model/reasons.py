"""The closed list of reasons. Every action and inaction has exactly one; names and numbers go into `params`.

The sentence for a person and the fix are made from the code and the parameters in
`autoscaler.reporting.sentences`; `docs/reasons.md` maps the codes to the words of GKE, Cluster Autoscaler
and Karpenter.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Param = str | int | float | bool | None | tuple[str, ...]


class Code(StrEnum):
    """Reason codes, by what they speak of. This enum is the only place where codes are defined."""

    # pod, ignored
    SCHEDULING_GATED = "SchedulingGated"
    DAEMON_SET_POD = "DaemonSetPod"
    PRIORITY_BELOW_CUTOFF = "PriorityBelowCutoff"
    IGNORED_BY_POLICY = "IgnoredByPolicy"
    OTHER_SCHEDULER = "OtherScheduler"
    POD_TERMINATING = "PodTerminating"
    POD_FINISHED = "PodFinished"
    NOT_YET_UNSCHEDULABLE = "NotYetUnschedulable"
    # pod, waiting
    BATCH_WINDOW = "BatchWindow"
    POD_SCALE_UP_DELAY = "PodScaleUpDelay"
    GANG_INCOMPLETE = "GangIncomplete"
    GANG_SHORT = "GangShort"
    POOL_IN_BACKOFF = "PoolInBackoff"
    POOL_AT_MAX = "PoolAtMax"
    CLUSTER_LIMIT_REACHED = "ClusterLimitReached"
    COST_CAP_REACHED = "CostCapReached"
    POD_HAS_DELETION_PENDING = "PodHasDeletionPending"
    REPLACEMENT_EXPECTED = "ReplacementExpected"
    FUTILE_SCALE_UP = "FutileScaleUp"
    PAUSED = "Paused"
    POOL_DEGRADED = "PoolDegraded"
    # pod, per pool or unschedulable
    TAINT_NOT_TOLERATED = "TaintNotTolerated"
    NODE_SELECTOR_MISMATCH = "NodeSelectorMismatch"
    NODE_AFFINITY_MISMATCH = "NodeAffinityMismatch"
    NO_POOL_DECLARES_LABEL = "NoPoolDeclaresLabel"
    INSUFFICIENT_RESOURCE = "InsufficientResource"
    SHARED_GPU_REQUEST_TOO_LARGE = "SharedGpuRequestTooLarge"
    MIG_PROFILE_NOT_OFFERED = "MigProfileNotOffered"
    TOPOLOGY_SPREAD = "TopologySpread"
    POD_AFFINITY = "PodAffinity"
    POD_ANTI_AFFINITY = "PodAntiAffinity"
    HOST_PORT = "HostPort"
    VOLUME_ZONE = "VolumeZone"
    VOLUME_LIMIT = "VolumeLimit"
    RESOURCE_CLAIM = "ResourceClaim"
    NODE_NAME_SET = "NodeNameSet"
    GANG_TOPOLOGY = "GangTopology"
    GPU_POOL_FOR_GPU_PODS = "GpuPoolForGpuPods"
    NODE_UNSCHEDULABLE = "NodeUnschedulable"
    NO_POOLS = "NoPools"
    # pod, served
    FITS_EXISTING_NODE = "FitsExistingNode"
    COMING_NODE = "ComingNode"
    NEW_NODE = "NewNode"
    RECONFIGURED_NODE = "ReconfiguredNode"
    # new node that no pod waits for
    MIN_NODES = "MinNodes"
    WARM_BUFFER = "WarmBuffer"
    SPOT_REPLACEMENT = "SpotReplacement"
    # node, kept
    IN_USE = "InUse"
    INITIALIZING = "Initializing"
    COOLING_DOWN = "CoolingDown"
    COOLDOWN_AFTER_SCALE_UP = "CooldownAfterScaleUp"
    IDLE_TIMER_STARTED = "IdleTimerStarted"
    POOL_AT_MIN = "PoolAtMin"
    RESERVED_FOR_POD = "ReservedForPod"
    BLOCKED_BY_POD = "BlockedByPod"
    NO_PLACE_FOR_PODS = "NoPlaceForPods"
    BUDGET_SPENT = "BudgetSpent"
    OUTSIDE_WINDOW = "OutsideWindow"
    SCALE_DOWN_DISABLED = "ScaleDownDisabled"
    PROTECTED_FROM_SCALE_IN = "ProtectedFromScaleIn"
    GPU_IN_USE_WITHOUT_REQUEST = "GpuInUseWithoutRequest"
    CLUSTER_UNHEALTHY = "ClusterUnhealthy"
    SNAPSHOT_INCOMPLETE = "SnapshotIncomplete"
    RUNS_CONTROLLER = "RunsController"
    UNMANAGED = "Unmanaged"
    EXTERNAL_DRAIN = "ExternalDrain"
    DRAINING = "Draining"
    NODE_NOT_READY = "NodeNotReady"
    OBSERVE_MODE = "ObserveMode"
    # node, removed; instance, terminated
    IDLE = "Idle"
    UNDERUTILIZED = "Underutilized"
    INITIALIZATION_FAILED = "InitializationFailed"
    UNHEALTHY = "Unhealthy"
    INTERRUPTED = "Interrupted"
    EXPIRED = "Expired"
    CHEAPER_REPLACEMENT = "CheaperReplacement"
    NEVER_REGISTERED = "NeverRegistered"
    LAUNCH_FAILED = "LaunchFailed"
    # pool
    HEALTHY = "Healthy"
    AT_MAX = "AtMax"
    BACKOFF = "Backoff"
    CONFIG_ERROR = "ConfigError"
    FAILURE_LIMIT = "FailureLimit"
    TEMPLATE_DRIFT = "TemplateDrift"
    NOT_OWNED = "NotOwned"
    DEGRADED = "Degraded"
    # plan
    NOT_LEADER = "NotLeader"
    CONFIG_HELD = "ConfigHeld"
    CLOUD_THROTTLED = "CloudThrottled"


class BlockCause(StrEnum):
    """Why a pod keeps its node (parameter `cause` of BlockedByPod)."""

    NOT_REPLICATED = "NotReplicated"
    LOCAL_STORAGE = "LocalStorage"
    SAFE_TO_EVICT_FALSE = "SafeToEvictFalse"
    DO_NOT_DISRUPT = "DoNotDisrupt"
    PDB_EXHAUSTED = "PdbExhausted"
    PDB_OVERLAP = "PdbOverlap"
    SYSTEM_POD = "SystemPod"
    JOB = "Job"
    GANG = "Gang"
    CUSTOM_CONTROLLER = "CustomController"
    POD_TERMINATING = "PodTerminating"


@dataclass(frozen=True, slots=True)
class Reason:
    """A code with its parameters, sorted by name; equal reasons are equal values."""

    code: Code
    params: tuple[tuple[str, Param], ...] = ()

    @classmethod
    def of(cls, code: Code, **params: Param) -> Reason:
        """`Reason.of(Code.POOL_AT_MAX, max=5)`."""
        return cls(code, tuple(sorted(params.items())))

    def param(self, name: str) -> Param:
        """A parameter by name, None where it is absent."""
        return next((value for key, value in self.params if key == name), None)
