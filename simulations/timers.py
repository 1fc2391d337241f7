"""When the controller has to look again although nothing happens.

A real controller looks every `loopInterval`. In virtual time a look is left out where it could only repeat the last
plan. It is made

* after anything that may change the plan: a pod waits; a machine came, became a node, changed or went; a node began or
  ended to be in use. Pods that come to and leave nodes that others keep in use change a plan only where a pool
  consolidates (`scaleDown.threshold` above 0%);
* at the next instant of the grid after a pass that changed or wanted to change something, or doubted what it saw, and
  while any node is being drained;
* when a timer falls due: the plan's own (when a node may go, when a backoff, a window or a delay ends), the
  deadline of a machine that boots, the calendar of a warm buffer, what the controller remembers (`memory_timers`).

While every pool is at its minimum and that is its maximum, no plan can change anything: looks only explain those who
wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from autoscaler.control.claims import is_marked
from autoscaler.control.own_writes import CONSISTENCY_S
from autoscaler.model.memory import Memory
from autoscaler.model.reasons import Reason
from autoscaler.planning.plan import Plan
from autoscaler.planning.pools import Policies
from policies import buffers
from simulations.machines import Machine

INSTANTS = frozenset({"until", "next", "opens", "deadline"})
SPANS = frozenset({"left"})


def instants_of(reason: Reason | None, now: float) -> Iterable[float]:
    """The instants that a reason names."""
    if reason is None:
        return
    for name, value in reason.params:
        if isinstance(value, int | float) and not isinstance(value, bool):
            if name in INSTANTS:
                yield float(value)
            elif name in SPANS:
                yield now + float(value)


def memory_timers(memory: Memory, sizes: Mapping[str, int]) -> Iterable[float]:
    """When what is remembered ends to count: raises of groups that are smaller (`sizes`), quarantines."""
    for asked in memory.raises:
        if asked.size_to > sizes.get(asked.group, 0):
            yield asked.at + CONSISTENCY_S
    for futility in memory.futility.values():
        if futility.until is not None:
            yield futility.until


def next_look(
    plan: Plan, machines: Iterable[Machine], policies: Policies, timers: Iterable[float], now: float
) -> float:
    """The first instant after `now` at which a timer falls due: of the plan, of a machine, of `timers`; inf without."""
    found: list[float] = [*timers]
    for node in plan.nodes:
        if node.removable_at is not None:
            found.append(node.removable_at)
        found += instants_of(node.reason, now)
    for pool in plan.pools:
        if pool.backoff_until is not None:
            found.append(pool.backoff_until)
        found += instants_of(pool.reason, now)
    for pod in plan.pods:
        found += instants_of(pod.reason, now)
        for _, reason in pod.pools:
            found += instants_of(reason, now)
    for reason in plan.held:
        found += instants_of(reason, now)
    for rules in policies.pools:
        if rules.warm_buffer is not None:
            change = buffers.next_change(rules.warm_buffer, now)
            found += [change] if change is not None else []
    for machine in machines:
        if machine.node is not None and is_marked(machine.node):
            return now
        if not machine.booted and machine.pool:
            # Lost is one who had *more* than this time: the look that sees it comes just after.
            due = machine.launched_at + policies.by_name[machine.pool].scale_up.registration_timeout_s
            found.append(math.nextafter(due, math.inf))
    return min((at for at in found if at > now), default=math.inf)
