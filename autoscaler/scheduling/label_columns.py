"""Label sets as columns of small integers, so that a selector is a few vector operations over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.lazy_numpy import np
from autoscaler.scheduling.filters.clauses import Clause

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
else:
    Mask = object  # numpy is loaded by the first array, not by its type


class LabelColumns:
    """Distinct label sets, as far as `keys` go, numbered in the order in which they come."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = tuple(sorted(keys))
        self._numbers: dict[tuple[str | None, ...], int] = {}
        self._columns: dict[str, tuple[npt.NDArray[np.int32], dict[str | None, int]]] = {}
        self._masks: dict[Clause | Requirement, Mask] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, labels: Mapping[str, str]) -> int:
        """The number of the label set."""
        return self._numbers.setdefault(tuple(map(labels.get, self._keys)), len(self._numbers))

    def mask(self, clause: Clause) -> Mask:
        """Where one of the clause's terms matches, bool[len(self)]. The clause must not read names of nodes."""
        found = self._masks.get(clause)
        if found is None or len(found) < len(self):
            found = np.zeros(len(self), dtype=bool)
            for term in clause:
                if term.expressions:
                    found |= self._term(term)
            self._masks[clause] = found
        return found

    def _term(self, term: NodeSelectorTerm) -> Mask:
        found = self._requirement(term.expressions[0])
        for requirement in term.expressions[1:]:
            found = found & self._requirement(requirement)
        return found

    def _requirement(self, requirement: Requirement) -> Mask:
        found = self._masks.get(requirement)
        if found is None or len(found) < len(self):
            codes, values = self._column(requirement.key)
            if requirement.operator == "In" and len(requirement.values) == 1:
                found = codes == values.get(requirement.values[0], -1)
            elif requirement.operator == "In":
                holds = np.zeros(len(values), dtype=bool)
                holds[[values[v] for v in requirement.values if v in values]] = True
                found = holds[codes]
            else:
                key = requirement.key
                found = np.array([requirement.matches({} if v is None else {key: v}) for v in values], dtype=bool)[
                    codes
                ]
            self._masks[requirement] = found
        return found

    def _column(self, key: str) -> tuple[npt.NDArray[np.int32], dict[str | None, int]]:
        """A code for each label set's value of `key`, and the values in the order of their codes."""
        found = self._columns.get(key)
        if found is None or len(found[0]) < len(self):
            at = self._keys.index(key)
            values: dict[str | None, int] = {}
            codes = [values.setdefault(item[at], len(values)) for item in self._numbers]
            found = np.array(codes, dtype=np.int32), values
            self._columns[key] = found
        return found
