"""Removal of nodes: the candidates, what protects all of them at once, and drains that are under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.nodes import IDLE_SINCE, Node
from autoscaler.model.objects import PodDisruptionBudget
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause, Code, Reason
from autoscaler.planning.drain_rules import answer_for, drain
from autoscaler.planning.drain_rules.rule import Surroundings
from autoscaler.planning.membership import ALIVE, Member
from autoscaler.planning.moves import Moves
from autoscaler.planning.node_states import NodeStatus
from autoscaler.planning.plan import CancelDrain, NodeState, NodeVerdict, ScaleDown, Verdict
from autoscaler.planning.removal_budget import RemovalBudget
from autoscaler.planning.rows import Kind
from autoscaler.planning.scale_down import Candidate, Removals, counts_by_pool, in_use_reason, judge
from autoscaler.planning.scale_up import Served
from autoscaler.planning.sick_nodes import remove_sick
from autoscaler.planning.use_of_nodes import use_on
from autoscaler.planning.utilization import Use

if TYPE_CHECKING:
    from autoscaler.planning.decide import World


@dataclass(frozen=True, slots=True)
class Decided:
    """Nodes to remove, verdicts on the ready nodes, drains to undo, and why nothing may go at all (or None)."""

    scale_down: tuple[ScaleDown, ...]
    verdicts: Mapping[str, NodeVerdict]
    cancel: tuple[CancelDrain, ...]
    halted: Reason | None
    idle: Mapping[str, int]


def decide_removals(
    world: World, served: Served, wanted_idle: Mapping[str, int], held: frozenset[str] = frozenset()
) -> Decided:
    """Judge every ready managed node; continue or undo drains. `held`: nodes that pods may be given any moment."""
    placement = served.placement
    used = placement.used_rows()
    reserved = ({placement.places[row].node for row in used} | held) - {""}
    rows = {p.node: i for i, p in enumerate(placement.places) if p.kind is Kind.READY}
    candidates: list[Candidate] = []
    in_use: dict[str, NodeVerdict] = {}
    for name, member in world.membership.members.items():
        if world.statuses[name].state is not NodeState.READY or name not in rows:
            continue
        use = use_on(world, name)
        if use.share > member.pool.scale_down.threshold:
            in_use[name] = _in_use(world, name, use)
        else:
            candidates.append(_candidate(world, name, rows[name], reserved))
    halted = halt_reason(world)
    draining = [n for n, s in world.statuses.items() if s.state is NodeState.DRAINING]
    with_pods = sum(1 for n in draining if any(not p.is_daemon for p in world.snapshot.pods_by_node.get(n, ())))
    idle = counts_by_pool(candidates)
    state = Removals(
        policies=world.policies,
        now=world.now,
        pool_sizes=_ready_or_coming(world, served),
        idle_left=dict(idle),
        wanted_idle=wanted_idle,
        last_scale_up={p.name: world.memory.pool(p.name).last_scale_up for p in world.policies.pools},
        budget=RemovalBudget(
            world.policies.cluster.budgets,
            len(world.membership.members),
            world.memory.removals,
            len(draining),
            world.now,
        ),
        halted=halted,
        drains_left=world.policies.cluster.max_parallel_drains - with_pods,
    )
    state.verdicts.update(in_use)
    around = _surroundings(world)
    judge(candidates, state, around, Moves(placement, world.table))
    remove_sick(world, state, around)
    cancel, going = _drains(world, draining, reserved, around)
    return Decided((*state.chosen, *(going if halted is None else ())), state.verdicts, cancel, halted, idle)


def _in_use(world: World, name: str, use: Use) -> NodeVerdict:
    """The verdict on a node that works; kept with the snapshot, for it is that of most nodes of most passes."""
    kept: dict[tuple[str, str], NodeVerdict] = world.snapshot.derived.setdefault("in-use", {})
    pool = world.membership.members[name].pool
    key = (name, pool.scale_down.utilization)
    found = kept.get(key)
    if found is None or found.pool != pool.name:
        found = kept[key] = NodeVerdict(name, pool.name, NodeState.READY, Verdict.KEEP, in_use_reason(use))
    return found


def _never_ready(status: NodeStatus) -> bool:
    return status.state is NodeState.INITIALIZATION_FAILED and status.waiting_for == "Ready"


def halt_reason(world: World) -> Reason | None:
    """Why no node may be removed anywhere: an incomplete view (S5), or too many nodes that are not ready."""
    if not world.snapshot.complete:
        return Reason.of(Code.SNAPSHOT_INCOMPLETE)
    rules = world.policies.cluster
    managed = [world.statuses[name] for name in world.membership.members]
    unready = sum(1 for s in managed if s.state is NodeState.NOT_READY or _never_ready(s))
    if unready > rules.max_unready_nodes and unready > rules.max_unready_share * len(managed):
        return Reason.of(Code.CLUSTER_UNHEALTHY, unready=unready, nodes=len(managed))
    return None


def _candidate(world: World, name: str, row: int, reserved: set[str]) -> Candidate:
    member = world.membership.members[name]
    status = world.statuses[name]
    return Candidate(
        node=member.node,
        member=member,
        row=row,
        use=use_on(world, name),
        pods=world.snapshot.pods_by_node.get(name, ()),
        reserved=name in reserved,
        usd_per_hour=status.template.usd_per_hour if status.template else None,
        idle_since=idle_since(member.node, world.now),
        lacks=status.waiting_for,
    )


def idle_since(node: Node, now: float) -> float | None:
    """The recorded start of the node's idleness; one in the future counts as now (S11), an unreadable one as none."""
    text = node.annotations.get(IDLE_SINCE)
    if text is None:
        return None
    recorded = _instant(text)
    return min(recorded, now) if recorded is not None else None


