"""Amounts of resources: sorted tuples for values that are kept, integer vectors for arithmetic.

cpu is in thousandths of a core; memory, ephemeral-storage and hugepages in bytes; everything else in devices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autoscaler.model.lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    Vector = npt.NDArray[np.int64]
else:
    Vector = object  # numpy is loaded by the first array, not by its type


Amounts = tuple[tuple[str, int], ...]
"""Resource name and amount, sorted by name, no zero amounts."""


CPU, MEMORY, PODS, STORAGE = "cpu", "memory", "pods", "ephemeral-storage"

NO_AMOUNTS: Amounts = ()

ACCELERATOR_PREFIXES = ("nvidia.com/", "amd.com/", "aws.amazon.com/neuron")
ACCELERATOR_NAMES = frozenset(
    {"gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "google.com/tpu", "intel.com/gpu"}
)
# Names under those prefixes that are no compute devices.
NOT_ACCELERATORS = frozenset(
    {
        "nvidia.com/hostdev",
        "nvidia.com/resibp",
        "nvidia.com/resrdma",
        # Shares of a GPU's memory and cores (HAMi): they count megabytes and percent.
        "nvidia.com/gpumem",
        "nvidia.com/gpumem-percentage",
        "nvidia.com/gpucores",
    }
)


def amounts(items: Mapping[str, int] | Iterable[tuple[str, int]]) -> Amounts:
    """Sorted, without zero amounts."""
    pairs = items.items() if isinstance(items, Mapping) else items
    return tuple(sorted((name, amount) for name, amount in pairs if amount))


def is_accelerator(resource: str, extra: frozenset[str] = frozenset()) -> bool:
    """True for a resource that counts accelerators (`interfaces.md`, acceleratorResources); `extra` adds names."""
    if resource in extra or resource in ACCELERATOR_NAMES:
        return True
    return resource.startswith(ACCELERATOR_PREFIXES) and resource not in NOT_ACCELERATORS


@dataclass(frozen=True, slots=True)
class Axis:
    """The order of resources in vectors and matrices of one snapshot."""

    names: tuple[str, ...]
    index: Mapping[str, int] = field(compare=False)

    @classmethod
    def of(cls, names: Iterable[str]) -> Axis:
        """An axis over `names`: cpu, memory, pods first, the rest sorted, so that equal sets give equal axes."""
        first = (CPU, MEMORY, PODS)
        ordered = first + tuple(sorted(set(names) - set(first)))
        return cls(ordered, {name: i for i, name in enumerate(ordered)})

    def __len__(self) -> int:
        return len(self.names)

    def vector(self, values: Amounts) -> Vector:
        """`values` as int64[len(axis)]; names outside the axis are left out."""
        out = np.zeros(len(self.names), dtype=np.int64)
        index = self.index
        for name, amount in values:
            at = index.get(name)
            if at is not None:
                out[at] = amount
        return out

    def amounts(self, vector: Vector) -> Amounts:
        """The inverse of `vector`, without zeros."""
        return amounts((name, int(vector[i])) for i, name in enumerate(self.names))
