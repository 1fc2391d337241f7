"""What can be bought, and what was: the arguments and the answer of `purchase`.

Classes (of equal pods) and templates (of equal new nodes) are row numbers here; names, pods and policies stay
with the caller. C classes, T templates, R resources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autoscaler.model.lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    IntArray = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]
    BoolArray = npt.NDArray[np.bool_]
else:
    IntArray = object  # numpy is loaded by the first array, not by its type
    FloatArray = object  # numpy is loaded by the first array, not by its type
    BoolArray = object  # numpy is loaded by the first array, not by its type


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """A linear cap over new nodes: `sum(coefficients[t] * nodes[t]) <= bound`.

    The maximum of a pool (1 for its templates), nodes or GPUs of the cluster, dollars an hour. `coefficients` is
    float64[T], none negative; `bound` is what is left for new nodes, infinite if nothing binds.
    """

    coefficients: FloatArray
    bound: float


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """The templates of new nodes.

    `capacity`: int64[T, R], allocatable of one empty node after its daemons. `price`: float64[T], dollars an
    hour; infinite or NaN where unknown: bought only for pods that nothing with a price can take. `compatible`:
    bool[C, T], whether class c may run on template t at all (labels, taints, zones), sizes aside. `tier`:
    int64[T], a higher tier is used up before a lower one, whatever it costs (a pool's weight).
    """

    capacity: IntArray
    price: FloatArray
    compatible: BoolArray
    limits: tuple[Limit, ...]
    tier: IntArray


@dataclass(frozen=True, slots=True)
class Bought:
    """`count` new nodes of a template, each filled alike: `pattern` is (class, pods) by class, no zeros."""

    template: int
    count: int
    pattern: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Purchase:
    """The nodes to buy and the pods they are for.

    `bought` is sorted by template, then pattern. `unserved`: int64[C], pods that no template can take or that the
    caps leave out; `impossible`: bool[C], classes that no empty node of any template can take even without caps.
    `cost`: dollars an hour of the nodes whose price is known; `unpriced` counts the others. `method` names what
    found the answer. `lower_bound`: dollars an hour that serving these pods costs at least with as many nodes (often
    loose; 0.0 where several tiers, unknown prices or caps leave nothing to say).
    """

    bought: tuple[Bought, ...]
    unserved: IntArray
    impossible: BoolArray
    cost: float
    unpriced: int
    method: str
    lower_bound: float

    @property
    def nodes(self) -> int:
        """How many nodes are bought."""
        return sum(group.count for group in self.bought)


def check(requests: IntArray, demand: IntArray, market: Market, priority: IntArray | None) -> None:
    """Raise ValueError, naming the argument, unless shapes agree and no amount is negative."""
    classes, resources = requests.shape if requests.ndim == 2 else (-1, -1)
    templates = len(market.price)
    expected = (
        ("requests", requests, (classes, resources)),
        ("demand", demand, (classes,)),
        ("capacity", market.capacity, (templates, resources)),
        ("price", market.price, (templates,)),
        ("compatible", market.compatible, (classes, templates)),
        ("tier", market.tier, (templates,)),
        *((f"limits[{i}].coefficients", limit.coefficients, (templates,)) for i, limit in enumerate(market.limits)),
        *((("priority", priority, (classes,)),) if priority is not None else ()),
    )
    for name, array, shape in expected:
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape}, expected {shape}")
        if name not in ("price", "tier", "priority") and array.size and not array.min() >= 0:
            raise ValueError(f"{name} has a negative amount; all amounts have to be 0 or more")
    for i, limit in enumerate(market.limits):
        if np.isnan(limit.bound):
            raise ValueError(f"limits[{i}].bound is not a number; use infinity for a limit that never binds")
    if (market.price < 0).any():
        raise ValueError("price has a negative amount; use 0 for a machine that is paid for anyway")
