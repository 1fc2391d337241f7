"""Virtual time: what happens when, and what has happened.

The clock moves while somebody waits, also in the middle of a controller's pass: a call takes time, and meanwhile nodes
boot, pods end, and another controller may make a whole pass.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from simulations.world.records import Record, What

RECORDS_KEPT = 20_000


@dataclass(slots=True)
class World:
    """`now`: true seconds. `calm`: no fault begins any more. `api_skew`: how far the API server's clock is off.

    `rng` decides everything that nobody else's stream decides.
    """

    now: float
    rng: random.Random
    calm: bool = False
    api_skew: float = 0.0
    skews: dict[str, float] = field(default_factory=dict)
    watchers: list[Callable[[Record], None]] = field(default_factory=list)
    log: deque[Record] = field(default_factory=lambda: deque(maxlen=RECORDS_KEPT))
    _agenda: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _entered: int = 0

    def wall(self) -> float:
        """The API server's clock, which stamps objects."""
        return self.now + self.api_skew

    def at(self, instant: float, action: Callable[[], None]) -> None:
        """Do it then (at once, if that is past); equal instants in the order in which they were entered."""
        self._entered += 1
        heapq.heappush(self._agenda, (max(instant, self.now), self._entered, action))

    def after(self, seconds: float, action: Callable[[], None]) -> None:
        """Do it so much later."""
        self.at(self.now + seconds, action)

    def elapse(self, seconds: float) -> None:
        """Somebody waits, and the world goes on meanwhile; with two controllers this may happen within itself."""
        self.run_until(self.now + seconds)

    def run_until(self, instant: float) -> None:
        """Everything that is due until then."""
        agenda = self._agenda
        while agenda and agenda[0][0] <= instant:
            at, _, action = heapq.heappop(agenda)
            if at > self.now:
                self.now = at
            action()
        self.now = max(self.now, instant)

    def tell(self, actor: str, what: What, subject: str, **details: Any) -> None:
        """It has happened now."""
        record = Record(self.now, actor, what, subject, details)
        self.log.append(record)
        for watcher in self.watchers:
            watcher(record)
