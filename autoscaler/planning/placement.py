"""The working state of one decision: which pods were given which place so far, and how to take it back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autoscaler.model.lazy_numpy import np
from autoscaler.model.pods import Pod
from autoscaler.planning.pools import Template
from autoscaler.planning.rows import Kind, Place
from autoscaler.planning.units import Unit
from autoscaler.scheduling.fleet import Fleet, Rows


@dataclass(frozen=True, slots=True)
class Assignment:
    """Pods of one class that were given one row."""

    cls: int
    pods: tuple[Pod, ...]
    row: int


FEW = 64  # rows above which an array is cheaper than a list

Token = tuple[Any, int, int]

Remaining = dict[int, tuple[Pod, ...]]
"""What is left of a unit: pods by class id, oldest first."""


class Placement:
    """Pods on rows. `places[i]` belongs to row `i` of the fleet; taking back returns pods and rows."""

    def __init__(self, fleet: Fleet, accelerated: Sequence[bool]) -> None:
        self.fleet = fleet
        self.places: list[Place] = []
        self.assignments: list[Assignment] = []
        self.reconfigured: dict[int, Template] = {}
        self._accelerated_class = accelerated
        self._order: Rows | None = None
        self._ready: list[int] | None = None

    def add(self, places: Sequence[Place]) -> range:
        """Add rows; their indexes."""
        added = self.fleet.add_many([p.row for p in places])
        self.places.extend(places)
        return added

    def order_for(self, cls: int) -> Rows | None:
        """Rows in the order of preference for a class, None for plain row order.

        A pod without accelerators is put on rows without them first, so that it neither keeps a GPU node that could
        go nor takes the cores that a GPU pod needs (kubernetes/autoscaler#3767).
        """
        if self._accelerated_class[cls]:
            return None
        if self._order is None or len(self._order) != len(self.places):
            order = sorted(range(len(self.places)), key=lambda i: (self._has_accelerators(i), i))
            self._order = order if len(order) <= FEW else np.array(order, dtype=np.int64)
        return self._order

    def _has_accelerators(self, row: int) -> bool:
        template = self.places[row].template
        return bool(template and template.accelerators)

    def fill(self, cls: int, pods: tuple[Pod, ...], rows: Rows | None = None) -> tuple[Pod, ...]:
        """Place as many of `pods` as fit; what is left."""
        if not pods or not self.places:
            return pods
        order = rows if rows is not None else self.order_for(cls)
        at = 0
        for row, count in self.fleet.fill(cls, len(pods), order):
            self.assignments.append(Assignment(cls, pods[at : at + count], row))
            at += count
        return pods[at:]

    def fill_ready(self, pods: Mapping[int, tuple[Pod, ...]]) -> Remaining:
        """Place what fits of a unit on nodes that are ready, as the scheduler sees them now.

        It does not know the domains that pools could still add: a pod that spreads is not kept off a node by them.
        """
        if self._ready is None:
            self._ready = [i for i, place in enumerate(self.places) if place.kind is Kind.READY]
        self.fleet.count_potential = False
        left = self.fill_unit(pods, self._ready)
        self.fleet.count_potential = True
        return left

    def hold(self, cls: int, number: int) -> frozenset[str]:
        """The ready nodes on which the scheduler may put that many pods of a class, those that work already first."""
        ready = [i for i, place in enumerate(self.places) if place.kind is Kind.READY]
        ready.sort(key=lambda i: (not self.places[i].row.pods, i))
        return (
            frozenset(self.places[row].node for row, _ in self.fleet.fill(cls, number, ready)) if ready else frozenset()
        )

    def put(self, cls: int, pods: tuple[Pod, ...], row: int) -> None:
        """Place `pods` on `row` without asking; the caller knows that they fit."""
        self.fleet.place(cls, row, len(pods))
        self.assignments.append(Assignment(cls, pods, row))

    def put_many(self, cls: int, pods: tuple[Pod, ...], shares: Sequence[tuple[int, int]]) -> None:
        """Place `pods` in order, as many on each row as `shares` says, without asking."""
        at = 0
        for row, number in shares:
            self.assignments.append(Assignment(cls, pods[at : at + number], row))
            at += number
        self.fleet.place_many(cls, [row for row, _ in shares], [number for _, number in shares])

    def fill_unit(self, pods: Mapping[int, tuple[Pod, ...]], rows: Rows | None = None) -> Remaining:
        """Place what fits of a unit; what is left by class."""
        left = {cls: self.fill(cls, members, rows) for cls, members in pods.items()}
        return {cls: members for cls, members in left.items() if members}

    def mark(self) -> Token:
        """A point to come back to."""
        return self.fleet.mark(), len(self.assignments), len(self.places)

    def rollback(self, token: Token) -> None:
        """Take back every pod that was placed and every row that was added since `mark`."""
        self.fleet.rollback(token[0])
        del self.assignments[token[1] :]
        del self.places[token[2] :]
        self._order = None

    def domains(self, key: str) -> list[str]:
        """The values of a topology label over all rows, sorted."""
        return sorted({v for p in self.places if (v := p.row.labels.get(key))})

    def rows_in(self, key: str, value: str) -> list[int]:
        """Rows in one topology domain."""
        return [i for i, p in enumerate(self.places) if p.row.labels.get(key) == value]

    def used_rows(self) -> set[int]:
        """Rows that at least one pending pod was given."""
        return {a.row for a in self.assignments}

    def by_row(self) -> Mapping[int, list[Assignment]]:
        """Assignments of each row."""
        found: defaultdict[int, list[Assignment]] = defaultdict(list)
        for assignment in self.assignments:
            found[assignment.row].append(assignment)
        return found


def count(pods: Mapping[int, tuple[Pod, ...]] | Remaining) -> int:
    """Pods in a unit or in what is left of one."""
    return sum(len(members) for members in pods.values())


def merge(parts: Iterable[Remaining]) -> Remaining:
    """What is left of several units, by class, in their order."""
    found: defaultdict[int, list[tuple[Pod, ...]]] = defaultdict(list)
    for part in parts:
        for cls, pods in part.items():
            found[cls].append(pods)
    return {cls: pods[0] if len(pods) == 1 else tuple(p for part in pods for p in part) for cls, pods in found.items()}


def best_choice(placement: Placement, options: Sequence[Place], wanted: Sequence[Unit | Remaining]) -> int | None:
    """Which of `options`, variants of one place, serves most pods of `wanted`; None: none serves any."""
    best, best_served = None, 0
    for at, place in enumerate(options):
        token = placement.mark()
        index = placement.add([place])[0]
        served = 0
        for unit in wanted:
            pods = unit.pods if isinstance(unit, Unit) else unit
            served += count(pods) - count(placement.fill_unit(pods, [index]))
        placement.rollback(token)
        if served > best_served:
            best, best_served = at, served
    return best


def is_new(place: Place) -> bool:
    """True for a node that this plan buys."""
    return place.kind is Kind.NEW


def free_rows(placement: Placement) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """bool[rows]: rows that no pending pod was given."""
    out = np.ones(len(placement.places), dtype=bool)
    for row in placement.used_rows():
        out[row] = False
    return out