@lru_cache(maxsize=65536)
def _instant(text: str) -> float | None:
    try:
        return parse_rfc3339(text)
    except ValueError:
        return None


def _ready_or_coming(world: World, served: Served) -> dict[str, int]:
    """Nodes of each pool that count towards its minimum: what is usable or will be, planned ones included."""
    sizes = dict.fromkeys((p.name for p in world.policies.pools), 0)
    for place in served.placement.places:
        if place.pool is not None and place.kind not in (Kind.RESLICED, Kind.DRAINING):
            sizes[place.pool] += 1
    return sizes


def _surroundings(world: World) -> Mapping[str, Surroundings]:
    budgets: dict[str, tuple[PodDisruptionBudget, ...]] = {}
    for budget in world.snapshot.disruption_budgets:
        budgets[budget.namespace] = (*budgets.get(budget.namespace, ()), budget)
    gangs = frozenset(world.snapshot.gangs)
    cutoff = world.policies.cluster.priority_cutoff
    return {
        p.name: Surroundings(p.scale_down, world.now, cutoff, budgets, {}, world.snapshot.workloads, gangs)
        for p in world.policies.pools
    }


def _drains(
    world: World, draining: Sequence[str], reserved: set[str], around: Mapping[str, Surroundings]
) -> tuple[tuple[CancelDrain, ...], tuple[ScaleDown, ...]]:
    """Undo the drain of a node that is wanted again, or that cannot be emptied; go on with the others."""
    cancel: list[CancelDrain] = []
    going: list[ScaleDown] = []
    for name in sorted(draining):
        member, status = world.membership.members.get(name), world.statuses[name]
        if member is None or status.template is None or member.node.deleted_at is not None:
            continue
        if member.instance.state not in ALIVE:
            continue
        pods = tuple(p for p in world.snapshot.pods_by_node.get(name, ()) if not p.is_daemon)
        undo = Reason.of(Code.RESERVED_FOR_POD) if name in reserved else _why_undo(world, member, status, pods, around)
        if undo is not None:
            cancel.append(CancelDrain(name, undo))
            continue
        code = Code.UNDERUTILIZED if use_on(world, name).accelerators_used else Code.IDLE
        reason = Reason.of(code, drainStarted=status.since)
        price = status.template.usd_per_hour
        going.append(ScaleDown(member.pool.name, member.group, name, member.instance.id, price, reason, pods))
    return tuple(cancel), tuple(going)


# What only time is needed for, up to the deadline: pods on their way out, and a budget that our own evictions use up.
PASSING = frozenset({BlockCause.POD_TERMINATING, BlockCause.PDB_EXHAUSTED, BlockCause.PDB_OVERLAP})


def _why_undo(
    world: World, member: Member, status: NodeStatus, pods: Sequence[Pod], around: Mapping[str, Surroundings]
) -> Reason | None:
    """Why a drain cannot be ended: a protected pod was bound after the node was chosen, or its deadline is over."""
    rules = around[member.pool.name]
    for pod in pods:
        answer = answer_for(pod, rules)
        if answer.block is not None and answer.block not in PASSING:
            return Reason.of(Code.BLOCKED_BY_POD, pod=pod.key, cause=str(answer.block), detail=answer.detail)
    timeout = member.pool.scale_down.drain_timeout_s
    if status.since is None or world.now - min(status.since, world.now) <= timeout:
        return None
    left = drain(pods, rules)
    if left.blocked is not None:
        return left.blocked
    if left.moving:
        cause = str(BlockCause.POD_TERMINATING)
        return Reason.of(Code.BLOCKED_BY_POD, pod=left.moving[0].key, cause=cause, drainTimeout=timeout)
    return None
