"""What a row offers to begin with, and what the pods on it use of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autoscaler.model.pods import Pod
from autoscaler.model.resources import Amounts, Axis
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.rows import Row

SPARE = 1024  # readings kept beyond twice the rows of the largest fleet


@dataclass(frozen=True, slots=True)
class Load:
    """Use by the pods of a row. `pods`, `dying`: the watched ones by class, and how many of them are being deleted."""

    used: Sequence[int]
    pods: Mapping[int, int]
    dying: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a fleet keeps of a row: the number of its shape, its load, and what is left of it, on the axis."""

    shape: int
    load: Load
    free: Sequence[int]


class Loads:
    """Loads of rows on one axis; each tuple of pods is read once, by identity."""

    def __init__(self, table: ClassTable, axis: Axis) -> None:
        self._table = table
        self._axis = axis
        self._needs = [c.needs(axis) for c in table.classes]
        self._nothing = Load([0] * len(axis), {}, {})
        self._loads: dict[int, tuple[tuple[Pod, ...], Load]] = {}
        self._bases: dict[tuple[Amounts, Amounts], list[int]] = {}
        self._readings: dict[int, tuple[Row, Reading]] = {}
        self._most = 0

    def of(self, row: Row) -> Load:
        """What the row's own pods use; finished ones use nothing."""
        if not row.pods:
            return self._nothing
        kept = self._loads.get(id(row.pods))
        if kept is None:
            kept = self._loads[id(row.pods)] = row.pods, self._read(row.pods)
        return kept[1]

    def read(self, row: Row) -> Reading:
        """All that a fleet keeps of the row."""
        return self.read_all((row,))[0]

    def read_all(self, rows: Sequence[Row]) -> list[Reading]:
        """The same for many rows, which the next fleet will have again for the most part: kept by identity."""
        kept, found = self._readings, []
        self._most = max(self._most, len(rows))
        if len(kept) > 2 * self._most + SPARE:
            kept.clear()  # rows that no fleet has any more
        for row in rows:
            known = kept.get(id(row))
            if known is None:
                known = kept[id(row)] = row, self._reading(row)
            found.append(known[1])
        return found

    def _reading(self, row: Row) -> Reading:
        base = self._base(row)
        load = self.of(row)
        free = [a - b for a, b in zip(base, load.used, strict=True)] if row.pods else base
        return Reading(self._table.verdicts.shape(row), load, free)

    def _base(self, row: Row) -> Sequence[int]:
        """Allocatable less what is reserved, on the axis."""
        key = (row.allocatable, row.reserved)
        found = self._bases.get(key)
        if found is None:
            found = self._bases[key] = [0] * len(self._axis)
            for sign, amounts in ((1, row.allocatable), (-1, row.reserved)):
                for name, amount in amounts:
                    at = self._axis.index.get(name)
                    if at is not None:
                        found[at] += sign * amount
        return found

    def _read(self, pods: Sequence[Pod]) -> Load:
        alive = [pod for pod in pods if pod.phase == "Running" or not pod.finished]
        counts: dict[int, int] = {}
        for cls in self._table.classes_of(alive):
            counts[cls] = counts.get(cls, 0) + 1
        used = [0] * len(self._axis)
        for cls, count in counts.items():
            for at, amount in self._needs[cls]:
                used[at] += amount * count
        watched = self._table.watched
        if watched.isdisjoint(counts):
            return Load(used, {}, {})
        dying: dict[int, int] = {}
        for pod in alive:
            if pod.deleted_at is not None and (cls := self._table.class_of(pod)) in watched:
                dying[cls] = dying.get(cls, 0) + 1
        return Load(used, {cls: n for cls, n in counts.items() if cls in watched}, dying)


def loads_of(table: ClassTable, axis: Axis) -> Loads:
    """The loads on this axis, kept with the table, so that the next fleet of the same snapshot has them ready."""
    found = table.kept.get(axis.names)
    if not isinstance(found, Loads):
        found = table.kept[axis.names] = Loads(table, axis)
    return found
