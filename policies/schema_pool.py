"""`kind: NodePool`: nodes of one shape, and how the pool grows and shrinks."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from policies.base import List, Part
from policies.problems import InnerError
from policies.scalars import Count, Duration, Money, Name, Percentage, PositiveDuration
from policies.schema_cluster import Metadata
from policies.schema_group import AwsGroup, GcpGroup, Group, KubernetesGroup, SimulatedGroup
from policies.schema_template import (
    GpuSpec,
    Layout,
    MigDevices,
    MigSpec,
    Mps,
    SharingSpec,
    TaintSpec,
    TemplateSpec,
    TimeSlicing,
)
from policies.windows import CronText, ZoneName

__all__ = [
    "AwsGroup",
    "Backoff",
    "BufferSchedule",
    "GcpGroup",
    "GpuSpec",
    "Group",
    "KubernetesGroup",
    "Layout",
    "MigDevices",
    "MigSpec",
    "Mps",
    "NodePool",
    "PoolLimits",
    "PoolSpec",
    "Predictive",
    "Price",
    "ScaleDownSpec",
    "ScaleUpSpec",
    "SharingSpec",
    "SimulatedGroup",
    "SpotSpec",
    "TaintSpec",
    "TemplateSpec",
    "TimeSlicing",
    "WarmBuffer",
]


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
            raise InnerError((("minNodes",), f"{self.min_nodes} is more than maxNodes {self.max_nodes}"))
        return self


class BufferSchedule(Part):
    """Idle nodes wanted while a cron window is open."""

    cron: CronText
    time_zone: ZoneName = "UTC"
    duration: PositiveDuration
    nodes: Count


class Predictive(Part):
    """Sized from the pool's own arrivals within one boot time."""

    quantile: float = Field(0.95, gt=0, lt=1, allow_inf_nan=False)
    history: Duration = 14 * 86400.0


class WarmBuffer(Part):
    """Idle capacity kept ready; the largest wins, `max` caps it."""

    nodes: Count = 0
    gpus: Count = 0
    percent: Percentage = 0.0
    max: Count | None = None
    schedules: List[BufferSchedule] = ()
    predictive: Predictive | None = None


class SpotSpec(Part):
    """How a spot pool shares work with on-demand pools."""

    fallback: List[Name] = ()
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
            raise InnerError((("initial",), "is longer than max"))
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

    groups: List[Group] = Field(min_length=1)
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
    """Nodes of one shape, and how the pool grows and shrinks."""

    api_version: Literal["gpu-autoscaler.dev/v1alpha1"]
    kind: Literal["NodePool"]
    metadata: Metadata
    spec: PoolSpec

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.metadata.name
