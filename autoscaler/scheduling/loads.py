"""What a row offers to begin with, and what the pods on it use of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autoscaler.model.pods import Pod
from autoscaler.model.resources import Amounts, Axis
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.rows import Row


@dataclass(frozen=True, slots=True)
class Load:
    """Use by the pods of a row. `pods`, `dying`: the watched ones by class, and how many of them are being deleted."""

    used: Sequence[int]
    pods: Mapping[int, int]
    dying: Mapping[int, int]


class Loads:
    """Loads of rows on one axis; each tuple of pods is read once, by identity."""

    def __init__(self, table: ClassTable, axis: Axis) -> None:
        self._table = table
        self._axis = axis
        self._nothing = Load([0] * len(axis), {}, {})
        self._kept: dict[int, tuple[tuple[Pod, ...], Load]] = {}
        self._bases: dict[tuple[Amounts, Amounts], list[int]] = {}

    def of(self, row: Row) -> Load:
        """What the row's own pods use; finished ones use nothing."""
        if not row.pods:
            return self._nothing
        kept = self._kept.get(id(row.pods))
        if kept is None:
            kept = self._kept[id(row.pods)] = row.pods, self._read(row.pods)
        return kept[1]

    def base(self, row: Row) -> Sequence[int]:
        """Allocatable less what is reserved, on the axis; not to be written to."""
        key = (row.allocatable, row.reserved)
        found = self._bases.get(key)
        if found is None:
            found = (self._axis.vector(row.allocatable) - self._axis.vector(row.reserved)).tolist()
            self._bases[key] = found
        return found

    def free(self, row: Row) -> Sequence[int]:
        """What is left of the row to begin with, on the axis."""
        if not row.pods:
            return self.base(row)
        return [a - b for a, b in zip(self.base(row), self.of(row).used, strict=True)]

    def _read(self, pods: Sequence[Pod]) -> Load:
        alive = [pod for pod in pods if not pod.finished]
        counts: dict[int, int] = {}
        for cls in self._table.classes_of(alive):
            counts[cls] = counts.get(cls, 0) + 1
        used = [0] * len(self._axis)
        for cls, count in counts.items():
            for at, amount in self._table.classes[cls].needs(self._axis):
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
