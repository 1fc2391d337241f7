"""The scenario file: workload, scheduler and supply of a simulation. `docs/reference/simulate.md` documents each
field.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from policies.base import Part, Tuple
from policies.scalars import Duration, Name
from simulations.fields import AtMoment, Instant, MemoryBytes, MilliCpu, Until

Factor = Annotated[float, Field(gt=0, le=1_000_000)]


class TraceFile(Part):
    """A file of jobs; `path` is relative to the scenario."""

    format: Literal["philly", "openb", "jobs", "slurm", "kubectl"]
    path: Name
    skip_bad_rows: bool = False


class Toleration(Part):
    """core/v1 Toleration."""

    key: str = ""
    operator: Literal["Equal", "Exists"] = "Equal"
    value: str = ""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""


class PodSettings(Part):
    """What the pods of a workload ask for where the trace does not say."""

    cpu_per_gpu: MilliCpu = 0
    memory_per_gpu: MemoryBytes = 0
    gpu_resource: Name = "nvidia.com/gpu"
    tolerations: Tuple[Toleration] = ()
    node_selector: dict[str, str] = Field(default_factory=dict)
    labels: dict[str, str] = Field(default_factory=dict)
    priority: Annotated[int, Field(ge=-(2**31), lt=2**31)] = 0
    checkpoint_every: Duration | None = None


class TimeSlicing(Part):
    """Shares as replicas of a shared device."""

    replicas: Annotated[int, Field(ge=2, le=1000)]
    resource: Name = "nvidia.com/gpu.shared"


class Mig(Part):
    """Shares as MIG devices of a GPU model."""

    model: Name


class Sharing(Part):
    """What a share of a GPU asks for: one of the two."""

    time_slicing: TimeSlicing | None = None
    mig: Mig | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.time_slicing is None) == (self.mig is None):
            raise ValueError("name one of timeSlicing and mig")
        return self


class Select(Part):
    """Which jobs of the trace take part; `from` counts, `to` does not."""

    start: Annotated[Instant | None, Field(alias="from")] = None
    end: Annotated[Instant | None, Field(alias="to")] = None
    users: Tuple[Name] = ()


class Scale(Part):
    """Factors on the rate of arrivals and on run times."""

    arrivals: Factor = 1.0
    duration: Factor = 1.0


class Workload(Part):
    """The jobs of one trace, and how they become pods."""

    trace: TraceFile
    shape: Annotated[Literal["job-per-pod", "gang"] | None, Field(alias="as")] = None
    gpus_per_pod: Annotated[int, Field(ge=1, le=100_000)] = 8
    pod: PodSettings = PodSettings()
    share: Literal["whole"] | Sharing = "whole"
    select: Select = Select()
    scale: Scale = Scale()


class SchedulerSettings(Part):
    """Who is served when room appears."""

    queue: Literal["best-effort-fifo", "strict-fifo"] = "best-effort-fifo"


class Delay(Part):
    """A boot delay: `fixed`, or `p50` and `p95`, or a file of `samples`."""

    fixed: Duration | None = None
    p50: Duration | None = None
    p95: Duration | None = None
    samples: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        percentiles = self.p50 is not None or self.p95 is not None
        if (self.fixed is not None) + percentiles + (self.samples is not None) > 1:
            raise ValueError("name one of fixed, p50 with p95, and samples")
        if percentiles:
            if self.p50 is None or self.p95 is None:
                raise ValueError("p50 and p95 go together")
            if not 0 < self.p50 <= self.p95:
                raise ValueError("p50 has to be above 0 and at most p95")
        return self


class BootDelays(Delay):
    """The delay of all pools, and under `pools` those of single ones."""

    pools: dict[str, Delay] = Field(default_factory=dict)


class PoolSupply(Part):
    """The supply of one pool where it differs."""

    boot_delay: Delay = Delay()


class MarketTrace(Part):
    """A recorded spot market; `gpuType`, `gpus` and `zone` choose one where a toad file has several."""

    format: Literal["bamboo", "toad", "skypilot"]
    path: Name
    gpu_type: str = ""
    gpus: Annotated[int, Field(ge=0)] = 0
    zone: str = ""


class Spot(Part):
    """How the market takes nodes of a pool away: at a rate of each node, or by a trace."""

    pool: Name
    interruptions_per_hour: Annotated[float | None, Field(ge=0, le=3600)] = None
    trace: MarketTrace | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.interruptions_per_hour is None) == (self.trace is None):
            raise ValueError("name one of interruptionsPerHour and trace")
        return self


class Stockout(Part):
    """No launches in [`from`, `to`): instants, or durations from the start."""

    pool: Name
    start: Annotated[AtMoment, Field(alias="from")]
    end: Annotated[AtMoment, Field(alias="to")]
    zone: str = ""


class SupplySettings(Part):
    """What the cloud delivers, and when it does not."""

    boot_delay: BootDelays = BootDelays()
    pools: dict[str, PoolSupply] = Field(default_factory=dict)
    spot: Tuple[Spot] = ()
    stockouts: Tuple[Stockout] = ()


class Spec(Part):
    """The scenario itself. `policy` and `cluster` are paths relative to the file."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    policy: Name
    cluster: Name | None = None
    workload: Annotated[Tuple[Workload], Field(min_length=1)]
    scheduler: SchedulerSettings = SchedulerSettings()
    supply: SupplySettings = SupplySettings()
    until: Until = None


class Metadata(Part):
    """The name that results carry."""

    name: Name


class Scenario(Part):
    """A scenario file."""

    api_version: Literal["gpu-autoscaler.dev/v1alpha1"]
    kind: Literal["Scenario"]
    metadata: Metadata
    spec: Spec
