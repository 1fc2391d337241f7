"""One verdict for each node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.membership import Member
from autoscaler.planning.node_states import NodeStatus
from autoscaler.planning.plan import NodeState, NodeVerdict, Verdict
from autoscaler.planning.removals import Decided
from autoscaler.planning.scale_up import Served
from autoscaler.planning.use_of_nodes import is_unused

if TYPE_CHECKING:
    from autoscaler.planning.decide import World


def node_verdicts(world: World, served: Served, removals: Decided) -> tuple[NodeVerdict, ...]:
    """Verdicts in the order of names; ready managed nodes were judged by `scale_down`."""
    used = served.placement.used_rows()
    reserved = {served.placement.places[row].node for row in used}
    reserved |= {c.node for c in removals.cancel}
    out: list[NodeVerdict] = []
    for node in world.snapshot.nodes:
        judged = removals.verdicts.get(node.name)
        if judged is not None:
            out.append(judged)
            continue
        status, member = world.statuses[node.name], world.membership.members.get(node.name)
        verdict, reason = _other(world, node.name, status, member, reserved)
        if status.state is NodeState.DRAINING and verdict is Verdict.REMOVE and removals.halted is not None:
            verdict, reason = Verdict.KEEP, removals.halted
        pool = member.pool.name if member else None
        out.append(NodeVerdict(node.name, pool, status.state, verdict, reason, removable_at=status.deadline))
    return tuple(out)


def _other(
    world: World, name: str, status: NodeStatus, member: Member | None, reserved: set[str]
) -> tuple[Verdict, Reason]:
    keep = Verdict.KEEP
    match status.state:
        case NodeState.UNMANAGED:
            return keep, Reason.of(Code.UNMANAGED)
        case NodeState.INITIALIZING:
            if name in reserved:
                return keep, Reason.of(Code.RESERVED_FOR_POD, waitingFor=status.waiting_for)
            return keep, Reason.of(Code.INITIALIZING, waitingFor=status.waiting_for, until=status.deadline)
        case NodeState.NOT_READY:
            return keep, Reason.of(Code.NODE_NOT_READY, since=status.since)
        case NodeState.INITIALIZATION_FAILED:
            failed = Reason.of(Code.INITIALIZATION_FAILED, missing=status.waiting_for)
            if not world.snapshot.complete:
                return keep, Reason.of(Code.SNAPSHOT_INCOMPLETE)
            if is_unused(world, name):
                return Verdict.REMOVE, failed
            return keep, failed
        case NodeState.DRAINING:
            if name in reserved:
                return keep, Reason.of(Code.RESERVED_FOR_POD)
            return (Verdict.REMOVE if member is not None else keep), Reason.of(Code.DRAINING, since=status.since)
        case NodeState.READY:
            return keep, Reason.of(Code.IN_USE)
