"""What is known of machines and GPUs before any node exists. The data are in `providers/catalog`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from autoscaler.model.resources import Amounts


@dataclass(frozen=True, slots=True)
class MigProfile:
    """A MIG profile of one GPU model: size in placement units and the first units it may start at.

    `starts` None: the placements of this GPU are not known. Names mean different things on different
    models (`1g.10gb` is 7 a GPU on an H100-80GB and 4 on an A100-40GB): never look one up by name alone.
    """

    name: str
    resource: str
    compute_slices: int
    memory_slices: int | None
    max_count: int
    starts: tuple[int, ...] | None
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GpuModel:
    """A GPU model; `profiles` is empty for one without MIG. `compute_slices`, `memory_slices`: the placement grid."""

    id: str
    product_names: tuple[str, ...] = ()
    memory_gb: int = 0
    compute_slices: int | None = None
    memory_slices: int | None = None
    profiles: tuple[MigProfile, ...] = ()

    def profile(self, name: str) -> MigProfile | None:
        """The profile of that name; `+` and `.` before an attribute are the same (`1g.5gb+me`, `1g.5gb.me`)."""
        wanted = name.replace("+", ".")
        return next((p for p in self.profiles if p.name.replace("+", ".") == wanted), None)


@dataclass(frozen=True, slots=True)
class InstanceType:
    """A machine shape with its prices. `resources`: what the machine has, before anything is reserved.

    Prices are dollars an hour; None where none is known. `gpu_model` "" for a machine without GPUs.
    """

    name: str
    provider: str
    arch: str
    resources: Amounts
    gpu_model: str = ""
    gpu_count: int = 0
    gpu_resource: str = ""
    on_demand_usd: float | None = None
    spot_usd: float | None = None
    source: str = ""


class Catalog(Protocol):
    """Look-ups that planning and linting need."""

    def instance_type(self, name: str) -> InstanceType | None:
        """The instance type of that name, any provider."""

    def gpu_model(self, name: str) -> GpuModel | None:
        """The GPU model by its id, a product name, or the accelerator name of an instance type."""

    def layout(self, name: str, model: GpuModel) -> tuple[tuple[str, int], ...] | None:
        """A mig-parted layout name (`all-1g.5gb`, `all-balanced`, `all-disabled`) as profile counts for one GPU.

        () for `all-disabled`; None if the name does not exist or does not apply to this model.
        """

    def instance_type_names(self) -> tuple[str, ...]:
        """Every known instance type, sorted (for "did you mean")."""

    def gpu_model_names(self) -> tuple[str, ...]:
        """Every known GPU model id, sorted."""
