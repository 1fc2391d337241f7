"""The loop: lease, ledger and switch, look, decide, act. One pass is one call; nothing here sleeps or asks for the time
but through the clock.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from autoscaler.control.actuator import Actuator
from autoscaler.control.claims import is_tainted
from autoscaler.control.config_hold import Decide, Hold, judge_change
from autoscaler.control.drains import Drains
from autoscaler.control.gate import Gate
from autoscaler.control.idle_times import idle_changes, in_use, outdated, with_idle_times
from autoscaler.control.latency import Latency
from autoscaler.control.lease import Elector
from autoscaler.control.ledger import Ledger, UnreadableLedgerError, bounded, shifted
from autoscaler.control.looking import BlindError, Look, Looker
from autoscaler.control.outcomes import counted, given_up, settled
from autoscaler.control.report import Effect, Outcome, PassReport
from autoscaler.control.switch import Switch, switch_of
from autoscaler.model.failures import PortFailure
from autoscaler.model.memory import Memory, Writer
from autoscaler.model.ports import Clock, Cloud, Cluster, DocumentName
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.futility import judged
from autoscaler.planning.membership import Membership, join
from autoscaler.planning.plan import Plan
from autoscaler.planning.pools import Policies

HIDDEN_KEPT = 1000
OFFERINGS_TRIED = 4
"""How often one pass decides anew after the cloud refused a launch at once, each time without that offering."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A compiled policy and the digest of its text."""

    policies: Policies
    digest: str


PolicySource = Callable[[], Policy]
PlanId = Callable[[Plan], str]
"""The id under which a person approves a plan; equal orders have equal ids."""


