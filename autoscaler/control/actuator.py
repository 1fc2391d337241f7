"""The only door to an effect.

Each method asks the gate, checks what the plan was made with once more, writes the intent to the ledger where a second
time would hurt, and only then calls the port. There is no other caller of the ports' writing methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from autoscaler.control.claims import Claim, claim_of, claiming, is_tainted, releasing
from autoscaler.control.gate import Gate
from autoscaler.control.ledger import Ledger, LedgerMovedError
from autoscaler.control.looking import Look
from autoscaler.control.own_writes import OwnWrites
from autoscaler.control.report import Effect, Outcome, PassReport
from autoscaler.model.failures import LaunchRefused, PortFailure
from autoscaler.model.memory import Memory, PoolMemory, Raise, Removal
from autoscaler.model.nodes import LaunchError, Node
from autoscaler.model.pods import Pod
from autoscaler.model.ports import Clock, Cloud, Cluster, NodePatch
from autoscaler.planning.futility import charged
from autoscaler.planning.membership import instance_id
from autoscaler.planning.plan import ScaleUp
from autoscaler.planning.pools import Policies
from autoscaler.planning.removal_budget import RemovalBudget

REFUSALS_KEPT = 5


@dataclass(slots=True)
class Actuator:
    """Carries out what a pass decided. Set up anew for each pass; `own` and `ledger` live longer.

    `memory` is the state as this pass changes it; `keep` writes it. `managed_nodes` and `draining` count for the
    budgets, `sizes` is what the groups were asked for in this pass.
    """

    cluster: Cluster
    cloud: Cloud
    clock: Clock
    ledger: Ledger
    own: OwnWrites
    gate: Gate
    policies: Policies
    look: Look
    report: PassReport
    memory: Memory
    managed_nodes: int = 0
    draining: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    moved: str = ""

    # Capacity

    def raise_all(self, ups: Sequence[ScaleUp]) -> bool:
        """Ask the cloud for every scale-up of the plan; True if any was refused at once.

        The intents are written first, all in one write. Without a readable ledger they are kept in this process alone:
        an unreadable one stops removals, not purchases.
        """
        allowed = [up for up in ups if self._may_raise(up)]
        if not allowed:
            return False
        before = self.memory
        self.memory = _with_intents(self.memory, allowed, self.look.now)
        why = self.keep() if self.ledger.readable else ""
        if why:
            self.memory = before
            for up in allowed:
                self.report.note(Effect.RAISE, up.group, Outcome.HELD, why, up.reason)
            return False
        refused = [self._raise(up) for up in allowed]
        return any(refused)

    def keep(self) -> str:
        """Write the memory to the ledger, if it differs from what lies there; why that failed, or ""."""
        if self.moved:
            return self.moved
        try:
            self.ledger.save(self.memory)
        except (PortFailure, LedgerMovedError) as failure:
            # Somebody else may have written it: nothing more is done on what this pass knows.
            self.moved = f"the ledger could not be written: {failure}"
        return self.moved

    def _may_raise(self, up: ScaleUp) -> bool:
        why = self._obstacle(Effect.RAISE) or self._over_a_cap(up)
        if why:
            self.report.note(Effect.RAISE, up.group, Outcome.HELD, why, up.reason)
            return False
        self.sizes[up.group] = max(up.size_to, self._size(up.group))
        return True

    def _size(self, group: str) -> int:
        found = (self.look.snapshot.groups or {}).get(group)
        return self.sizes.get(group, found.desired if found is not None else 0)

    def _over_a_cap(self, up: ScaleUp) -> str:
        """The caps, counted again from the sizes of all groups (S9)."""
        rules = self.policies.cluster
        nodes = gpus = 0
        usd = 0.0
        for pool in self.policies.pools:
            size = 0
            for group in pool.groups:
                count = max(self._size(group), up.size_to if group == up.group else 0)
                template = next(iter(pool.templates_of(group)), None)
                size += count
                gpus += count * (template.gpus if template else 0)
                usd += count * ((template.usd_per_hour or 0.0) if template else 0.0)
            if pool.name == up.pool and size > pool.max_nodes:
                return f"pool {pool.name} would have {size} nodes, its maximum is {pool.max_nodes}"
            nodes += size
        if nodes > rules.max_nodes:
            return f"{nodes} nodes would be over limits.nodes {rules.max_nodes}"
        if gpus > rules.max_gpus:
            return f"{gpus} GPUs would be over limits.gpus {rules.max_gpus}"
        if usd > rules.max_usd_per_hour + 1e-6:
            return f"${usd:,.2f} an hour would be over limits.usdPerHour {rules.max_usd_per_hour:,.2f}"
        return ""

    def _raise(self, up: ScaleUp) -> bool:
        why = self._obstacle(Effect.RAISE)
        if why:
            self.report.note(Effect.RAISE, up.group, Outcome.HELD, why, up.reason)
            self.memory = _without_intent(self.memory, up)
            return False
        try:
            self.cloud.raise_to(up.group, up.size_to)
        except PortFailure as failure:
            outcome = Outcome.FAILED if failure.outcome_known else Outcome.UNKNOWN
            self.report.note(Effect.RAISE, up.group, outcome, str(failure), up.reason)
            if failure.outcome_known:
                self.memory = _without_intent(self.memory, up)
            if isinstance(failure, LaunchRefused):
                self.memory = _with_refusal(self.memory, up, failure, self.look.now)
                return True
            return False
        self.report.note(Effect.RAISE, up.group, Outcome.DONE, "", up.reason)
        futility = charged(self.memory.futility, (up,), self.look.now)
        if futility is not self.memory.futility:
            self.memory = replace(self.memory, futility=futility)
        return False

    def _obstacle(self, effect: Effect) -> str:
        return self.gate.obstacle(effect) or self.moved

    # Drains

    def claim(self, node: Node, claim: Claim) -> bool:
        """Begin a drain, or go on with one in our own name: taint, cordon and claim in one write.

        True if it took hold.
        """
        others = self.draining - is_tainted(node)
        why = self._obstacle(Effect.CLAIM) or self._over_budget(claim.reason, claim.instance, others)
        if why:
            self.report.note(Effect.CLAIM, node.name, Outcome.HELD, why)
            return False
        done = self._patch(Effect.CLAIM, node, claiming(claim), claim.reason)
        self.draining = others + (done or is_tainted(node))
        return done

    def release(self, node: Node, why: str, *, idle_since: float | None) -> bool:
        """Undo a drain in one write."""
        held = self._obstacle(Effect.RELEASE)
        if held:
            self.report.note(Effect.RELEASE, node.name, Outcome.HELD, held)
            return False
        return self._patch(Effect.RELEASE, node, releasing(node, idle_since=idle_since), why)

    def evict(self, pod: Pod) -> PortFailure | None:
        """Ask for the eviction of this very pod; what stood in the way, None if it is on its way out."""
        why = self._obstacle(Effect.EVICT)
        if why:
            self.report.note(Effect.EVICT, pod.key, Outcome.HELD, why)
            return None
        try:
            self.cluster.evict(pod)
        except PortFailure as failure:
            outcome = Outcome.FAILED if failure.outcome_known else Outcome.UNKNOWN
            self.report.note(Effect.EVICT, pod.key, outcome, str(failure))
            return failure
        self.report.note(Effect.EVICT, pod.key, Outcome.DONE)
        return None

    def terminate_node(self, node: Node, claim: Claim, pool: str, group: str) -> bool:
        """Terminate the instance of a drained node, if a live read right before shows nobody on it (S2, S3)."""
        why = self._obstacle(Effect.TERMINATE) or self._still_in_use(node, claim)
        if not why:
            why = self._recorded(Removal(self._now(), pool, claim.reason, claim.instance))
        if not why:
            # Again, for the ledger's write took time; and the fence again, for so did this read.
            why = self._still_in_use(node, claim) or self._obstacle(Effect.TERMINATE)
        if why:
            self.report.note(Effect.TERMINATE, claim.instance, Outcome.HELD, why)
            return False
        return self._terminate(Effect.TERMINATE, group, claim.instance, claim.reason)

    def terminate_instance(self, instance: str, pool: str, group: str, reason: str) -> bool:
        """Terminate an instance that never became a node, if none has registered meanwhile."""
        why = self._obstacle(Effect.DISCARD) or self._registered(instance)
        why = why or self._recorded(Removal(self._now(), pool, reason, instance)) or self._registered(instance)
        why = why or self._obstacle(Effect.DISCARD)
        if why:
            self.report.note(Effect.DISCARD, instance, Outcome.HELD, why)
            return False
        return self._terminate(Effect.DISCARD, group, instance, reason)

    def _registered(self, instance: str) -> str:
        """Why an instance without a node may not go: a node of it is there by now, or nobody can say."""
        try:
            found = self.cluster.find_node(instance)
        except PortFailure as failure:
            return f"the nodes could not be read: {failure}"
        return f"it has registered as node {found}" if found is not None else ""

    def _terminate(self, effect: Effect, group: str, instance: str, reason: str) -> bool:
        try:
            self.cloud.terminate(group, (instance,))
        except PortFailure as failure:
            outcome = Outcome.FAILED if failure.outcome_known else Outcome.UNKNOWN
            self.report.note(effect, instance, outcome, str(failure))
            return False
        self.report.note(effect, instance, Outcome.DONE, reason)
        return True

    def _still_in_use(self, node: Node, claim: Claim) -> str:
        """Why the node may not go, by a quorum read made now: another node, another claim, or a pod on it."""
        try:
            live = self.cluster.read_node(node.name)
        except PortFailure as failure:
            return f"the live read failed: {failure}"
        if live is None:
            return "the node is gone already"
        if live.node.uid != node.uid or instance_id(live.node.provider_id) != claim.instance:
            return "another node has its name now"
        if not is_tainted(live.node) or claim_of(live.node) != claim:
            return "the claim is not ours any more"
        for pod in live.pods:
            if not pod.is_daemon and not pod.finished:
                return f"pod {pod.key} is on it"
        return ""

    def _recorded(self, removal: Removal) -> str:
        """Write the removal to the ledger, if the budgets have room for it; why not, or "" (S4)."""
        if not self.ledger.readable:
            return "the ledger cannot be read"
        why = self._over_budget(removal.reason, removal.instance, 0)
        if why:
            return why
        # Under another reason it stays counted: a stale view that shows the instance once more, and for another
        # reason, must not give its place in the budget back.
        key = (removal.instance, removal.reason)
        others = tuple(r for r in self.memory.removals if (r.instance, r.reason) != key)
        pools = dict(self.memory.pools)
        pools[removal.pool] = replace(pools.get(removal.pool, PoolMemory()), last_scale_down=removal.at)
        self.memory = replace(self.memory, removals=(*others, removal), pools=pools)
        return self.keep()

    def _now(self) -> float:
        """The API server's time by now: a window of a budget is counted from the write, not from the look before it."""
        return self.look.now + max(0.0, self.clock.monotonic() - self.gate.started)

    def _over_budget(self, reason: str, instance: str, in_progress: int) -> str:
        """The budgets by the ledger's count; a removal that is counted already does not count against itself."""
        counted = [r for r in self.memory.removals if r.instance != instance or not instance]
        budget = RemovalBudget(self.policies.cluster.budgets, self.managed_nodes, counted, in_progress, self.look.now)
        return "" if budget.obstacle(reason) is None else f"the budget for {reason} is spent"

    # Small writes

    def annotate(self, node: Node, annotations: Mapping[str, str | None]) -> bool:
        """Change annotations of a node."""
        if self._obstacle(Effect.ANNOTATE):
            return False
        return self._patch(Effect.ANNOTATE, node, NodePatch(annotations=tuple(sorted(annotations.items()))), "")

    def relabel(self, node: Node, labels: Mapping[str, str], why: str) -> bool:
        """Change labels of a node without work (the MIG layout), after a live read that shows nobody on it."""
        held = self._obstacle(Effect.RELABEL)
        if not held:
            try:
                live = self.cluster.read_node(node.name)
                busy = live is None or any(not p.is_daemon and not p.finished for p in live.pods)
                held = "it is gone or in use" if busy else ""
            except PortFailure as failure:
                held = f"the live read failed: {failure}"
        if held:
            self.report.note(Effect.RELABEL, node.name, Outcome.HELD, held)
            return False
        return self._patch(Effect.RELABEL, node, NodePatch(labels=tuple(sorted(labels.items()))), why)

    def _patch(self, effect: Effect, node: Node, patch: NodePatch, why: str) -> bool:
        try:
            self.own.wrote(self.cluster.patch_node(node, patch))
        except PortFailure as failure:
            outcome = Outcome.FAILED if failure.outcome_known else Outcome.UNKNOWN
            self.report.note(effect, node.name, outcome, str(failure))
            return False
        self.report.note(effect, node.name, Outcome.DONE, why)
        return True


def _with_intents(memory: Memory, ups: Sequence[ScaleUp], now: float) -> Memory:
    pools = dict(memory.pools)
    for up in ups:
        pools[up.pool] = replace(pools.get(up.pool, PoolMemory()), last_scale_up=now)
    intents = tuple(Raise(now, up.pool, up.group, up.size_from, up.size_to) for up in ups)
    return replace(memory, raises=(*memory.raises, *intents), pools=pools)


def _without_intent(memory: Memory, up: ScaleUp) -> Memory:
    """The raise did not happen, and that is known: the nodes are not on their way."""
    at = next((i for i in reversed(range(len(memory.raises))) if memory.raises[i].group == up.group), None)
    if at is None:
        return memory
    return replace(memory, raises=(*memory.raises[:at], *memory.raises[at + 1 :]))


def _with_refusal(memory: Memory, up: ScaleUp, failure: LaunchRefused, now: float) -> Memory:
    told = (*memory.refusals.get(up.group, ()), LaunchError(now, failure.error_class, str(failure)))
    return replace(memory, refusals={**memory.refusals, up.group: told[-REFUSALS_KEPT:]})
