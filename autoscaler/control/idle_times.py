"""Since when each node is idle: an annotation of the node, so that no restart shortens a cooldown (S11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from autoscaler.model.instants import rfc3339
from autoscaler.model.nodes import IDLE_SINCE, Node
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import NodeState, Plan


def idle_changes(plan: Plan, snapshot: Snapshot) -> Iterator[tuple[str, dict[str, str | None], float | None]]:
    """Nodes whose annotation is not what the plan says: name, the annotations to write, the instant (None: in use)."""
    nodes = snapshot.nodes_by_name
    for verdict in plan.nodes:
        if verdict.pool is None or verdict.state is not NodeState.READY:
            continue
        node = nodes[verdict.node]
        wanted = rfc3339(verdict.idle_since) if verdict.idle_since is not None else None
        if node.annotations.get(IDLE_SINCE) != wanted:
            yield verdict.node, {IDLE_SINCE: wanted}, verdict.idle_since


def in_use(plan: Plan, snapshot: Snapshot) -> Iterator[str]:
    """The UIDs of nodes that are ready and not idle: what was remembered of their idleness is over."""
    nodes = snapshot.nodes_by_name
    for verdict in plan.nodes:
        ready = verdict.pool is not None and verdict.state is NodeState.READY
        if ready and verdict.idle_since is None and verdict.node in nodes:
            yield nodes[verdict.node].uid


def outdated(plan: Plan, snapshot: Snapshot) -> Iterator[str]:
    """The UIDs of nodes in use that say they are idle, and that `idle_changes` leaves alone."""
    nodes = snapshot.nodes_by_name
    for verdict in plan.nodes:
        node = nodes.get(verdict.node)
        if node is None or IDLE_SINCE not in node.annotations:
            continue
        if (verdict.pool is None or verdict.state is not NodeState.READY) and has_work(snapshot, node.name):
            yield node.uid


def has_work(snapshot: Snapshot, node: str) -> bool:
    """True where a pod holds the node: neither of a DaemonSet nor finished."""
    return any(not p.is_daemon and not p.finished for p in snapshot.pods_by_node.get(node, ()))


def with_idle_times(snapshot: Snapshot, since: Mapping[str, float | None]) -> Snapshot:
    """The snapshot with idle times (by the UID of the node) that this process keeps instead of the annotations.

    None: the node was in use when it was last looked at, so that its annotation is of an earlier time.
    """
    nodes = tuple(_with(node, since[node.uid]) if node.uid in since else node for node in snapshot.nodes)
    return replace(snapshot, nodes=nodes, derived={})


def _with(node: Node, since: float | None) -> Node:
    if since is None:
        return replace(node, annotations=node.annotations.without(IDLE_SINCE))
    return replace(node, annotations=node.annotations.plus({IDLE_SINCE: rfc3339(since)}))
