"""Which nodes go, which stay, and why: one reason a node.

Nodes without work go first, then (where a pool's threshold allows it) nodes whose pods fit elsewhere. Everything that
protects a node is asked before its timer, so that a person reads what holds it, not how long it would have waited.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.nodes import DO_NOT_DISRUPT, IDLE_SINCE, Node
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.drain_rules import Drain, drain
from autoscaler.planning.drain_rules.rule import Surroundings
from autoscaler.planning.membership import Member
from autoscaler.planning.moves import Moves
from autoscaler.planning.plan import NodeState, NodeVerdict, ScaleDown, Verdict
from autoscaler.planning.pools import Policies, Pool
from autoscaler.planning.removal_budget import RemovalBudget
from autoscaler.planning.utilization import Use

SCALE_DOWN_DISABLED = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
NODE_PROTECTIONS = (SCALE_DOWN_DISABLED, DO_NOT_DISRUPT, "karpenter.sh/do-not-disrupt")
CONTROLLER_LABEL = ("app.kubernetes.io/name", "gpu-autoscaler")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ready, managed node with what decides about it. `reserved`: a pending pod was given it. `lacks`: a resource
    that its template declares and that it does not have, or "".
    """

    node: Node
    member: Member
    row: int
    use: Use
    pods: tuple[Pod, ...]
    reserved: bool
    usd_per_hour: float | None
    idle_since: float | None
    lacks: str = ""

    @property
    def is_warm(self) -> bool:
        """True if it is idle capacity of the kind that its pool promises, and open to pods."""
        return self.use.idle and not self.lacks and not self.node.unschedulable

    @property
    def pool(self) -> Pool:
        """The node's pool."""
        return self.member.pool


@dataclass(slots=True)
class Removals:
    """What is decided so far. `pool_sizes`, `idle_left`: nodes and idle nodes of each pool, removals taken off."""

    policies: Policies
    now: float
    pool_sizes: dict[str, int]
    idle_left: dict[str, int]
    wanted_idle: Mapping[str, int]
    last_scale_up: Mapping[str, float | None]
    budget: RemovalBudget
    halted: Reason | None = None
    drains_left: int = 1
    verdicts: dict[str, NodeVerdict] = field(default_factory=dict)
    chosen: list[ScaleDown] = field(default_factory=list)
    evictions: Counter[tuple[str, str]] = field(default_factory=Counter)


def judge(candidates: Sequence[Candidate], state: Removals, around: Mapping[str, Surroundings], moves: Moves) -> None:
    """Decide for each candidate; the order of removal is: empty before drained, longest idle, dearest, name."""
    open_: list[tuple[Candidate, Drain]] = []
    for candidate in candidates:
        reason, emptied = _first_obstacle(candidate, state, around[candidate.pool.name])
        if reason is None and emptied is not None:
            open_.append((candidate, emptied))
        else:
            state.verdicts[candidate.node.name] = _keep(candidate, reason or Reason.of(Code.IN_USE), state)
    open_.sort(key=lambda item: _removal_order(*item))
    for candidate, emptied in open_:
        # Pods that earlier removals moved here, or budgets that they used up, change the answer.
        if moves.received(candidate.row):
            state.verdicts[candidate.node.name] = _keep(candidate, Reason.of(Code.RESERVED_FOR_POD), state)
            continue
        if emptied.moving:
            emptied = drain(candidate.pods, _with(around[candidate.pool.name], state.evictions))
        reason = emptied.blocked or _last_obstacle(candidate, emptied, state, moves)
        if reason is not None:
            state.verdicts[candidate.node.name] = _keep(candidate, reason, state)
        else:
            moves.close(candidate.row)
            _remove(candidate, emptied, state)


def _with(around: Surroundings, evictions: Counter[tuple[str, str]]) -> Surroundings:
    return Surroundings(
        around.rules, around.now, around.priority_cutoff, around.budgets, evictions, around.workloads, around.gangs
    )


def _removal_order(candidate: Candidate, emptied: Drain) -> tuple[object, ...]:
    since = candidate.idle_since if candidate.idle_since is not None else float("inf")
    return bool(emptied.moving), since, -(candidate.usd_per_hour or 0.0), candidate.node.name


def _first_obstacle(candidate: Candidate, state: Removals, around: Surroundings) -> tuple[Reason | None, Drain | None]:
    """What keeps a node whatever other nodes do; or how it can be emptied."""
    use, node, rules = candidate.use, candidate.node, candidate.pool.scale_down
    if candidate.reserved:
        return Reason.of(Code.RESERVED_FOR_POD), None
    if use.share > rules.threshold:
        return in_use_reason(use), None
    if use.sneaky is not None:
        return Reason.of(Code.GPU_IN_USE_WITHOUT_REQUEST, pod=use.sneaky.key), None
    if any(p.labels.get(CONTROLLER_LABEL[0]) == CONTROLLER_LABEL[1] for p in use.pods):
        return Reason.of(Code.RUNS_CONTROLLER), None
    held = held_by_people(node, candidate.member)
    if held is not None:
        return held, None
    emptied = drain(candidate.pods, around)
    if emptied.blocked is not None:
        return emptied.blocked, None
    timer = _timer(candidate, state)
    return (timer, None) if timer is not None else (None, emptied)


