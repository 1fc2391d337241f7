"""`kind: NodePool`: nodes of one shape, and how the pool grows and shrinks."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from policies.base import Part, Tuple
from policies.scalars import Count, Duration, Money, Name, Percentage, Quantities
from policies.schema_cluster import Metadata
from policies.windows import CronText, ZoneName


class AwsGroup(Part):
    """An EC2 Auto Scaling group."""

    auto_scaling_group: Name
    region: Name


class GcpGroup(Part):
    """A Google managed instance group; `location` is its zone or region."""

    instance_group_manager: Name
    project: Name
    location: Name


class KubernetesGroup(Part):
    """A scalable resource of the cluster (a Cluster API MachineDeployment, or any with a /scale)."""

    api_version: Name
    kind: Name
    name: Name
    namespace: Name = "default"


class SimulatedGroup(Part):
    """A group of the simulated cloud."""

    group: Name


class Group(Part):
    """One instance group, by exactly one provider."""

    aws: AwsGroup | None = None
    gcp: GcpGroup | None = None
    kubernetes: KubernetesGroup | None = None
    simulated: SimulatedGroup | None = None
    zone: Name | None = None
    zones: Tuple[Name] = ()

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [p for p in ("aws", "gcp", "kubernetes", "simulated") if getattr(self, p) is not None]
        if len(given) != 1:
            said = "none" if not given else " and ".join(given)
            raise ValueError(f"a group belongs to exactly one of aws, gcp, kubernetes, simulated; got {said}")
        if self.zone is not None and self.zones:
            raise ValueError("give zone for a group in one zone or zones for one over several, not both")
        return self

    @property
    def provider(self) -> str:
        """aws, gcp, kubernetes or simulated."""
        return next(p for p in ("aws", "gcp", "kubernetes", "simulated") if getattr(self, p) is not None)

    @property
    def name(self) -> str:
        """The group's name in a CloudState."""
        if self.aws is not None:
            return self.aws.auto_scaling_group
        if self.gcp is not None:
            return self.gcp.instance_group_manager
        if self.kubernetes is not None:
            return self.kubernetes.name
        assert self.simulated is not None
        return self.simulated.group

    @property
    def region(self) -> str | None:
        """The region, where the provider's block says it."""
        if self.aws is not None:
            return self.aws.region
        if self.gcp is not None:
            parts = self.gcp.location.split("-")
            return "-".join(parts[:2])
        return None


class TaintSpec(Part):
    """core/v1 Taint."""

    key: Name
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class TimeSlicing(Part):
    """`sharing.timeSlicing` of NVIDIA's device plugin."""

    replicas: int = Field(ge=2, le=1000)
    rename_by_default: bool = False
    fail_requests_greater_than_one: bool = False


class Mps(Part):
    """`sharing.mps` of NVIDIA's device plugin."""

    replicas: int = Field(ge=2, le=1000)


def _layout(value: object) -> object:
    if isinstance(value, str):
        if not value:
            raise ValueError("must name a layout such as all-1g.10gb")
        return value
    if isinstance(value, dict):
        for profile, number in value.items():
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ValueError(f"{profile}: must be a count of at least 1, got {number!r}")
        if value:
            return value
    raise ValueError("must be a layout name such as all-1g.10gb, or counts such as {1g.10gb: 2, 3g.40gb: 1}")


Layout = Annotated[str | dict[str, int], BeforeValidator(_layout)]


class MigDevices(Part):
    """A layout for some GPUs of the node; the others stay whole."""

    indexes: Tuple[Annotated[int, Field(ge=0, le=63)]] = Field(min_length=1)
    layout: Layout


class MigSpec(Part):
    """MIG: one layout for every GPU, or for some, or several of which the planner chooses."""

    strategy: Literal["mixed", "single"] = "mixed"
    layout: Layout | None = None
    devices: Tuple[MigDevices] = ()
    layouts: Tuple[Layout] = ()

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [n for n in ("layout", "devices", "layouts") if getattr(self, n)]
        if len(given) != 1:
            raise ValueError("give exactly one of layout, devices, layouts")
        return self


