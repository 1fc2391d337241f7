"""E2: same snapshot, policy and clock give the same plan, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from autoscaler.control.config_hold import Decide
from autoscaler.model.memory import Memory
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Plan
from autoscaler.planning.pools import Policies

EVERY = 23
"""One decision of so many is made twice."""


@dataclass(slots=True)
class SamePlan:
    """A `decide` that now and then decides a second time, on the same objects in another order."""

    decide: Decide
    found: Callable[[str, str], None]
    count: int = 0

    def __call__(self, snapshot: Snapshot, policies: Policies, memory: Memory, now: float) -> Plan:
        """Decide."""
        plan = self.decide(snapshot, policies, memory, now)
        self.count += 1
        if self.count % EVERY == 0:
            groups = dict(reversed(list((snapshot.groups or {}).items())))
            again = replace(snapshot, groups=groups if snapshot.groups is not None else None, derived={})
            if self.decide(again, policies, memory, now) != plan:
                self.found("E2", "a second decision on the same snapshot gave another plan")
        return plan
