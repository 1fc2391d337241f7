"""Which class fits which kind of node, other pods and room aside - asked once a pair of kinds.

Rows that no class can tell apart have one shape: the labels that some class reads (the hostname left out), taints,
cordon, and refused shares. Verdicts are kept by (class, shape); where there are many shapes they are made for all of
them at once, from verdicts by (clause, labels) and by (tolerations, taints). What reads a node's own name is asked
row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from autoscaler.model.labels import Labels
from autoscaler.model.lazy_numpy import np
from autoscaler.model.nodes import HOSTNAME, Taint
from autoscaler.model.pods import PodSpec, Toleration
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.filters import clauses_of
from autoscaler.scheduling.filters.clauses import Clause, clause_holds, keys_of, reads_name
from autoscaler.scheduling.filters.node_unschedulable import accepts_cordon
from autoscaler.scheduling.filters.shared_gpu import above_one
from autoscaler.scheduling.filters.taints import first_untolerated
from autoscaler.scheduling.label_columns import LabelColumns
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]
else:
    Mask = object  # numpy is loaded by the first array, not by its type


FEW_SHAPES = 32  # up to here one verdict after the other is cheaper than vectors

Taintings = tuple[tuple[Taint, ...], bool, frozenset[str]]
"""What of a node is not labels: taints, cordon, shared resources that refuse requests above one."""


class Judged(Protocol):
    """What a verdict reads of a class."""

    @property
    def spec(self) -> PodSpec:
        """The pods' spec."""

    @property
    def namespace(self) -> str:
        """The pods' namespace."""


@dataclass(frozen=True, slots=True)
class Asks:
    """What a class asks of a node: `by_shape` and `by_name` are clauses, the latter reading the node's own name."""

    by_shape: tuple[Clause, ...]
    by_name: tuple[Clause, ...]
    tolerations: tuple[Toleration, ...]
    above_one: frozenset[str]


class Verdicts:
    """Verdicts on the shapes of rows, for the classes of one table."""

    def __init__(self, classes: Sequence[Judged], snapshot: Snapshot) -> None:
        self._classes = classes
        self._snapshot = snapshot
        self._columns = LabelColumns(_node_keys(classes, snapshot))
        self._asks: dict[int, Asks] = {}
        self._taintings: dict[Taintings, int] = {}
        self._shapes: dict[tuple[int, int], int] = {}
        self._samples: list[Row] = []
        self._label_of: list[int] = []
        self._tainting_of: list[int] = []
        self._arrays: tuple[Sequence[int] | Ints, Sequence[int] | Ints] = (), ()
        self._kept: dict[int, dict[int, bool]] = {}
        self._masks: dict[int, Mask] = {}
        self._open: dict[tuple[tuple[Toleration, ...], frozenset[str]], Mask] = {}

    def shape(self, row: Row) -> int:
        """The number of the row's shape; rows of one shape get one verdict from every class."""
        taintings = (row.taints, row.unschedulable, row.refuses_above_one)
        tainting = self._taintings.setdefault(taintings, len(self._taintings))
        key = (self._columns.number(row.labels), tainting)
        found = self._shapes.get(key)
        if found is None:
            found = self._shapes[key] = len(self._shapes)
            self._samples.append(row)
            self._label_of.append(key[0])
            self._tainting_of.append(tainting)
        return found

    def asks(self, cls: int) -> Asks:
        """What the class asks of a node."""
        found = self._asks.get(cls)
        if found is None:
            item = self._classes[cls]
            clauses = clauses_of(item.spec, item.namespace, self._snapshot)
            found = Asks(
                tuple(c for c in clauses if not reads_name(c)),
                tuple(c for c in clauses if reads_name(c)),
                item.spec.tolerations,
                above_one(item.spec),
            )
            self._asks[cls] = found
        return found

    def by_shape(self, cls: int) -> dict[int, bool]:
        """Verdicts that are kept for a class, by shape; `ok` fills it."""
        found = self._kept.get(cls)
        if found is None:
            found = self._kept[cls] = {}
        return found

    def ok(self, cls: int, shape: int) -> bool:
        """True if rows of this shape may take the class, clauses on the node's name aside."""
        kept = self.by_shape(cls)
        found = kept.get(shape)
        if found is None:
            asks, row = self.asks(cls), self._samples[shape]
            found = kept[shape] = is_open(asks, row) and clauses_hold(asks.by_shape, row)
        return found

    def mask(self, cls: int) -> Mask:
        """`ok` for all shapes there are so far, bool[shapes]."""
        shapes = len(self._samples)
        found = self._masks.get(cls)
        have = 0 if found is None else len(found)
        if found is None or have < shapes:
            if shapes - have <= FEW_SHAPES:
                new = np.fromiter((self.ok(cls, s) for s in range(have, shapes)), dtype=bool, count=shapes - have)
                found = new if found is None else np.concatenate((found, new))
            else:
                found = self._all(self.asks(cls))
            self._masks[cls] = found
        return found

    def _all(self, asks: Asks) -> Mask:
        if len(self._arrays[0]) < len(self._samples):
            self._arrays = np.array(self._label_of), np.array(self._tainting_of)
        labels, taintings = self._arrays
        found = self._open_to(asks)[taintings]
        for clause in asks.by_shape:
            found &= self._columns.mask(clause)[labels]
        return found

    def _open_to(self, asks: Asks) -> Mask:
        """Verdicts on taints, cordon and shares, bool[taintings]."""
        key = (asks.tolerations, asks.above_one)
        found = self._open.get(key)
        if found is None or len(found) < len(self._taintings):
            bare = (Row("", Labels(), t, cordoned, (), (), refused) for t, cordoned, refused in self._taintings)
            found = np.array([is_open(asks, row) for row in bare], dtype=bool)
            self._open[key] = found
        return found


def is_open(asks: Asks, row: Row) -> bool:
    """True if taints, cordon and refused shares let the class in."""
    if first_untolerated(asks.tolerations, row.taints) is not None:
        return False
    if row.unschedulable and not accepts_cordon(asks.tolerations):
        return False
    return asks.above_one.isdisjoint(row.refuses_above_one)


def clauses_hold(clauses: Iterable[Clause], row: Row) -> bool:
    """True if the row meets every clause."""
    return all(clause_holds(clause, row.labels, row.name) for clause in clauses)


def _node_keys(classes: Sequence[Judged], snapshot: Snapshot) -> set[str]:
    """Labels of nodes that some class may read, by itself or through its volumes and claims."""
    keys: set[str] = set()
    for spec in {id(c.spec): c.spec for c in classes}.values():
        keys.update(key for key, _ in spec.node_selector)
        keys.update(c.topology_key for c in spec.spread)
        keys.update(t.topology_key for t in spec.pod_affinity)
        if spec.node_affinity is not None:
            keys |= keys_of((spec.node_affinity,))
    stored = [v.node_affinity for v in snapshot.volumes.values()]
    stored += [s.topologies for s in snapshot.storage_classes.values()]
    stored += [c.nodes for c in snapshot.resource_claims.values()]
    return (keys | keys_of(terms for terms in stored if terms is not None)) - {HOSTNAME}
