"""The scheduler of the virtual world: who is served when room appears.

A pod is bound at the very instant that it arrives or that room appears. Jobs are served by priority, then in the order
of their submission; a gang is bound whole or not at all.

* best-effort-fifo: a job that does not fit steps aside for those behind it (kube-scheduler with its back-off queue).
* strict-fifo: the head of the queue blocks those behind it.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from simulations.room import Room
from simulations.runs import Run


class Queue(StrEnum):
    """What happens to those behind a job that does not fit."""

    BEST_EFFORT_FIFO = "best-effort-fifo"
    STRICT_FIFO = "strict-fifo"


Bind = Callable[[Run, Sequence[str]], None]
"""Called with the job and the node of each of its pods; the room is taken already."""


def _nothing(_run: Run, _names: Sequence[str]) -> None:
    """Nobody listens."""


@dataclass(slots=True)
class Scheduler:
    """Jobs that wait, in serving order, and the pass over them."""

    queue: Queue
    room: Room
    bind: Bind = _nothing
    waiting: list[Run] = field(default_factory=list)
    _arrived: list[Run] = field(default_factory=list)
    _room_grew: bool = False
    _shapes: dict[object, int] = field(default_factory=dict)

    def add(self, run: Run) -> None:
        """A job whose pods are pending."""
        insort(self.waiting, run, key=lambda r: r.order)
        self._arrived.append(run)

    def room_grew(self) -> None:
        """A pod has ended, or a node has come: those who wait are tried again."""
        self._room_grew = True

    def schedule(self) -> bool:
        """Bind all that can be bound now; True if any was.

        Where only arrivals happened, those who waited before still do not fit: room has only become less.
        """
        arrived, grew = self._arrived, self._room_grew
        self._arrived, self._room_grew = [], False
        if not self.waiting or not (arrived or grew):
            return False
        if self.queue is Queue.STRICT_FIFO:
            return self._strict(arrived, grew)
        candidates = self.waiting if grew else sorted(arrived, key=lambda r: r.order)
        return self._best_effort(candidates)

    def _strict(self, arrived: Sequence[Run], grew: bool) -> bool:  # noqa: FBT001
        if not grew and self.waiting[0] not in arrived:
            return False
        bound = 0
        for run in self.waiting:
            names = self.room.place(run.item.specs)
            if names is None:
                break
            self.bind(run, names)
            bound += 1
        del self.waiting[:bound]
        return bound > 0

    def _best_effort(self, candidates: Sequence[Run]) -> bool:
        refused: set[int] = set()
        bound: set[int] = set()
        for run in candidates:
            shape = self._shapes.setdefault(run.item.specs, len(self._shapes))
            if shape in refused:
                continue
            names = self.room.place(run.item.specs)
            if names is None:
                refused.add(shape)
            else:
                self.bind(run, names)
                bound.add(run.number)
        if bound:
            self.waiting = [run for run in self.waiting if run.number not in bound]
        return bool(bound)
