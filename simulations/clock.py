"""The agenda of the virtual world: what happens when, in an order that equal inputs repeat."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

Action = Callable[[], None]


class Rank(IntEnum):
    """What comes first at one instant: room appears before it is asked for, so that a pod may take it at once."""

    POD_END = 0
    SUPPLY = 1
    INTERRUPTION = 2
    NODE = 3
    ARRIVAL = 4


@dataclass(slots=True)
class Agenda:
    """Events by instant, then rank, then the order in which they were entered. An entry can be taken back."""

    _heap: list[tuple[float, int, int]] = field(default_factory=list)
    _actions: dict[int, tuple[Rank, Action]] = field(default_factory=dict)
    _next: int = 0
    _kinds: dict[Rank, int] = field(default_factory=dict)

    def add(self, at: float, rank: Rank, action: Action) -> int:
        """Enter an action; the number it is known by."""
        self._next += 1
        heapq.heappush(self._heap, (at, rank, self._next))
        self._actions[self._next] = (rank, action)
        self._kinds[rank] = self._kinds.get(rank, 0) + 1
        return self._next

    def cancel(self, entry: int) -> None:
        """Take an entry back; one that has happened, or was taken back, stays as it is."""
        found = self._actions.pop(entry, None)
        if found is not None:
            self._kinds[found[0]] -= 1

    def count(self, *ranks: Rank) -> int:
        """How many entries of these ranks are still to come."""
        return sum(self._kinds.get(rank, 0) for rank in ranks)

    @property
    def next_at(self) -> float:
        """The instant of the next entry, infinity without one."""
        while self._heap and self._heap[0][2] not in self._actions:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else math.inf

    def take(self, now: float) -> Action | None:
        """The next entry of an instant up to `now`, taken off; None if there is none."""
        if self.next_at > now:
            return None
        entry = heapq.heappop(self._heap)[2]
        rank, action = self._actions.pop(entry)
        self._kinds[rank] -= 1
        return action


@dataclass(frozen=True, slots=True)
class Grid:
    """The instants at which the controller looks: `start + k * interval_s`."""

    start: float
    interval_s: float

    def at_or_after(self, instant: float) -> float:
        """The first look at or after `instant`. A millionth of an interval is taken as rounding."""
        if instant <= self.start:
            return self.start
        return self.start + math.ceil((instant - self.start) / self.interval_s - 1e-6) * self.interval_s

    def after(self, instant: float) -> float:
        """The first look after `instant`."""
        if instant < self.start:
            return self.start
        return self.start + (math.floor((instant - self.start) / self.interval_s + 1e-6) + 1) * self.interval_s
