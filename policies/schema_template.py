"""The template of a pool: what a new node looks like once it is ready, and how its GPUs are shared."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from policies.base import List, Part
from policies.problems import InnerError, Path, shown
from policies.scalars import Name, Quantities

GPUS_MAX = 64
REPLICAS_MIN, REPLICAS_MAX = 2, 1000  # the device plugin does not start with fewer than 2


class TaintSpec(Part):
    """core/v1 Taint."""

    key: Name
    value: str = ""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]


class TimeSlicing(Part):
    """`sharing.timeSlicing` of NVIDIA's device plugin."""

    replicas: int = Field(ge=REPLICAS_MIN, le=REPLICAS_MAX)
    rename_by_default: bool = False
    fail_requests_greater_than_one: bool = False


class Mps(Part):
    """`sharing.mps` of NVIDIA's device plugin."""

    replicas: int = Field(ge=REPLICAS_MIN, le=REPLICAS_MAX)


def _layout(value: object) -> object:
    if isinstance(value, dict) and value:
        wrong: list[tuple[Path, str]] = [
            ((profile,), f"must be a count of instances, at least 1, got {shown(number)}")
            for profile, number in value.items()
            if isinstance(number, bool) or not isinstance(number, int) or number < 1 or not profile.isprintable()
        ]
        if wrong:
            raise InnerError(*wrong)
        return value
    if isinstance(value, str) and value and value.isprintable():
        return value
    raise ValueError(
        f"must be a layout name such as all-1g.10gb, or counts such as {{1g.10gb: 2, 3g.40gb: 1}}, got {shown(value)}"
    )


_COUNTS = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "integer", "minimum": 1}}
Layout = Annotated[
    str | dict[str, int],
    BeforeValidator(_layout),
    WithJsonSchema({"anyOf": [{"type": "string", "minLength": 1}, _COUNTS]}),
]
"""A mig-parted name, or instances of one GPU by profile."""


class MigDevices(Part):
    """A layout for some GPUs of the node; the others stay whole."""

    indexes: List[Annotated[int, Field(ge=0, lt=GPUS_MAX)]] = Field(min_length=1)
    layout: Layout


class MigSpec(Part):
    """MIG: one layout for every GPU, or for some, or several of which the planner chooses."""

    strategy: Literal["mixed", "single"] = "mixed"
    layout: Layout | None = None
    devices: List[MigDevices] = ()
    layouts: List[Layout] = ()

    @model_validator(mode="after")
    def _one(self) -> Self:
        ways = {"layout": self.layout, "devices": self.devices, "layouts": self.layouts}
        given = [name for name, way in ways.items() if way]
        if len(given) != 1:
            said = " and ".join(given) or "none"
            raise ValueError(f"give exactly one of layout, devices, layouts; got {said}")
        return self


class SharingSpec(Part):
    """How pods share a GPU; without any of the three they get whole ones."""

    time_slicing: TimeSlicing | None = None
    mps: Mps | None = None
    mig: MigSpec | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        ways = {"timeSlicing": self.time_slicing, "mps": self.mps, "mig": self.mig}
        given = [name for name, way in ways.items() if way is not None]
        if len(given) > 1:
            raise ValueError(f"at most one of timeSlicing, mps, mig; got {' and '.join(given)}")
        return self


class GpuSpec(Part):
    """The GPUs of a node; what is left out comes from the instance type."""

    model: Name | None = None
    count: Annotated[int, Field(ge=1, le=GPUS_MAX)] | None = None
    sharing: SharingSpec | None = None


class TemplateSpec(Part):
    """What a new node looks like once it is ready."""

    instance_type: Name | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    taints: List[TaintSpec] = ()
    startup_taints: List[TaintSpec] = ()
    resources: Quantities = Field(default_factory=dict)
    reserved: Quantities = Field(default_factory=dict)
    gpu: GpuSpec | None = None

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.instance_type is None and not self.resources:
            raise ValueError("give instanceType, or the resources that a node offers")
        return self
