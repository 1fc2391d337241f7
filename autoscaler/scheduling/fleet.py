"""The working set of a decision: rows, what is left on them, and which pods are where - with a way back.

Pods are placed by class. Those that look at room alone are placed in closed form; those that look at other pods by
`WatchfulFill`. Both give exactly what kube-scheduler's filters with first fit in row order would give pod by pod.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from autoscaler.model.lazy_numpy import np
from autoscaler.model.reasons import Reason
from autoscaler.model.resources import Axis
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.capacity import (
    FEW_ROWS,
    Capacity,
    FewRows,
    Ints,
    ManyRows,
    Needs,
    fill_at_once,
    fill_one_by_one,
    integers,
)
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.empty_nodes import empty_nodes_of
from autoscaler.scheduling.filters import first_rejection
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.loads import loads_of
from autoscaler.scheduling.neighbors import Neighbors
from autoscaler.scheduling.roster import Roster
from autoscaler.scheduling.rows import Row
from autoscaler.scheduling.verdicts import clauses_hold
from autoscaler.scheduling.watchful_fill import WatchfulFill

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
else:
    Mask = object  # numpy is loaded by the first array, not by its type


Rows = Sequence[int] | Ints

Token = tuple[int, int]
"""What `mark` returns: how many entries the log had, and how many rows there were."""

_LIVING, _DYING, _REPLACED = 0, 1, 2


class Fleet:
    """Rows that pods of `table` are placed on. Indexes are positions in the order in which rows were added."""

    def __init__(self, snapshot: Snapshot, table: ClassTable, axis: Axis) -> None:
        self.snapshot = snapshot
        self.table = table
        self.axis = axis
        self._verdicts = table.verdicts
        self._loads = loads_of(table, axis)
        self._empty = empty_nodes_of(table)
        self._roster = Roster()
        self._neighbors = Neighbors(table, self._roster, self._empty.takes)
        self._capacity: Capacity = FewRows(len(axis))
        self._log: list[tuple[int, int, Rows, Rows]] = []

    def __len__(self) -> int:
        return len(self._roster)

    @property
    def rows(self) -> Sequence[Row]:
        """The rows, by index."""
        return self._roster.rows

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rows, by index."""
        return tuple(row.name for row in self._roster.rows)

    @property
    def free(self) -> Ints:
        """What is left, int64[rows, len(axis)]; not to be written to."""
        return self._capacity.matrix()

    def add(self, row: Row) -> int:
        """Add a row that takes pods; its index. It replaces a node of the same name that was set aside."""
        return self.add_many((row,))[0]

    def add_many(self, rows: Sequence[Row]) -> range:
        """Add rows; their indexes."""
        first = len(self._roster)
        readings = self._loads.read_all(rows)
        for row, reading in zip(rows, readings, strict=True):
            if self._roster.aside:
                self._replace_aside(row.name)
            index = self._roster.add(row, reading.shape)
            self._neighbors.enter(index, reading.load)
        if len(self._roster) > FEW_ROWS and isinstance(self._capacity, FewRows):
            self._capacity = ManyRows(self._capacity, len(self.axis))
        self._capacity.extend([reading.free for reading in readings])
        return range(first, len(self._roster))

    def add_aside(self, row: Row) -> None:
        """A node that takes no pods, but whose pods and labels count for spread and affinity: not ready, draining.

        Rolling back does not take it back.
        """
        reading = self._loads.read(row)
        self._neighbors.enter(self._roster.add_aside(row, reading.shape), reading.load)

    def add_potential(self, row: Row) -> None:
        """An empty node that a usable pool could add.

        Only its topology domains count, as empty ones, for the spread of pods that it would take. They are not there
        for kube-scheduler yet: set `count_potential` to False while filling nodes that exist. Rolling back does not
        take it back.
        """
        self._neighbors.potential.append(row)

    def set_potential(self, rows: Callable[[], Sequence[Row]]) -> None:
        """The same for many rows, which are made when a class first asks for them."""
        self._neighbors.promised = rows

    @property
    def count_potential(self) -> bool:
        """Whether the domains of potential nodes count; they do, unless it is set to False."""
        return self._neighbors.potential_counts

    @count_potential.setter
    def count_potential(self, value: bool) -> None:
        self._neighbors.potential_counts = value

    def why_not(self, cls: int, index: int) -> Reason | None:
        """The first filter that refuses one more pod of the class on the row as it is now; None: it fits."""
        item = self.table.classes[cls]
        item.needs(self.axis)  # refuses an axis without a resource that the class asks for

        def free(resource: str) -> int:
            at = self.axis.index.get(resource)
            return 0 if at is None else self._capacity.free(index, at)

        return first_rejection(Site(item, self._roster.rows[index], self.snapshot, free, self._neighbors, index))

    def why_not_empty(self, cls: int, row: Row) -> Reason | None:
        """The first filter that refuses the class on an empty node like `row` in an empty cluster; None: it fits.

        Kept by class and kind of row. The pods of `row` are not looked at.
        """
        return self._empty.why_not(cls, row)

    def takes_empty(self, cls: int, row: Row) -> bool:
        """Whether `why_not_empty` is None, without looking for the reason, which is much cheaper."""
        return self._empty.takes(cls, row)

    def takes_all_empty(self, cls: int, rows: tuple[Row, ...]) -> Mask:
        """`takes_empty` for many rows at once, bool[rows]; hand in the same tuple for every class."""
        return self._empty.takes_all(cls, rows)

    def static_mask(self, cls: int) -> Mask:
        """Where the class fits by taints, labels, volumes and claims, room and other pods aside: bool[rows]."""
        found = self._verdicts.mask(cls)[self._roster.shape_array()]
        by_name = self._verdicts.asks(cls).by_name
        if by_name:
            open_, found = found, np.zeros(len(found), dtype=bool)
            for index in self._roster.candidates(by_name):
                found[index] = open_[index] and clauses_hold(by_name, self._roster.rows[index])
        return found

    def room(self, cls: int, index: int) -> int:
        """How many more pods of the class fit on the row now, other pods aside; exact for simple classes."""
        if not any(True for _ in self._fitting(cls, (index,))):
            return 0
        return self._capacity.room(self.table.classes[cls].needs(self.axis), index)

    def fill(self, cls: int, count: int, rows: Rows | None = None) -> list[tuple[int, int]]:
        """Place up to `count` pods, first fit over all rows or those given (distinct), in order: (row, pods) that fit.

        An int64 array as `rows` is cheaper than a list where there are many.
        """
        if count <= 0 or not len(self._roster):
            return []
        needs = self.table.classes[cls].needs(self.axis)
        if self._looks_at_room_alone(cls):
            found, pods = self._fill_simple(cls, needs, count, rows)
            if len(found):
                self._put(cls, found, pods)
            return list(zip(integers(found), integers(pods), strict=True))
        candidates = self._candidates(cls, needs, rows)
        item = self.table.classes[cls]
        placed = WatchfulFill(item, needs, self._roster, self._neighbors, self._capacity, candidates).run(count)
        if placed:
            self._log.append((_LIVING, cls, tuple(placed), tuple(placed.values())))
        return list(placed.items())

    def place(self, cls: int, index: int, count: int = 1) -> None:
        """Put pods on a row without asking."""
        self._put(cls, (index,), (count,))

    def place_many(self, cls: int, rows: Sequence[int], counts: Sequence[int]) -> None:
        """Put pods on distinct rows, `counts[i]` on `rows[i]`, without asking."""
        self._put(cls, tuple(rows), tuple(counts))

    def remove(self, cls: int, index: int, count: int = 1) -> None:
        """Take pods off a row; those that are not being deleted first."""
        living = count
        if cls in self._neighbors.watched:
            living = min(count, self._neighbors.living(cls, index))
        if living:
            self._put(cls, (index,), (-living,))
        if count > living:
            self._put(cls, (index,), (living - count,), _DYING)

    def mark(self) -> Token:
        """A point to come back to. Marks nest."""
        return len(self._log), len(self._roster)

    def rollback(self, token: Token) -> None:
        """Take back all pods placed or removed and all rows added since `mark`."""
        entries, rows = token
        while len(self._log) > entries:
            kind, cls, found, pods = self._log.pop()
            if kind == _REPLACED:
                self._bring_back(found[0])
            else:
                self._change(kind, cls, found, [-n for n in integers(pods)])
        if rows < len(self._roster):
            for index in range(len(self._roster) - 1, rows - 1, -1):
                self._neighbors.leave(index, self._loads.of(self._roster.rows[index]))
            self._roster.truncate(rows)
            self._capacity.truncate(rows)

    def _looks_at_room_alone(self, cls: int) -> bool:
        """True if no other pod can keep the class from a row now."""
        if not self.table.classes[cls].spec.is_simple:
            return False
        return not any(count.counts for count in self._neighbors.apart(cls))

    def _fill_simple(self, cls: int, needs: Needs, count: int, rows: Rows | None) -> tuple[Rows, Rows]:
        capacity = self._capacity
        if isinstance(capacity, ManyRows) and (rows is None or len(rows) > FEW_ROWS):
            order = None if rows is None else np.asarray(rows, dtype=np.int64)
            return fill_at_once(capacity, needs, count, self.static_mask(cls), order)
        return fill_one_by_one(capacity, needs, count, self._fitting(cls, rows))

    def _candidates(self, cls: int, needs: Needs, rows: Rows | None) -> Iterable[int]:
        """Rows that the class fits by labels and taints, in order; those without room may be left out."""
        capacity = self._capacity
        if not isinstance(capacity, ManyRows) or (rows is not None and len(rows) <= FEW_ROWS):
            return self._fitting(cls, rows)
        open_ = self.static_mask(cls) & (capacity.rooms(needs) > 0)
        if rows is None:
            return integers(np.flatnonzero(open_))
        order = np.asarray(rows, dtype=np.int64)
        return integers(order[open_[order]])

    def _fitting(self, cls: int, rows: Rows | None) -> Iterable[int]:
        """Rows of `rows`, or all, that the class fits by labels and taints; asked one by one."""
        by_name = self._verdicts.asks(cls).by_name
        kept, shapes, ok = self._verdicts.by_shape(cls), self._roster.shapes, self._verdicts.ok
        for index in range(len(shapes)) if rows is None else integers(rows):
            fits = kept.get(shapes[index])
            if fits is None:
                fits = ok(cls, shapes[index])
            if fits and (not by_name or clauses_hold(by_name, self._roster.rows[index])):
                yield index

    def _put(self, cls: int, rows: Rows, pods: Rows, kind: int = _LIVING) -> None:
        self._change(kind, cls, rows, pods)
        self._log.append((kind, cls, rows, pods))

    def _change(self, kind: int, cls: int, rows: Rows, pods: Rows) -> None:
        self._capacity.take(self.table.classes[cls].needs(self.axis), rows, pods)
        if cls in self._neighbors.watched:
            put = self._neighbors.put if kind == _LIVING else self._neighbors.put_dying
            for row, count in zip(integers(rows), integers(pods), strict=True):
                put(cls, row, count)

    def _replace_aside(self, name: str) -> None:
        index = self._roster.aside_named(name)
        if index is not None:
            self._neighbors.leave(index, self._loads.of(self._roster.row(index)))
            self._roster.gone.add(index)
            self._log.append((_REPLACED, 0, (index,), ()))

    def _bring_back(self, index: int) -> None:
        self._roster.gone.discard(index)
        self._neighbors.enter(index, self._loads.of(self._roster.row(index)))
