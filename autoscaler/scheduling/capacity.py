"""What is left on each row, and the closed-form fill of pods that look at room alone.

First fit of n equal pods, pod by pod, gives each row as many as it holds until the pods run out. That is a cumulative
sum, so it is computed as one (algorithms: prefix sum and search). A few rows are cheaper as Python integers, many as
one matrix; both give the same answer, and the switch happens once, when a fleet grows past `FEW_ROWS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from autoscaler.model.lazy_numpy import np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]
else:
    Ints = object  # numpy is loaded by the first array, not by its type
    Mask = object  # numpy is loaded by the first array, not by its type


Needs = tuple[tuple[int, int], ...]
"""Position of a resource and the amount of it that one pod needs, above zero."""

Filled = tuple[Sequence[int] | Ints, Sequence[int] | Ints]
"""Rows that got pods, and how many each."""

FEW_ROWS = 64


class Capacity(Protocol):
    """Free amounts by row and resource; amounts may be negative on overdrawn rows."""

    def __len__(self) -> int:
        """The number of rows."""

    def extend(self, rows: Sequence[Sequence[int]]) -> None:
        """Add rows with these free amounts."""

    def truncate(self, count: int) -> None:
        """Drop all rows from `count` on."""

    def free(self, row: int, resource: int) -> int:
        """What is left."""

    def room(self, needs: Needs, row: int) -> int:
        """How many pods of these needs the row still holds; never negative."""

    def take(self, needs: Needs, rows: Sequence[int] | Ints, pods: Sequence[int] | Ints) -> None:
        """Put pods on distinct rows; negative numbers take them off."""

    def matrix(self) -> Ints:
        """int64[rows, resources]; a view or a copy, not to be written to."""


class FewRows:
    """Free amounts as lists of integers."""

    def __init__(self, resources: int) -> None:
        self._resources = resources
        self._free: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._free)

    def extend(self, rows: Sequence[Sequence[int]]) -> None:
        """Add rows with these free amounts."""
        self._free += [list(row) for row in rows]

    def truncate(self, count: int) -> None:
        """Drop all rows from `count` on."""
        del self._free[count:]

    def free(self, row: int, resource: int) -> int:
        """What is left."""
        return self._free[row][resource]

    def room(self, needs: Needs, row: int) -> int:
        """How many pods of these needs the row still holds."""
        free = self._free[row]
        least = min([free[resource] // amount for resource, amount in needs])
        return least if least > 0 else 0

    def take(self, needs: Needs, rows: Sequence[int] | Ints, pods: Sequence[int] | Ints) -> None:
        """Put pods on distinct rows; negative numbers take them off."""
        for row, count in zip(rows, pods, strict=True):
            free = self._free[row]
            for resource, amount in needs:
                free[resource] -= amount * int(count)

    def matrix(self) -> Ints:
        """A copy, int64[rows, resources]."""
        return np.array(self._free, dtype=np.int64).reshape(len(self._free), self._resources)


class ManyRows:
    """Free amounts as one matrix, a resource after the other in memory."""

    def __init__(self, few: FewRows, resources: int) -> None:
        self._all: Ints = np.zeros((resources, 4 * FEW_ROWS), dtype=np.int64)
        self._count = 0
        if len(few):
            self.extend(few.matrix())

    def __len__(self) -> int:
        return self._count

    def extend(self, rows: Sequence[Sequence[int]] | Ints) -> None:
        """Add rows with these free amounts."""
        if not len(rows):
            return
        end = self._count + len(rows)
        if end > self._all.shape[1]:
            grown = np.zeros((self._all.shape[0], max(end, 2 * self._all.shape[1])), dtype=np.int64)
            grown[:, : self._count] = self._all[:, : self._count]
            self._all = grown
        self._all[:, self._count : end] = np.asarray(rows, dtype=np.int64).T
        self._count = end

    def truncate(self, count: int) -> None:
        """Drop all rows from `count` on."""
        self._count = min(self._count, count)

    def free(self, row: int, resource: int) -> int:
        """What is left."""
        return int(self._all[resource, row])

    def room(self, needs: Needs, row: int) -> int:
        """How many pods of these needs the row still holds."""
        free = self._all[:, row].tolist()
        least: int = min([free[resource] // amount for resource, amount in needs])
        return least if least > 0 else 0

    def rooms(self, needs: Needs) -> Ints:
        """The same for all rows, int64[rows]; not below zero."""
        least: Ints | None = None
        for resource, amount in needs:
            free = self._all[resource, : self._count]
            # Dividing int64 is the dear part; a request of one needs none of it.
            count = free if amount == 1 else free // amount
            least = count if least is None else np.minimum(least, count)
        assert least is not None
        return np.maximum(least, 0)

    def take(self, needs: Needs, rows: Sequence[int] | Ints, pods: Sequence[int] | Ints) -> None:
        """Put pods on distinct rows; negative numbers take them off."""
        if len(rows) == 1:
            row, count = rows[0], int(pods[0])
            for resource, amount in needs:
                self._all[resource, row] -= amount * count
            return
        counts = np.asarray(pods, dtype=np.int64)
        for resource, amount in needs:
            self._all[resource, rows] -= amount * counts

    def matrix(self) -> Ints:
        """A view, int64[rows, resources]."""
        return self._all[:, : self._count].T


def fill_one_by_one(capacity: Capacity, needs: Needs, count: int, rows: Iterable[int]) -> Filled:
    """First fit of `count` pods over rows in the given order, each row that the caller lets in; takes nothing yet."""
    found: list[int] = []
    pods: list[int] = []
    for row in rows:
        room = capacity.room(needs, row)
        if room:
            found.append(row)
            pods.append(room if room < count else count)
            count -= pods[-1]
            if not count:
                break
    return found, pods


def fill_at_once(capacity: ManyRows, needs: Needs, count: int, open_: Mask, order: Ints | None) -> Filled:
    """The same over all rows that are open (bool[rows]), or those of `order` (int64[n], distinct)."""
    rooms = capacity.rooms(needs)
    rooms *= open_
    if order is not None:
        rooms = rooms[order]
    used = np.flatnonzero(rooms)
    if not len(used):
        return [], []
    pods = rooms[used]
    # No row counts for more than the demand, so that the sum cannot overflow.
    total = np.cumsum(np.minimum(pods, count))
    last = int(np.searchsorted(total, count))
    if last < len(used):
        used, pods = used[: last + 1], pods[: last + 1]
        pods[last] = count - (int(total[last - 1]) if last else 0)
    return (used if order is None else order[used]), pods


def integers(values: Sequence[int] | Ints) -> Sequence[int]:
    """The values as Python integers, which are cheaper one by one."""
    if isinstance(values, (list, tuple, range)):  # asked first, so that a small fleet never loads numpy
        return values
    found: list[int] = values.tolist() if hasattr(values, "tolist") else list(values)
    return found
