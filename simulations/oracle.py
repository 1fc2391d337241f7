"""Promises that are checked after every pass, from the objects alone and not from the code that made the decision.

* capacity: the pods on a node never ask for more than it has.
* limits (S9): nodes of a pool and of the cluster, GPUs and dollars an hour stay within the policy, booting ones
  included.
* removal (S2): a node that the controller removes runs no pod but daemons at that instant.
* budgets (S4): removals for a reason stay within `atMost` in every window of length `per`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autoscaler.model.pods import Pod
from autoscaler.model.resources import PODS
from autoscaler.planning.pools import Policies
from simulations.machines import Machine

SHOWN = 20
"""Violations that are told in words; the rest is counted."""


@dataclass(slots=True)
class Oracle:
    """Counts its checks, and tells each broken promise in a sentence."""

    policies: Policies
    checked: int = 0
    broken: int = 0
    violated: list[str] = field(default_factory=list)
    _removals: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def expect(self, holds: bool, promise: str, told: str) -> None:  # noqa: FBT001
        """Count one check; a broken one is told as `promise: told`."""
        self.checked += 1
        if not holds:
            self.broken += 1
            if len(self.violated) < SHOWN:
                self.violated.append(f"{promise}: {told}")

    def capacity(self, machines: Iterable[Machine], now: float) -> None:
        """No node holds more than it has."""
        for machine in machines:
            if machine.node is None:
                continue
            used: defaultdict[str, int] = defaultdict(int)
            for pod in machine.pods.values():
                used[PODS] += 1
                for name, amount in pod.spec.requests:
                    used[name] += amount
            there = dict(machine.node.allocatable)
            over = sorted(name for name, amount in used.items() if amount > there.get(name, 0))
            self.expect(not over, "capacity", f"at {now:.0f} node {machine.name} is over its {', '.join(over)}")

    def limits(self, machines: Iterable[Machine], now: float) -> None:
        """The caps of the policy hold, nodes on their way included."""
        rules = self.policies.cluster
        count: defaultdict[str, int] = defaultdict(int)
        nodes = gpus = 0
        usd = 0.0
        for machine in machines:
            if machine.pool:
                count[machine.pool] += 1
                nodes += 1
                gpus += machine.gpus
                usd += machine.usd_per_hour
        for pool in self.policies.pools:
            have = count[pool.name]
            self.expect(
                have <= pool.max_nodes, "limits", f"at {now:.0f} pool {pool.name} has {have} of {pool.max_nodes} nodes"
            )
        self.expect(nodes <= rules.max_nodes, "limits", f"at {now:.0f} {nodes} of {rules.max_nodes} nodes")
        self.expect(gpus <= rules.max_gpus, "limits", f"at {now:.0f} {gpus} of {rules.max_gpus} GPUs")
        self.expect(
            usd <= rules.max_usd_per_hour + 0.01, "limits", f"at {now:.0f} {usd:.2f} of {rules.max_usd_per_hour} USD/h"
        )

    def removal(self, machine: Machine, running: Sequence[Pod], reason: str, now: float) -> None:
        """The controller takes `machine` away; `running`: all pods that are bound to its name."""
        left = sorted(pod.key for pod in running if not pod.is_daemon)
        self.expect(not left, "removal", f"at {now:.0f} node {machine.name} was removed under {', '.join(left[:3])}")
        self._removals[reason].append(now)

    def budgets(self) -> None:
        """Every window of every budget, once at the end."""
        for budget in self.policies.cluster.budgets:
            at_most, window = budget.at_most, budget.per
            if at_most is None or window is None:
                continue
            times = sorted(at for reason in budget.reasons for at in self._removals.get(str(reason), []))
            for first in range(len(times) - at_most):
                inside = times[first + at_most] - times[first] >= window
                told = (
                    f"more than {at_most} removals for {', '.join(map(str, budget.reasons))} from {times[first]:.0f} on"
                )
                self.expect(inside, "budgets", told)
            self.expect(True, "budgets", "")
