"""`kind: AutoscalerPolicy`: what holds over all pools. At most one, and optional: these are the defaults."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from policies.base import List, Part
from policies.scalars import Count, CountOrShare, Duration, Money, Name, Percentage, PositiveDuration
from policies.windows import CronText, ZoneName

REMOVAL_REASONS = ("Idle", "Underutilized", "CheaperReplacement", "Expired", "Unhealthy", "Interrupted")
RemovalReason = Literal["Idle", "Underutilized", "CheaperReplacement", "Expired", "Unhealthy", "Interrupted"]


LOOP_INTERVAL_MIN_S = 1.0


def _interval(seconds: float) -> float:
    if seconds < LOOP_INTERVAL_MIN_S:
        raise ValueError("must be at least 1s")
    return seconds


class ClusterLimits(Part):
    """Hard caps over all pools; none of them is ever unlimited."""

    nodes: Count = 500
    gpus: Count = 2000
    usd_per_hour: Money = 5000.0


class PodRules(Part):
    """Which pods count."""

    priority_cutoff: int = Field(-10, ge=-(2**31), lt=2**31)
    ignore_owner_kinds: List[Name] = ("DaemonSet",)
    ignore_labels: dict[str, str] = Field(default_factory=dict)
    scheduler_names: List[Name] = ()


class Budget(Part):
    """How many nodes may be removed for these reasons: `nodes` at one time, `atMost` in each window of `per`.

    With a `schedule` the budget holds only inside its windows.
    """

    reasons: List[RemovalReason] = Field(min_length=1)
    nodes: CountOrShare = 1.0
    at_most: Count | None = None
    per: PositiveDuration | None = None
    schedule: CronText | None = None
    time_zone: ZoneName = "UTC"
    duration: PositiveDuration | None = None

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        if (self.at_most is None) != (self.per is None):
            raise ValueError("atMost and per belong together: give both or neither")
        if (self.schedule is None) != (self.duration is None):
            raise ValueError("schedule and duration belong together: give both or neither")
        return self


DEFAULT_BUDGETS = tuple(
    Budget.model_validate(given)
    for given in (
        {"reasons": ["Idle"], "nodes": "100%", "atMost": 10, "per": "1m"},
        {"reasons": ["Underutilized", "CheaperReplacement", "Expired"], "nodes": "10%", "atMost": 10, "per": "1h"},
    )
)


class MaxUnready(Part):
    """Above both, nothing is removed anywhere."""

    nodes: Count = 3
    percent: Percentage = 0.45


class Disruption(Part):
    """Limits on removal."""

    budgets: List[Budget] = DEFAULT_BUDGETS
    max_parallel_drains: Count = 1
    max_unready: MaxUnready = MaxUnready()


class ClusterSpec(Part):
    """The spec of an AutoscalerPolicy."""

    mode: Literal["observe", "recommend", "act"] = "observe"
    loop_interval: Annotated[Duration, AfterValidator(_interval)] = 10.0
    limits: ClusterLimits = ClusterLimits()
    pods: PodRules = PodRules()
    accelerator_resources: List[Name] = ()
    disruption: Disruption = Disruption()


class Metadata(Part):
    """Name of a document; labels and annotations are allowed and mean nothing here."""

    name: str = Field(pattern=r"^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$")
    labels: dict[str, str] = Field(default_factory=dict)
    annotations: dict[str, str] = Field(default_factory=dict)


class AutoscalerPolicy(Part):
    """What holds over all pools; at most one document, and optional."""

    api_version: Literal["gpu-autoscaler.dev/v1alpha1"]
    kind: Literal["AutoscalerPolicy"]
    metadata: Metadata
    spec: ClusterSpec = ClusterSpec()