def held_by_people(node: Node, member: Member) -> Reason | None:
    """Why somebody does not want the node removed: an annotation, the policy, a cordon, protection in the cloud."""
    for key in NODE_PROTECTIONS:
        if node.annotations.get(key) == "true":
            return Reason.of(Code.SCALE_DOWN_DISABLED, by=key)
    if not member.pool.scale_down.enabled:
        return Reason.of(Code.SCALE_DOWN_DISABLED, by=f"scaleDown.enabled of pool {member.pool.name}")
    if node.unschedulable:
        return Reason.of(Code.EXTERNAL_DRAIN)
    if member.instance.protected:
        return Reason.of(Code.PROTECTED_FROM_SCALE_IN, instance=member.instance.id)
    return None


def in_use_reason(use: Use) -> Reason:
    """InUse with what is in use."""
    return Reason.of(
        Code.IN_USE,
        pods=len(use.pods),
        accelerators=f"{use.accelerators_used}/{use.accelerators}",
        percent=_percent(use),
    )


def _percent(use: Use) -> int:
    return round(100 * use.share)


def _timer(candidate: Candidate, state: Removals) -> Reason | None:
    rules, now = candidate.pool.scale_down, state.now
    started = candidate.idle_since if candidate.idle_since is not None else now
    recorded = IDLE_SINCE in candidate.node.annotations
    left = started + rules.idle_cooldown_s - now
    if left > 0:
        code = Code.COOLING_DOWN if recorded else Code.IDLE_TIMER_STARTED
        return Reason.of(code, left=left, until=started + rules.idle_cooldown_s)
    last = state.last_scale_up.get(candidate.pool.name)
    if last is not None and rules.cooldown_after_scale_up_s:
        until = min(last, now) + rules.cooldown_after_scale_up_s
        if until > now:
            return Reason.of(Code.COOLDOWN_AFTER_SCALE_UP, left=until - now, until=until)
    return None


def _last_obstacle(candidate: Candidate, emptied: Drain, state: Removals, moves: Moves) -> Reason | None:
    """What keeps a node because of the other nodes: health, minimums, buffers, budgets, room for its pods."""
    pool = candidate.pool
    if state.halted is not None:
        return state.halted
    if state.pool_sizes[pool.name] <= pool.min_nodes:
        return Reason.of(Code.POOL_AT_MIN, min=pool.min_nodes)
    wanted = state.wanted_idle.get(pool.name, 0)
    if candidate.is_warm and state.idle_left[pool.name] <= wanted:
        return Reason.of(Code.WARM_BUFFER, wanted=wanted)
    code = _removal_code(candidate)
    spent = state.budget.obstacle(str(code))
    if spent is not None:
        return spent
    if emptied.moving:
        if state.drains_left < 1:
            limit = state.policies.cluster.max_parallel_drains
            return Reason.of(Code.BUDGET_SPENT, budget="maxParallelDrains", limit=limit)
        homeless = moves.place(candidate.row, emptied.moving)
        if homeless:
            return Reason.of(Code.NO_PLACE_FOR_PODS, pods=tuple(p.key for p in homeless[:5]), count=len(homeless))
    return None


def _removal_code(candidate: Candidate) -> Code:
    return Code.IDLE if candidate.use.idle else Code.UNDERUTILIZED


def _remove(candidate: Candidate, emptied: Drain, state: Removals) -> None:
    code = _removal_code(candidate)
    idle_for = state.now - candidate.idle_since if candidate.idle_since is not None else 0.0
    reason = (
        Reason.of(code, idleFor=idle_for)
        if code is Code.IDLE
        else Reason.of(
            code, percent=_percent(candidate.use), threshold=round(100 * candidate.pool.scale_down.threshold)
        )
    )
    state.chosen.append(
        ScaleDown(
            pool=candidate.pool.name,
            group=candidate.member.group,
            node=candidate.node.name,
            instance=candidate.member.instance.id,
            usd_per_hour=candidate.usd_per_hour,
            reason=reason,
            pods=emptied.moving,
        )
    )
    state.verdicts[candidate.node.name] = NodeVerdict(
        candidate.node.name,
        candidate.pool.name,
        NodeState.READY,
        Verdict.REMOVE,
        reason,
        candidate.idle_since,
        state.now,
    )
    state.pool_sizes[candidate.pool.name] -= 1
    if candidate.is_warm:
        state.idle_left[candidate.pool.name] -= 1
    if emptied.moving:
        state.drains_left -= 1
        state.evictions = Counter(emptied.evictions or {})
    state.budget.spend(str(code))


def _keep(candidate: Candidate, reason: Reason, state: Removals) -> NodeVerdict:
    until = reason.param("until")
    return NodeVerdict(
        node=candidate.node.name,
        pool=candidate.pool.name,
        state=NodeState.READY,
        verdict=Verdict.KEEP,
        reason=reason,
        idle_since=None if reason.code in (Code.IN_USE, Code.RESERVED_FOR_POD) else candidate.idle_since or state.now,
        removable_at=until if isinstance(until, float) else None,
    )


def counts_by_pool(candidates: Sequence[Candidate]) -> Mapping[str, int]:
    """Idle candidates without a reservation, by pool."""
    found: defaultdict[str, int] = defaultdict(int)
    for candidate in candidates:
        if candidate.is_warm and not candidate.reserved:
            found[candidate.pool.name] += 1
    return found
