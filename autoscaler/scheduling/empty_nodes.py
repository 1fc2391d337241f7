"""Would an empty node of this kind ever take this class? Asked for every class and every template; kept by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autoscaler.model.lazy_numpy import np
from autoscaler.model.reasons import Reason
from autoscaler.model.resources import PODS, Amounts
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.filters import first_rejection
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int64]

Offer = tuple[Amounts, Amounts, tuple[tuple[str, int], ...]]
"""What a node has: allocatable, what of it is reserved, attach limits."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Empty nodes that get one answer, but for those that depend on a node's name."""

    number: int
    shape: int
    free: Mapping[str, int]


class EmptyNodes:
    """Verdicts on empty nodes. A node that has been asked about is remembered by identity."""

    def __init__(self, table: ClassTable) -> None:
        self._table = table
        self._known: dict[int, tuple[Row, _Kind]] = {}
        self._kinds: dict[tuple[int, Offer], _Kind] = {}
        self._takes: dict[int, dict[int, bool]] = {}
        self._reasons: dict[tuple[int, int], Reason | None] = {}
        self._columns: dict[int, tuple[tuple[Row, ...], Ints, dict[str, Ints]]] = {}

    def takes(self, cls: int, row: Row) -> bool:
        """True if an empty node like `row` would take the class. Much cheaper than to ask why not."""
        kept = self._takes.get(cls)
        if kept is None:
            kept = self._takes[cls] = {}
        kind = self._kind(row)
        found = kept.get(kind.number)
        if found is None:
            asks, spec = self._table.verdicts.asks(cls), self._table.classes[cls].spec
            if asks.by_name or spec.volumes:
                return self.why_not(cls, row) is None
            free = kind.free
            fits = self._table.verdicts.ok(cls, kind.shape) and free.get(PODS, 0) > 0
            found = fits and all(amount <= free.get(name, 0) for name, amount in spec.requests if amount > 0)
            kept[kind.number] = found
        return found

    def takes_all(self, cls: int, rows: tuple[Row, ...]) -> Mask:
        """`takes` for many rows at once, bool[rows]; the same tuple should be handed in for every class."""
        asks, spec = self._table.verdicts.asks(cls), self._table.classes[cls].spec
        if asks.by_name or spec.volumes:
            return np.array([self.takes(cls, row) for row in rows], dtype=bool)
        kept = self._columns.get(id(rows))
        if kept is None:
            kinds = [self._kind(row) for row in rows]
            names = sorted({name for kind in kinds for name in kind.free})
            free = {name: np.array([k.free.get(name, 0) for k in kinds], dtype=np.int64) for name in names}
            kept = self._columns[id(rows)] = rows, np.array([k.shape for k in kinds], dtype=np.int64), free
        _, shapes, free = kept
        if not rows:
            return np.zeros(0, dtype=bool)
        found = self._table.verdicts.mask(cls)[shapes]
        for name, amount in (*spec.requests, (PODS, 1)):
            if amount > 0:
                found &= free[name] >= amount if name in free else False
        return found

    def why_not(self, cls: int, row: Row) -> Reason | None:
        """The first filter that refuses the class on an empty node like `row`; None: it fits."""
        kind = self._kind(row)
        key = (cls, kind.number)
        if key in self._reasons:
            return self._reasons[key]
        free = kind.free
        found = first_rejection(
            Site(self._table.classes[cls], row, self._table.snapshot, lambda name: free.get(name, 0))
        )
        if not self._table.verdicts.asks(cls).by_name:
            self._reasons[key] = found
        return found

    def _kind(self, row: Row) -> _Kind:
        known = self._known.get(id(row))
        if known is None:
            key = (self._table.verdicts.shape(row), (row.allocatable, row.reserved, row.attach_limits))
            kind = self._kinds.get(key)
            if kind is None:
                kind = self._kinds[key] = _Kind(len(self._kinds), key[0], _free_of(row))
            known = self._known[id(row)] = row, kind
        return known[1]


def empty_nodes_of(table: ClassTable) -> EmptyNodes:
    """The verdicts that are kept with the table."""
    found = table.kept.get(EmptyNodes)
    if not isinstance(found, EmptyNodes):
        found = table.kept[EmptyNodes] = EmptyNodes(table)
    return found


def _free_of(row: Row) -> Mapping[str, int]:
    """What is left of each resource on the row without its pods."""
    free = dict(row.allocatable)
    for name, amount in row.reserved:
        free[name] = free.get(name, 0) - amount
    return free
