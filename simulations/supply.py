"""What the virtual cloud can deliver: boot delays, stock-outs, spot capacity that comes and goes.

Every pool draws from streams of its own (seed, purpose, pool), so that a change in one pool leaves the others'
draws alone.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Z95 = 1.6448536269514722
"""The 95th percentile of the standard normal distribution."""


def stream(seed: int, purpose: str, pool: str) -> random.Random:
    """A generator for one purpose of one pool; equal arguments give equal draws on every platform."""
    return random.Random(f"{seed}/{purpose}/{pool}")


@dataclass(frozen=True, slots=True)
class BootDelay:
    """Seconds from launch to a usable node: `fixed_s`, or lognormal by its 50th and 95th percentile, or `samples`."""

    fixed_s: float = 0.0
    p50_s: float | None = None
    p95_s: float | None = None
    samples: tuple[float, ...] = ()

    def draw(self, rng: random.Random) -> float:
        """One delay."""
        if self.samples:
            return rng.choice(self.samples)
        if self.p50_s is not None and self.p95_s is not None:
            return math.exp(rng.gauss(math.log(self.p50_s), math.log(self.p95_s / self.p50_s) / Z95))
        return self.fixed_s


@dataclass(frozen=True, slots=True)
class Window:
    """A stock-out of a pool in [`start`, `end`), in one zone or ("") in all of them."""

    start: float
    end: float
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many nodes of a pool the market gives over time: `counts[i]` from `instants[i]` on, the last for ever.

    Before the first instant nothing is limited. Fewer than run: the excess is taken away, and a launch is a stock-out.
    """

    instants: tuple[float, ...]
    counts: tuple[float, ...]

    def at(self, now: float) -> float:
        """The count at `now`, infinity where nothing is limited."""
        found = bisect_right(self.instants, now)
        return self.counts[found - 1] if found else math.inf


@dataclass(slots=True)
class PoolSupply:
    """The market of one pool. `interruptions_per_hour`: of one node, at any time of its life alike; `losses_at`: when
    it takes all of them.
    """

    boot: BootDelay
    boots: random.Random
    losses: random.Random
    interruptions_per_hour: float = 0.0
    stockouts: tuple[Window, ...] = ()
    capacity: tuple[Capacity, ...] = ()
    losses_at: tuple[float, ...] = ()

    def in_stock(self, zone: str, running: int, now: float) -> bool:
        """True if a node may be launched now, with `running` nodes of the pool there."""
        if any(w.start <= now < w.end and w.zone in ("", zone) for w in self.stockouts):
            return False
        return running < self.limit(now)

    def limit(self, now: float) -> float:
        """How many nodes of the pool may run at `now`."""
        return min((c.at(now) for c in self.capacity), default=math.inf)

    def boot_s(self) -> float:
        """The boot time of the next node."""
        return self.boot.draw(self.boots)

    def life_s(self) -> float | None:
        """When the market takes the next node away, in seconds from its launch; None for never."""
        if not self.interruptions_per_hour:
            return None
        return self.losses.expovariate(self.interruptions_per_hour) * 3600

    def victims(self, running: Sequence[str], count: int) -> list[str]:
        """Which of the running nodes (in order of launch) are taken away."""
        return sorted(self.losses.sample(list(running), count))


@dataclass(slots=True)
class Supply:
    """The markets of all pools."""

    pools: Mapping[str, PoolSupply] = field(default_factory=dict)

    def changes(self) -> list[tuple[float, str]]:
        """(instant, pool) of every change of a pool's capacity, in order."""
        return sorted({(at, name) for name, pool in self.pools.items() for c in pool.capacity for at in c.instants})

    def losses(self) -> list[tuple[float, str]]:
        """(instant, pool) of every loss of all nodes of a pool, in order."""
        return sorted({(at, name) for name, pool in self.pools.items() for at in pool.losses_at})
