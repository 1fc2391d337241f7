"""The controller in the virtual world: the same `decide`, its plan carried out at once."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from autoscaler.model.memory import NO_MEMORY, Memory
from autoscaler.model.nodes import ErrorClass
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Outcome, Plan, ScaleDown, ScaleUp
from autoscaler.planning.pools import Policies, Template
from autoscaler.reporting.sentences import say
from simulations.cloud import Cloud
from simulations.ledger import next_memory, with_failures, with_success
from simulations.oracle import Oracle
from simulations.timers import next_look
from simulations.world import World

Decide = Callable[[Snapshot, Policies, Memory, float], Plan]
HELD_BACK = (Outcome.WAITING, Outcome.UNSCHEDULABLE)


@dataclass(slots=True)
class Controller:
    """`look` once: decide on what there is, and do it. `reasons`: numbers of the jobs that each code held back."""

    policies: Policies
    world: World
    cloud: Cloud
    decide: Decide
    oracle: Oracle
    memory: Memory = NO_MEMORY
    plan: Plan | None = None
    looks: int = 0
    reasons: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def look(self, now: float) -> float:
        """One pass; the instant of the next one that is due although nothing happens (infinity: none)."""
        plan = self.decide(self.world.snapshot(), self.policies, self.memory, now)
        self.plan = plan
        self.looks += 1
        self._count_reasons(plan)
        self._annotate(plan)
        self._carry_out(plan, now)
        machines = self.world.machines.values()
        self.oracle.limits(machines, now)
        if plan.changes or self.is_fixed():
            return math.inf
        return next_look(plan, machines, self.policies, now)

    def is_fixed(self) -> bool:
        """True while no plan could change anything: every pool is at its minimum, which is its maximum."""
        for pool in self.policies.pools:
            machines = self.world.running(pool.name)
            if not (pool.min_nodes == pool.max_nodes == len(machines)) or not all(m.booted for m in machines):
                return False
            if any(len(pool.templates_of(group)) > 1 for group in pool.groups):
                return False  # its idle nodes may be given another MIG layout
        return True

    @property
    def consolidates(self) -> bool:
        """True if a node in use may be removed, so that every pod that comes or goes matters."""
        return any(pool.scale_down.threshold > 0 for pool in self.policies.pools)

    def node_ready(self, pool: str) -> None:
        """A node of the pool became usable."""
        self.memory = with_success(self.memory, pool)

    def _count_reasons(self, plan: Plan) -> None:
        for verdict in plan.pods:
            if verdict.outcome not in HELD_BACK:
                continue
            code = str(verdict.reason.code)
            held = self.reasons[code]
            for pod in verdict.pods:
                run = self.world.owners.get(pod.key)
                if run is not None:
                    held.add(run.number)
                    run.reason = verdict.reason

    def _annotate(self, plan: Plan) -> None:
        for node in plan.nodes:
            machine = self.world.find(node.node)
            if machine is not None and machine.pool:
                machine.annotate_idle_since(node.idle_since)

    def _carry_out(self, plan: Plan, now: float) -> None:
        for down in plan.scale_down:
            self._remove(down, now)
        for gone in plan.terminate:
            machine = self.world.machines[gone.instance]
            self.cloud.told(f"- {machine.name}: {say(gone.reason).message}")
            self.cloud.remove(machine, str(gone.reason.code))
        for change in plan.reconfigure:
            machine = self.world.machine(change.node)
            self.cloud.reslice(machine, self._template(machine.pool, machine.template.group, change.layout_to))
        refused = sorted({up.pool for up in plan.scale_up if self._add(up) is not None})
        longest = max((budget.per or 0.0 for budget in self.policies.cluster.budgets), default=0.0)
        self.memory = next_memory(self.memory, plan, now, longest)
        if refused:
            self.memory = with_failures(self.memory, refused)

    def _remove(self, down: ScaleDown, now: float) -> None:
        machine = self.world.machines[down.instance]
        # Those that the plan moves, and those whose priority is too low to hold a node. Anything else stays, and is
        # found by the oracle.
        expendable = [key for key, pod in machine.pods.items() if not pod.is_daemon and not machine.holds(pod)]
        self.cloud.evict(machine, [*(pod.key for pod in down.pods), *expendable])
        running = [pod for pod in self.world.pods.values() if pod.node == machine.name]
        self.oracle.removal(machine, running, str(down.reason.code), now)
        self.cloud.told(f"- {machine.name}: {say(down.reason).message}")
        self.cloud.remove(machine, str(down.reason.code))

    def _add(self, up: ScaleUp) -> ErrorClass | None:
        template = self._template(up.pool, up.group, up.layout)
        self.cloud.told(f"+ {up.count} {up.pool}: {_purpose(up)}")
        return self.cloud.launch(template, up.zone or template.zone, up.count)

    def _template(self, pool: str, group: str, layout: str | None) -> Template:
        choices = self.policies.by_name[pool].templates_of(group)
        return next((t for t in choices if t.layout == layout), choices[0])


def _purpose(up: ScaleUp) -> str:
    """What the nodes are for: the pods by name, or the reason where no pod waits for them."""
    if not up.pods:
        return say(up.reason).message
    more = f" and {len(up.pods) - 1} more" if len(up.pods) > 1 else ""
    return f"for {up.pods[0].name}{more}"