@dataclass(slots=True)
class Controller:
    """One controller process. `policy` gives the policy in force now; it is asked once a pass."""

    cluster: Cluster
    cloud: Cloud
    clock: Clock
    elector: Elector
    policy: PolicySource
    decide: Decide
    plan_id: PlanId
    rng: random.Random
    latency: Latency = field(default_factory=Latency)
    ledger: Ledger = field(init=False)
    looker: Looker = field(init=False)
    drains: Drains = field(init=False)
    _accepted: Policy | None = None
    _idle: dict[str, float | None] = field(default_factory=dict)
    _shown: set[str] = field(default_factory=set)
    _hidden: dict[str, None] = field(default_factory=dict)
    _memory: Memory | None = None
    _stored: Memory | None = None

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.cluster)
        self.looker = Looker(self.cluster, self.cloud, self.clock)
        self.drains = Drains(self.clock, self.rng, self.latency)

    def one_pass(self) -> PassReport:
        """Look, decide, act, once. Never raises: what goes wrong is in the report."""
        report = PassReport(self.clock.wall())
        if not self.elector.tick():
            return self._stop(report, "not the leader")
        report.leading = True
        started = self.clock.monotonic()
        policy = self.policy()
        try:
            stored = self.cluster.read_document(DocumentName.SWITCH)
        except PortFailure as failure:
            return self._stop(report, f"the switch could not be read, so that it may say stop: {failure}")
        switch = switch_of(stored.data if stored is not None else {})
        try:
            memory, doubt = self._load()
        except PortFailure as failure:
            return self._stop(report, f"the ledger could not be read: {failure}")
        if memory.writer.epoch > self.elector.epoch:
            self.elector.step_down(memory.writer.epoch)
            return self._stop(report, f"the ledger was written by a later leader (epoch {memory.writer.epoch})")
        try:
            look = self.looker.look(memory)
        except BlindError as blind:
            return self._stop(report, str(blind))
        self._act(report, started, policy, switch, look, memory, doubt)
        return report

    def close(self) -> None:
        """Give the lease back."""
        self.elector.release()

    @staticmethod
    def _stop(report: PassReport, why: str) -> PassReport:
        report.stopped = why
        return report

    def _load(self) -> tuple[Memory, str]:
        """The memory, and why nothing may be removed on account of it."""
        try:
            stored = self.ledger.load()
        except UnreadableLedgerError as unreadable:
            # What this process did itself is still known to it.
            return self._memory or Memory(writer=self._me()), f"the ledger cannot be read: {unreadable}"
        if self._memory is not None and (stored == self._stored or not self.ledger.exists):
            # With what was learned and not written, in observe mode or while paused; and where somebody has deleted
            # the ledger, this process still knows what it has done (S4).
            return self._memory, ""
        return stored, ""

    def _me(self) -> Writer:
        return Writer(self.elector.epoch, self.elector.identity)

    def _act(
        self, report: PassReport, started: float, policy: Policy, switch: Switch, look: Look, memory: Memory, doubt: str
    ) -> None:
        if look.jumped_s:
            # Also in what was seen: a raise that seems long ago would not be waited for, and made once more.
            memory = shifted(memory, look.jumped_s, look.now)
            look = replace(look, snapshot=self.looker.with_memory(look.snapshot, memory, look.now))
        paused = switch.is_paused(look.now)
        memory = replace(memory, writer=self._me(), paused=paused, paused_until=switch.until, pause_reason=switch.why)
        memory = counted(memory, look.snapshot.groups or {}, policy.policies, look.now)
        approved = policy.digest in switch.approved
        before = self._accepted.policies if self._accepted is not None else None
        hold, memory = judge_change(
            look, policy.policies, policy.digest, before, memory, self.decide, approved=approved
        )
        if hold.accepted:
            self._accepted = policy
        doubt = doubt or _doubt(look, hold)
        seen, look = look, self._with_own_timers(look, doubt)
        membership = join(look.snapshot, policy.policies)
        gate = Gate(self.elector, self.clock, started, policy.policies.cluster.mode, paused=paused, doubt=doubt)
        actuator = Actuator(
            cluster=self.cluster,
            cloud=self.cloud,
            clock=self.clock,
            ledger=self.ledger,
            own=self.looker.own,
            gate=gate,
            policies=policy.policies,
            look=look,
            report=report,
            memory=memory,
            managed_nodes=len(membership.members),
            draining=sum(1 for member in membership.members.values() if is_tainted(member.node)),
        )
        plan = self._grow(actuator, policy.policies, switch, look)
        report.plan, report.doubts = plan, (*look.doubts, *((doubt,) if doubt else ()))
        report.held = (*plan.held, *self._held(hold, policy))
        self._remove(plan, actuator, membership, policy)
        self._write_down(plan, actuator, seen)
        self._finish(plan, actuator, policy.policies)

    def _grow(self, actuator: Actuator, policies: Policies, switch: Switch, look: Look) -> Plan:
        """Decide and raise; where the cloud refuses at once, decide again without that offering, in the same pass."""
        snapshot = look.snapshot
        for _ in range(OFFERINGS_TRIED):
            plan = self.decide(snapshot, policies, actuator.memory, look.now)
            futility = judged(actuator.memory.futility, plan, snapshot, look.now)
            if futility is not actuator.memory.futility:
                actuator.memory = replace(actuator.memory, futility=futility)
            if switch.approved and self.plan_id(plan) in switch.approved:
                actuator.gate = replace(actuator.gate, approved=True)
            if not plan.scale_up or not actuator.raise_all(plan.scale_up):
                break
            snapshot = self.looker.with_memory(snapshot, actuator.memory, look.now)
            actuator.memory = counted(actuator.memory, snapshot.groups or {}, policies, look.now)
        return plan

    def _remove(self, plan: Plan, actuator: Actuator, membership: Membership, policy: Policy) -> None:
        self.drains.step(plan, actuator, membership, self._me(), policy.digest)
        for gone in plan.terminate:
            if gone.node is None:
                actuator.terminate_instance(gone.instance, gone.pool, gone.group, str(gone.reason.code))
        nodes = actuator.look.snapshot.nodes_by_name
        for change in plan.reconfigure:
            actuator.relabel(nodes[change.node], {"nvidia.com/mig.config": change.layout_to}, "ReconfiguredNode")

    def _write_down(self, plan: Plan, actuator: Actuator, look: Look) -> None:
        """Keep the idle times: on the nodes where that is allowed, in this process otherwise."""
        if self._idle:
            for uid in in_use(plan, look.snapshot):
                self._idle.pop(uid, None)
        # Whose annotation is not kept up to date: on a drain, or in a group that cannot be seen now.
        self._idle.update(dict.fromkeys(outdated(plan, look.snapshot)))
        nodes = look.snapshot.nodes_by_name
        for name, changes, since in idle_changes(plan, look.snapshot):
            node = nodes[name]
            if actuator.annotate(node, changes):
                self._idle.pop(node.uid, None)
            else:
                # None: in use, and the node still says that it has been idle since long ago.
                self._idle[node.uid] = since

    def _finish(self, plan: Plan, actuator: Actuator, policies: Policies) -> None:
        """What the pass learned goes into the ledger, with the next write if this one fails."""
        memory = settled(actuator.memory, plan, actuator.look.snapshot)
        done = {d.subject for d in actuator.report.deeds if d.outcome is Outcome.DONE}
        began = {d.subject for d in actuator.report.deeds if d.effect is Effect.CLAIM and d.outcome is Outcome.DONE}
        lost = {
            gone.instance: gone.pool
            for gone in plan.terminate
            if (gone.node in began if gone.node is not None else gone.instance in done)
        }
        memory = given_up(memory, plan, lost, actuator.look.now)
        actuator.memory = bounded(memory, policies, actuator.look.now)
        if self.ledger.readable and actuator.gate.may_keep() and actuator.keep():
            # What could not be written is decided anew, from what lies there.
            self._memory = None
            return
        self._memory, self._stored = actuator.memory, self.ledger.memory
        self.looker.note_clock()

    def _with_own_timers(self, look: Look, doubt: str) -> Look:
        """The look as a decision may use it: with its doubts, and the idle times that this process keeps."""
        snapshot = look.snapshot
        if doubt and snapshot.complete:
            snapshot = replace(snapshot, complete=False)
        known = {n.uid for n in snapshot.nodes}
        for uid in [uid for uid in self._hidden if uid in known]:
            # Nobody knows what was on it while no list showed it.
            del self._hidden[uid]
            self._idle[uid] = None
        self._hidden.update(dict.fromkeys(self._shown - known))
        while len(self._hidden) > HIDDEN_KEPT:
            del self._hidden[next(iter(self._hidden))]
        self._shown = known
        if look.jumped_s:
            # Every idle timer starts again: what is recorded was written by another clock (S11).
            self._idle = dict.fromkeys(known)
        elif self._idle:
            self._idle = {uid: at for uid, at in self._idle.items() if uid in known}
        if self._idle:
            snapshot = with_idle_times(snapshot, self._idle)
        return replace(look, snapshot=snapshot) if snapshot is not look.snapshot else look

    @staticmethod
    def _held(hold: Hold, policy: Policy) -> tuple[Reason, ...]:
        if hold.accepted:
            return ()
        return (Reason.of(Code.CONFIG_HELD, removals=hold.removals, budget=hold.budget, policy=policy.digest),)


def _doubt(look: Look, hold: Hold) -> str:
    if not hold.accepted:
        return (
            f"the new policy would remove {hold.removals} nodes, the budget allows {hold.budget}; it waits for approval"
        )
    return look.doubts[0] if look.doubts else ""
