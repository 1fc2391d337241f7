"""Which faults a world knows, and how often: every run draws its own few (swarm testing), not all of them at once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from autoscaler.control.proxies.around import Call
from autoscaler.model.failures import Conflict, Throttled, TimedOut, Unavailable
from simulations.world.core import World
from simulations.world.records import What

T = TypeVar("T")

SHARES: dict[str, tuple[float, float]] = {
    "slow": (0.01, 0.08),
    "frozen": (0.001, 0.006),
    "unavailable": (0.01, 0.15),
    "throttled": (0.01, 0.15),
    "timeout_before": (0.01, 0.1),
    "timeout_after": (0.01, 0.1),
    "conflict": (0.01, 0.15),
    "stale_list": (0.05, 0.4),
    "partial_list": (0.02, 0.2),
    "shrunken_list": (0.01, 0.1),
    "stale_cloud": (0.05, 0.4),
    "failed_group": (0.02, 0.2),
    "lying_lease": (0.01, 0.15),
    "refusal": (0.05, 0.4),
    "launch_fails": (0.05, 0.5),
    "never_registers": (0.05, 0.4),
    "devices_late": (0.1, 0.6),
    "devices_in_part": (0.05, 0.3),
    "devices_never": (0.05, 0.4),
}
"""Each fault with the least and the greatest share of calls, lists or launches that it may take."""


@dataclass(frozen=True, slots=True)
class Faults:
    """The share of calls, lists or launches that each fault takes, between 0 and 1.

    `slow`: a call takes 1 to 15 s. `frozen`: the whole process stops for 20 to 100 s within a call. `timeout_before`,
    `timeout_after`: no answer, before or after the effect. `stale_list`, `stale_cloud`: an answer that was true up to
    45 s ago. `shrunken_list`: objects are missing and nothing says so. `lying_lease`: a read shows a lease without a
    holder, or a renewal is answered with success and not stored.
    """

    slow: float = 0.0
    frozen: float = 0.0
    unavailable: float = 0.0
    throttled: float = 0.0
    timeout_before: float = 0.0
    timeout_after: float = 0.0
    conflict: float = 0.0
    stale_list: float = 0.0
    partial_list: float = 0.0
    shrunken_list: float = 0.0
    stale_cloud: float = 0.0
    failed_group: float = 0.0
    lying_lease: float = 0.0
    refusal: float = 0.0
    launch_fails: float = 0.0
    never_registers: float = 0.0
    devices_late: float = 0.0
    devices_in_part: float = 0.0
    devices_never: float = 0.0

    @classmethod
    def draw(cls, rng: random.Random) -> Faults:
        """None at all in some worlds; otherwise each fault with one chance in four."""
        if rng.random() < 0.15:
            return cls()
        return cls(**{name: rng.uniform(*share) for name, share in SHARES.items() if rng.random() < 0.25})

    def without(self, name: str) -> Faults:
        """These faults less one."""
        return replace(self, **{name: 0.0})

    @property
    def present(self) -> tuple[str, ...]:
        """The names of the faults that there are."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name))


@dataclass(slots=True)
class Gremlin:
    """Rolls the dice: `hits(fault)` is True as often as the world's faults say, and never once the world is calm.

    `any`: there are faults at all, for every call asks.
    """

    world: World
    faults: Faults
    rng: random.Random
    any: bool = field(init=False)

    def __post_init__(self) -> None:
        self.any = bool(self.faults.present)

    def hits(self, fault: str) -> bool:
        """True if this fault strikes now."""
        share = getattr(self.faults, fault)
        return bool(share) and not self.world.calm and self.rng.random() < share


@dataclass(slots=True)
class FaultyCalls:
    """An Around: calls take time, fail, or time out before or after their effect. `actor`: the controller's name."""

    gremlin: Gremlin
    actor: str

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """Make the call, or not."""
        gremlin, world = self.gremlin, self.gremlin.world
        rng = gremlin.rng
        wait = 0.02 + 0.1 * rng.random()
        if gremlin.any:
            if gremlin.hits("slow"):
                wait = rng.uniform(1, 15)
            if gremlin.hits("frozen"):
                wait = rng.uniform(20, 100)
                self._tell(call, f"the process stood still for {wait:.0f} s")
            for fault, failure in (("unavailable", Unavailable), ("throttled", Throttled)):
                if gremlin.hits(fault):
                    world.elapse(wait)
                    self._tell(call, fault)
                    raise failure("simulated")
            if call.writes and gremlin.hits("conflict") and call.port == "cluster":
                self._tell(call, "conflict")
                raise Conflict("simulated")
            if gremlin.hits("timeout_before"):
                world.elapse(wait + 5)
                self._tell(call, "no answer, and no effect")
                raise TimedOut("simulated")
        world.elapse(wait / 2)
        result = do()
        world.elapse(wait / 2)
        if gremlin.any and gremlin.hits("timeout_after"):
            world.elapse(5)
            self._tell(call, "no answer, after the effect")
            raise TimedOut("simulated")
        return result

    def _tell(self, call: Call, kind: str) -> None:
        self.gremlin.world.tell(self.actor, What.FAULT, f"{call.method} {call.subject}".strip(), call=call, kind=kind)
