"""Drains: a small state machine whose state lies on the node, so that every process can go on with it.

Ready -> Draining (taint, cordon, claim) -> Terminating (a removal in the ledger) -> gone; or back to Ready, undone.
Each pass enters the state that it finds; nothing here has to be remembered but when this process first saw the taint,
and when an eviction may be tried again.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from autoscaler.control.actuator import Actuator
from autoscaler.control.claims import Claim, claim_of, is_marked, is_tainted
from autoscaler.control.idle_times import has_work
from autoscaler.control.latency import Latency
from autoscaler.model.failures import EvictionBlocked, EvictionMisconfigured
from autoscaler.model.memory import Memory, Writer
from autoscaler.model.nodes import InstanceState, Node
from autoscaler.model.ports import Clock
from autoscaler.planning.membership import Member, Membership
from autoscaler.planning.plan import Plan, ScaleDown

RETRY_S = 20.0
"""A blocked eviction is asked for again after so long, and up to half as long again (gardener MCM #703)."""

FINISH_S = 120.0
"""A removal in the ledger younger than this is finished, never undone: a leader that was suspended between its ledger
write and its call may still terminate the instance, so nothing may land on the node meanwhile (S2, S8)."""


@dataclass(slots=True)
class Progress:
    """What this process knows of one drain. `seen`: monotonic, when it saw or set the taint."""

    seen: float
    retry: dict[str, float] = field(default_factory=dict)
    misconfigured: str = ""


@dataclass(slots=True)
class Drains:
    """The drains of the cluster, as this leader carries them on. `me`: epoch and identity, newest."""

    clock: Clock
    rng: random.Random
    latency: Latency
    progress: dict[str, Progress] = field(default_factory=dict)

    def step(self, plan: Plan, actuator: Actuator, membership: Membership, me: Writer, policy: str) -> None:
        """One step for every drain, then the beginning of new ones."""
        snapshot = actuator.look.snapshot
        going = {down.node: down for down in plan.scale_down}
        cancelled = {c.node: str(c.reason.code) for c in plan.cancel_drain}
        marked = [node for node in snapshot.nodes if is_marked(node)]
        self._forget({node.uid for node in marked})
        for node in marked:
            member = membership.members.get(node.name)
            if node.deleted_at is not None or (member is not None and _is_leaving(member)):
                continue
            if member is None:
                self._let_go(node, actuator)
                continue
            why = cancelled.get(node.name, "") or _overdue(node, member, actuator.look.now)
            undo = self._why_undo(node, actuator, me, policy, going.get(node.name), why)
            claim = claim_of(node)
            if undo:
                self._undo(node, undo, actuator)
            elif claim is not None and claim.by != me:
                self._take_over(node, claim, me, actuator)
            elif claim is not None and node.name in going:
                self._advance(node, claim, going[node.name], member, actuator)
        self._begin(plan, actuator, membership, me, policy)

    def _forget(self, uids: set[str]) -> None:
        for uid in [uid for uid in self.progress if uid not in uids]:
            del self.progress[uid]

    # Undoing

    def _why_undo(
        self, node: Node, actuator: Actuator, me: Writer, policy: str, down: ScaleDown | None, cancelled: str
    ) -> str:
        """Why the drain of a node is undone, or ""."""
        claim = claim_of(node)
        if claim is None:
            return "NoClaim"
        if not is_tainted(node):
            return "TaintRemoved"
        if self._is_terminating(claim, actuator.memory, actuator.look.now):
            return ""
        if actuator.gate.paused:
            return "Paused"
        if actuator.gate.mode == "observe":
            return "ObserveMode"
        if down is not None and str(down.reason.code) == "Interrupted":
            return ""  # the cloud takes it anyway
        if cancelled:
            return cancelled
        if claim.by != me:
            return "LeaderChanged"
        if claim.policy != policy:
            return "PolicyChanged"
        progress = self.progress.get(node.uid)
        if progress is not None and progress.misconfigured:
            return progress.misconfigured
        return ""

    def _let_go(self, node: Node, actuator: Actuator) -> None:
        """Undo a drain of ours on a node that no pool owns any more (S7): unmanaged nodes keep no mark of us.

        Not on a poor view, in which a group may only be hidden; and not on a node that is going.
        """
        claim = claim_of(node)
        if actuator.gate.doubt or not node.is_ready or actuator.look.jumped_s:
            return
        if claim is None or not self._is_terminating(claim, actuator.memory, actuator.look.now):
            self._undo(node, "Unmanaged", actuator)

    @staticmethod
    def _is_terminating(claim: Claim, memory: Memory, now: float) -> bool:
        return any(r.instance == claim.instance and now - min(r.at, now) < FINISH_S for r in memory.removals)

    def _undo(self, node: Node, why: str, actuator: Actuator) -> None:
        # A drain that failed by itself waits a whole cooldown before it may begin again; one that was only interrupted
        # by a change of hands does not, unless somebody has come meanwhile.
        handed_over = why in ("LeaderChanged", "PolicyChanged", "Paused", "ObserveMode", "NoClaim")
        fresh = not handed_over or has_work(actuator.look.snapshot, node.name)
        if actuator.release(node, why, idle_since=actuator.look.now if fresh else None):
            self.progress.pop(node.uid, None)

    def _take_over(self, node: Node, claim: Claim, me: Writer, actuator: Actuator) -> None:
        """Go on with the drain of another leader in our own name; its start, and so its deadline, stay."""
        ours = Claim(me, claim.since, claim.reason, claim.instance, claim.policy, claim.cordoned)
        if actuator.claim(node, ours):
            self.progress[node.uid] = Progress(self.clock.monotonic())

    # Going on

    def _advance(self, node: Node, claim: Claim, down: ScaleDown, member: Member, actuator: Actuator) -> None:
        progress = self.progress.setdefault(node.uid, Progress(self.clock.monotonic()))
        left = [p for p in down.pods if not p.is_daemon and not p.finished]
        if left:
            self._evict(down, progress, actuator)
        elif self.clock.monotonic() - progress.seen >= self.latency.settle_s():
            actuator.terminate_node(node, claim, member.pool.name, member.group)

    def _evict(self, down: ScaleDown, progress: Progress, actuator: Actuator) -> None:
        now = self.clock.monotonic()
        for pod in down.pods:
            if pod.is_daemon or pod.finished or pod.deleted_at is not None or progress.retry.get(pod.uid, now) > now:
                continue
            failure = actuator.evict(pod)
            if isinstance(failure, EvictionMisconfigured):
                progress.misconfigured = "PdbOverlap"
            elif isinstance(failure, EvictionBlocked):
                progress.retry[pod.uid] = now + RETRY_S * (1 + self.rng.random() / 2)

    # Beginning

    def _begin(self, plan: Plan, actuator: Actuator, membership: Membership, me: Writer, policy: str) -> None:
        nodes = actuator.look.snapshot.nodes_by_name
        for name, reason in _wanted(plan).items():
            node, member = nodes.get(name), membership.members.get(name)
            if node is None or member is None or is_marked(node) or node.deleted_at is not None or _is_leaving(member):
                continue
            claim = Claim(me, actuator.look.now, reason, member.instance.id, policy, not node.unschedulable)
            if actuator.claim(node, claim):
                self.progress[node.uid] = Progress(self.clock.monotonic())


def _wanted(plan: Plan) -> Mapping[str, str]:
    """The nodes that the plan wants gone, in its order, with the codes of the reasons."""
    found = {down.node: str(down.reason.code) for down in plan.scale_down}
    for gone in plan.terminate:
        if gone.node is not None:
            found.setdefault(gone.node, str(gone.reason.code))
    return found


def _overdue(node: Node, member: Member, now: float) -> str:
    """A drain past its deadline is undone even where the view is too poor for a plan to say so (L2)."""
    claim = claim_of(node)
    late = claim is not None and now - min(claim.since, now) > member.pool.scale_down.drain_timeout_s
    return "DrainTimeout" if late else ""


def _is_leaving(member: Member) -> bool:
    return member.instance.state not in (InstanceState.PENDING, InstanceState.RUNNING)
