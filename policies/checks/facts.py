"""What the checks know: the file, the catalog, and what follows of both for one pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Protocol

from policies.loading import PolicyFile
from policies.problems import Path, Problem
from policies.schema_pool import NodePool, PoolSpec

NVIDIA = "nvidia.com/gpu"
# interfaces of `acceleratorResources`: the built-in list.
ACCELERATORS = (
    "nvidia.com/*",
    "amd.com/*",
    "gpu.intel.com/*",
    "habana.ai/gaudi",
    "aws.amazon.com/neuron*",
    "google.com/tpu",
)


class Machine(Protocol):
    """What the checks ask an instance type of the catalog."""

    @property
    def provider(self) -> str:
        """aws or gcp."""

    @property
    def resources(self) -> Sequence[tuple[str, int]]:
        """Resource names and amounts, cpu in thousandths."""

    @property
    def gpu_model(self) -> str:
        """The id of the GPU model, "" without GPUs."""

    @property
    def gpu_count(self) -> int:
        """Whole GPUs."""

    @property
    def gpu_resource(self) -> str:
        """The resource that counts them."""

    @property
    def on_demand_usd(self) -> float | None:
        """Dollars an hour, None if not known."""

    @property
    def spot_usd(self) -> float | None:
        """Dollars an hour, None if not known."""


class Known(Protocol):
    """What the checks ask the catalog (`providers.catalog.catalog.load_catalog()`)."""

    def instance_type(self, name: str, /) -> Machine | None:
        """The instance type of that name, or None."""

    def instance_type_names(self) -> tuple[str, ...]:
        """All of them."""

    def gpu_model(self, name: str, /) -> Any:
        """The GPU model with its `id`, or None."""

    def layout(self, name: str, model: Any, /) -> tuple[tuple[str, int], ...] | None:
        """A layout by its mig-parted name as profile counts of one GPU, () for whole GPUs, or None."""

    def layout_problem(self, model_id: str, layout: Any, /) -> str | None:
        """Why the GPU model cannot have the layout, or None."""


@dataclass(frozen=True, slots=True)
class Facts:
    """One pool with what the catalog says of it."""

    file: PolicyFile
    pool: NodePool
    catalog: Known

    @property
    def name(self) -> str:
        """The pool's name."""
        return self.pool.name

    @property
    def spec(self) -> PoolSpec:
        """The pool's spec."""
        return self.pool.spec

    @property
    def machine(self) -> Machine | None:
        """The catalog's entry of the pool's instance type."""
        name = self.spec.template.instance_type
        return self.catalog.instance_type(name) if name else None

    @property
    def gpu_count(self) -> int:
        """Whole GPUs of a node, by the policy or the catalog; 0 if neither says."""
        gpu, machine = self.spec.template.gpu, self.machine
        if gpu is not None and gpu.count:
            return gpu.count
        return machine.gpu_count if machine else 0

    @property
    def accelerators(self) -> int:
        """GPUs or other accelerators of a node, those that the resources name included."""
        extra = self.file.cluster.accelerator_resources
        given = self.spec.template.resources.items()
        listed = [n for name, n in given if name in extra or any(fnmatchcase(name, a) for a in ACCELERATORS)]
        return self.gpu_count or max(listed, default=0)

    @property
    def gpu_resource(self) -> str:
        """The resource that counts the node's whole GPUs."""
        machine = self.machine
        return machine.gpu_resource if machine and machine.gpu_resource else NVIDIA

    @property
    def gpu_model(self) -> str:
        """The GPU model as the policy or the catalog names it, "" if neither does."""
        gpu, machine = self.spec.template.gpu, self.machine
        return (gpu.model if gpu else None) or (machine.gpu_model if machine else "")

    @property
    def price(self) -> float | None:
        """Dollars an hour of one node, by the policy or the catalog; None if neither says."""
        if self.spec.price is not None:
            return self.spec.price.usd_per_hour
        machine = self.machine
        if machine is None:
            return None
        return machine.spot_usd if self.spec.capacity_type == "spot" else machine.on_demand_usd

    def error(self, path: Path, message: str) -> Problem:
        """A mistake at `path` of the pool's document."""
        return self.file.problem(self.name, path, message)

    def warning(self, path: Path, message: str) -> Problem:
        """Something to look at again, at `path` of the pool's document."""
        return self.file.problem(self.name, path, message, warning=True)


def facts_of(file: PolicyFile, catalog: Known) -> tuple[Facts, ...]:
    """One for each pool, sorted by name."""
    return tuple(Facts(file, pool, catalog) for pool in file.pools)
