"""Would an empty node of this kind ever take this class? Asked for every class and every template; kept by kind."""

from __future__ import annotations

from autoscaler.model.reasons import Reason
from autoscaler.model.resources import Amounts
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.filters import first_rejection
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rows import Row

Kind = tuple[int, int]
"""Shape of the row, and number of what it offers."""


class EmptyNodes:
    """Verdicts on empty nodes. A node that has been asked about is remembered by identity."""

    def __init__(self, table: ClassTable) -> None:
        self._table = table
        self._kinds: dict[int, tuple[Row, Kind]] = {}
        self._offers: dict[tuple[Amounts, Amounts, tuple[tuple[str, int], ...]], int] = {}
        self._kept: dict[tuple[int, Kind], Reason | None] = {}

    def takes(self, cls: int, row: Row) -> bool:
        """True if an empty node like `row` would take the class."""
        return self.why_not(cls, row) is None

    def why_not(self, cls: int, row: Row) -> Reason | None:
        """The first filter that refuses the class on an empty node like `row`; None: it fits."""
        known = self._kinds.get(id(row))
        if known is None:
            offer = self._offers.setdefault((row.allocatable, row.reserved, row.attach_limits), len(self._offers))
            known = self._kinds[id(row)] = row, (self._table.verdicts.shape(row), offer)
        key = (cls, known[1])
        if key in self._kept:
            return self._kept[key]
        found = first_rejection(Site(self._table.classes[cls], row, self._table.snapshot, _free_of(row).__getitem__))
        if not self._table.verdicts.asks(cls).by_name:
            self._kept[key] = found
        return found


def empty_nodes_of(table: ClassTable) -> EmptyNodes:
    """The verdicts that are kept with the table."""
    found = table.kept.get(EmptyNodes)
    if not isinstance(found, EmptyNodes):
        found = table.kept[EmptyNodes] = EmptyNodes(table)
    return found


class _Free(dict[str, int]):
    def __missing__(self, resource: str) -> int:
        return 0


def _free_of(row: Row) -> _Free:
    """What is left of each resource on the row without its pods."""
    free = _Free(row.allocatable)
    for resource, amount in row.reserved:
        free[resource] -= amount
    return free
