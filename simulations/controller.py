"""The controller in the virtual world: the real loop, one pass a look, over the ports of the fast world."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from autoscaler.control.claims import claim_of
from autoscaler.control.lease import Elector
from autoscaler.control.loop import Controller as Loop
from autoscaler.control.loop import Policy
from autoscaler.control.report import Deed, Effect, PassReport
from autoscaler.control.report import Outcome as Done
from autoscaler.model.memory import Memory
from autoscaler.model.reasons import Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Outcome, Plan, ScaleUp
from autoscaler.planning.pools import Policies, Template
from autoscaler.reporting.sentences import say
from simulations.cloud import Cloud
from simulations.cluster import World
from simulations.machines import Machine
from simulations.oracle import Oracle
from simulations.ports.clock import VirtualClock
from simulations.ports.cloud import CloudPort
from simulations.ports.cluster import ClusterPort
from simulations.timers import memory_timers, next_look

Decide = Callable[[Snapshot, Policies, Memory, float], Plan]
HELD_BACK = (Outcome.WAITING, Outcome.UNSCHEDULABLE)
IDENTITY = "simulator"


@dataclass(slots=True)
class Controller:
    """`look` once: one pass. `reasons`: numbers of the jobs that each code held back; `plan`: the last one.

    The policy is carried out whatever its mode: who observes wants to see what acting would do.
    """

    policies: Policies
    world: World
    cloud: Cloud
    decide: Decide
    oracle: Oracle
    rng: random.Random
    plan: Plan | None = None
    report: PassReport | None = None
    looks: int = 0
    reasons: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    loop: Loop = field(init=False)
    _why: dict[str, Reason] = field(default_factory=dict)

    def __post_init__(self) -> None:
        clock = VirtualClock(self.cloud)
        cluster = ClusterPort(self.world, self.cloud)
        policy = Policy(self.policies, "simulated")
        self.loop = Loop(
            cluster=cluster,
            cloud=CloudPort(self.world, self.cloud, self._order, self._remove),
            clock=clock,
            elector=Elector(cluster, clock, IDENTITY),
            policy=lambda: policy,
            decide=self._decide,
            plan_id=lambda _: "",  # nobody approves anything here
            rng=self.rng,
        )

    def look(self, now: float) -> float:
        """One pass; the instant from which the next one is due although nothing happens (infinity: none)."""
        pools = self.loop.ledger.memory.pools
        report = self.report = self.loop.one_pass()
        plan = report.plan
        if plan is None:
            raise RuntimeError(f"the pass at {now:.0f} ended early: {report.stopped}")
        self.looks += 1
        self._count_reasons(plan)
        self._note_drains(report, plan)
        machines = self.world.machines.values()
        self.oracle.limits(machines, now)
        # What a pass learns after its decision, such as the end of a row of failures, the next one decides with.
        if plan.changes or self._is_unfinished(report) or self.loop.ledger.memory.pools != pools:
            return now
        if self.is_fixed():
            return math.inf
        sizes = {name: len(group.machines) for name, group in self.world.groups.items()}
        timers = memory_timers(self.loop.ledger.memory, sizes)
        return next_look(plan, machines, self.policies, timers, now)

    @staticmethod
    def _is_unfinished(report: PassReport) -> bool:
        """True if the next pass of a real controller may do more: this one acted, or doubted what it saw."""
        return bool(report.doubts) or any(deed.effect is not Effect.ANNOTATE for deed in report.deeds)

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

    def _decide(self, snapshot: Snapshot, policies: Policies, memory: Memory, now: float) -> Plan:
        """The decision; the plan is there when its orders are carried out."""
        self.plan = self.decide(snapshot, policies, memory, now)
        return self.plan

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

    # What the loop does, told and checked

    def _order(self, group: str, size: int) -> tuple[Template, str]:
        """What a raise is for. The layout of new nodes is told to their cloud apart from its size."""
        assert self.plan is not None
        up = next(up for up in self.plan.scale_up if (up.group, up.size_to) == (group, size))
        self.cloud.told(f"+ {up.count} {up.pool}: {_purpose(up)}")
        choices = self.policies.by_name[up.pool].templates_of(group)
        template = next((t for t in choices if t.layout == up.layout), choices[0])
        return template, up.zone or template.zone

    def _note_drains(self, report: PassReport, plan: Plan) -> None:
        reasons = {down.node: down.reason for down in plan.scale_down}
        reasons |= {gone.node: gone.reason for gone in plan.terminate if gone.node is not None}
        kept = {cancelled.node: cancelled.reason for cancelled in plan.cancel_drain}
        for deed in report.deeds:
            if deed.outcome is not Done.DONE:
                continue
            if deed.effect is Effect.CLAIM:
                self._why[deed.subject] = reasons[deed.subject]
            elif deed.effect is Effect.RELEASE:
                self._why.pop(deed.subject, None)
                self.cloud.told(f"{deed.subject} stays: {_why_kept(deed, kept.get(deed.subject))}")

    def _remove(self, machine: Machine) -> None:
        """An instance is terminated: one that was drained, or one that never became a node."""
        assert self.plan is not None
        claim = claim_of(machine.node) if machine.node is not None else None
        if claim is not None:
            running = [pod for pod in self.world.pods.values() if pod.node == machine.name]
            self.oracle.removal(machine, running, claim.reason, self.cloud.now)
            code, why = claim.reason, self._why.pop(machine.name)
        else:
            why = next(gone.reason for gone in self.plan.terminate if gone.instance == machine.id)
            code = str(why.code)
        self.cloud.told(f"- {machine.name}: {say(why).message}")
        self.cloud.remove(machine, code)


def _why_kept(deed: Deed, reason: Reason | None) -> str:
    return say(reason).message if reason is not None else deed.why


def _purpose(up: ScaleUp) -> str:
    """What the nodes are for: the pods by name, or the reason where no pod waits for them."""
    if not up.pods:
        return say(up.reason).message
    more = f" and {len(up.pods) - 1} more" if len(up.pods) > 1 else ""
    return f"for {up.pods[0].name}{more}"