class SharingSpec(Part):
    """How pods share a GPU; without any of the three they get whole ones."""

    time_slicing: TimeSlicing | None = None
    mps: Mps | None = None
    mig: MigSpec | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [n for n in ("timeSlicing", "mps", "mig") if getattr(self, {"timeSlicing": "time_slicing"}.get(n, n))]
        if len(given) > 1:
            raise ValueError(f"at most one of timeSlicing, mps, mig; got {' and '.join(given)}")
        return self


class GpuSpec(Part):
    """The GPUs of a node; what is left out comes from the instance type."""

    model: Name | None = None
    count: Annotated[int, Field(ge=1, le=64)] | None = None
    sharing: SharingSpec | None = None


class TemplateSpec(Part):
    """What a new node looks like once it is ready."""

    instance_type: Name | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    taints: Tuple[TaintSpec] = ()
    startup_taints: Tuple[TaintSpec] = ()
    resources: Quantities = Field(default_factory=dict)
    reserved: Quantities = Field(default_factory=dict)
    gpu: GpuSpec | None = None

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.instance_type is None and not self.resources:
            raise ValueError("give instanceType, or resources that a node offers")
        return self


class Price(Part):
    """Overrides the catalog."""

    usd_per_hour: Money


class PoolLimits(Part):
    """Nodes of the pool, over all its groups."""

    min_nodes: Count = 0
    max_nodes: Count

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.min_nodes > self.max_nodes:
            raise ValueError(f"minNodes {self.min_nodes} is more than maxNodes {self.max_nodes}")
        return self


class BufferSchedule(Part):
    """Idle nodes wanted while a cron window is open."""

    cron: CronText
    time_zone: ZoneName = "UTC"
    duration: Duration
    nodes: Count


class Predictive(Part):
    """Sized from the pool's own arrivals within one boot time."""

    quantile: float = Field(0.95, gt=0, lt=1)
    history: Duration = 14 * 86400.0


class WarmBuffer(Part):
    """Idle capacity kept ready; the largest wins, `max` caps it."""

    nodes: Count = 0
    gpus: Count = 0
    percent: Percentage = 0.0
    max: Count | None = None
    schedules: Tuple[BufferSchedule] = ()
    predictive: Predictive | None = None


class SpotSpec(Part):
    """How a spot pool shares work with on-demand pools."""

    fallback: Tuple[Name] = ()
    on_demand_base: Count = 0
    max_share: Percentage = 1.0
    return_after: Duration = 1800.0


class Backoff(Part):
    """How long a pool is left alone after a failed launch, doubling."""

    initial: Duration = 300.0
    max: Duration = 1800.0

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.initial > self.max:
            raise ValueError("initial is longer than max")
        return self


class ScaleUpSpec(Part):
    """Growth."""

    batch_window: Duration = 0.0
    registration_timeout: Duration = 900.0
    initialization_timeout: Duration = 1200.0
    failure_limit: Annotated[int, Field(ge=1, le=1000)] = 3
    backoff: Backoff = Backoff()


class ScaleDownSpec(Part):
    """Removal."""

    enabled: bool = True
    idle_cooldown: Duration = 600.0
    cooldown_after_scale_up: Duration = 0.0
    utilization: Literal["gpu", "max"] = "gpu"
    threshold: Percentage = 0.0
    protect_jobs: bool = True
    system_pods: Literal["move", "block"] = "move"
    drain_timeout: Duration = 1800.0


class PoolSpec(Part):
    """The spec of a NodePool."""

    groups: Tuple[Group] = Field(min_length=1)
    capacity_type: Literal["on-demand", "spot", "reserved"] = "on-demand"
    template: TemplateSpec
    price: Price | None = None
    weight: int = Field(0, ge=-1_000_000, le=1_000_000)
    limits: PoolLimits
    warm_buffer: WarmBuffer | None = None
    spot: SpotSpec | None = None
    scale_up: ScaleUpSpec = ScaleUpSpec()
    scale_down: ScaleDownSpec = ScaleDownSpec()


class NodePool(Part):
    """The document."""

    api_version: Literal["gpu-autoscaler.dev/v1alpha1"]
    kind: Literal["NodePool"]
    metadata: Metadata
    spec: PoolSpec

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.metadata.name


Document = dict[str, Any]
