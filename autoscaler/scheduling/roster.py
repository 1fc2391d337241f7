"""The rows of a fleet, by index, with the number of each row's shape.

Indexes from 0 are rows that take pods. Negative ones are nodes that take none, but whose pods and labels count for
the constraints of others: nodes that are not ready, or that are being drained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from autoscaler.model.lazy_numpy import np
from autoscaler.model.nodes import HOSTNAME
from autoscaler.scheduling.filters.clauses import Clause, names_of
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    import numpy.typing as npt


class Roster:
    """Rows and their shapes; a stack, so that what was added last can be taken back."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.shapes: list[int] = []
        self.aside: list[Row] = []
        self.gone: set[int] = set()
        self._aside_shapes: list[int] = []
        self._aside_names: dict[str, int] = {}
        self._shape_array: npt.NDArray[np.int64] | None = None
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._named_rows = 0

    def __len__(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> Row:
        """The row of that index."""
        return self.rows[index] if index >= 0 else self.aside[-1 - index]

    def shape(self, index: int) -> int:
        """The shape of that row."""
        return self.shapes[index] if index >= 0 else self._aside_shapes[-1 - index]

    def add(self, row: Row, shape: int) -> int:
        """Add a row that takes pods; its index."""
        self.rows.append(row)
        self.shapes.append(shape)
        return len(self.rows) - 1

    def add_aside(self, row: Row, shape: int) -> int:
        """Add a row that takes none; its index."""
        self.aside.append(row)
        self._aside_shapes.append(shape)
        self._aside_names[row.name] = -len(self.aside)
        return -len(self.aside)

    def truncate(self, count: int) -> None:
        """Drop the rows from `count` on that take pods."""
        for index in range(self._named_rows - 1, count - 1, -1):
            for name in _names(self.rows[index]):
                self._named[name].pop()
        self._named_rows = min(self._named_rows, count)
        if self._shape_array is not None:
            self._shape_array = self._shape_array[:count]
        del self.rows[count:], self.shapes[count:]

    def shape_array(self) -> npt.NDArray[np.int64]:
        """The shapes of the rows that take pods, int64[rows]."""
        if self._shape_array is None:
            self._shape_array = np.zeros(0, dtype=np.int64)
        have = len(self._shape_array)
        if have < len(self.rows):
            self._shape_array = np.concatenate((self._shape_array, np.array(self.shapes[have:], dtype=np.int64)))
        return self._shape_array

    def candidates(self, clauses: Sequence[Clause]) -> Iterable[int]:
        """Rows outside which the clauses cannot all hold, in order: few, where one of them confines itself to names."""
        confined = next((names for clause in clauses if (names := names_of(clause)) is not None), None)
        if confined is None:
            return range(len(self.rows))
        for index in range(self._named_rows, len(self.rows)):
            for name in _names(self.rows[index]):
                self._named[name].append(index)
        self._named_rows = len(self.rows)
        return sorted({index for name in confined for index in self._named.get(name, ())})

    def present(self) -> list[int]:
        """The indexes of all rows that count."""
        aside = [-1 - at for at in range(len(self.aside)) if -1 - at not in self.gone]
        return [*aside, *range(len(self.rows))]

    def aside_named(self, name: str) -> int | None:
        """The index of the row aside that stands for the same node, if it still counts."""
        found = self._aside_names.get(name)
        return None if found in self.gone else found


def _names(row: Row) -> set[str]:
    """The names that a clause may know the row by."""
    return {row.name, row.labels.get(HOSTNAME, row.name)}
