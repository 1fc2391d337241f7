"""All places that pods could be given: what is ready, what is on its way, what could be had back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autoscaler.model.nodes import Node
from autoscaler.model.resources import is_accelerator
from autoscaler.planning.membership import ALIVE, Member
from autoscaler.planning.node_states import NodeStatus, layout_is_open
from autoscaler.planning.plan import NodeState
from autoscaler.planning.pool_health import is_lost
from autoscaler.planning.pools import Policies
from autoscaler.planning.rows import Kind, Place
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    from autoscaler.planning.decide import World


@dataclass(frozen=True, slots=True)
class Places:
    """Rows by what they stand for; `fixed` are ready nodes then coming ones of one shape.

    `aside`: nodes that take no pods, but whose pods count for spread and affinity.
    """

    fixed: tuple[Place, ...]
    flexible: tuple[Place, ...]
    draining: tuple[Place, ...]
    aside: tuple[Row, ...] = ()


def places_of(world: World, waiting_since: float) -> Places:
    """All places that exist or are on their way, in a stable order; the oldest pod waits since `waiting_since`."""
    ready: list[Place] = []
    idle: list[Place] = []
    coming: list[Place] = []
    draining: list[Place] = []
    aside: list[Row] = []
    for node in world.snapshot.nodes:
        status, pods = world.statuses[node.name], world.snapshot.pods_by_node.get(node.name, ())
        member = world.membership.members.get(node.name)
        pool = member.pool.name if member else None
        as_is = world.maker.as_is(node, pods, status.template)
        if status.state is NodeState.READY or (member is None and _is_sound(node, world.policies)):
            # Nodes with work come first: a pod that fits there keeps no idle node.
            there = ready if any(not p.is_daemon for p in pods) else idle
            there.append(Place(as_is, Kind.READY, node.name, pool, status.template))
        elif member is not None and _is_coming(world, member, status, waiting_since):
            coming.append(_coming(world, member, status))
        else:
            aside.append(as_is)
            if member is not None and status.template and _can_be_had_back(member, status):
                row = world.maker.without_drain(node, pods, status.template)
                draining.append(Place(row, Kind.DRAINING, node.name, pool, status.template))
    coming += _without_node(world)
    idle.sort(key=lambda place: place.pool is not None)  # those of others cost us nothing
    fixed = (*ready, *idle, *(p for p in coming if len(p.choices) < 2))
    return Places(fixed, tuple(p for p in coming if len(p.choices) > 1), tuple(draining), tuple(aside))


def _is_coming(world: World, member: Member, status: NodeStatus, waiting_since: float) -> bool:
    """True for a node that starts.

    A start without a deadline of its own - devices that the kubelet reports and does not offer, a MIG layout that stays
    pending - is waited for as long as any start may take, counted from the oldest pod; then it is no capacity.
    """
    if status.state is not NodeState.INITIALIZING:
        return False
    patience = member.pool.scale_up.initialization_timeout_s
    return status.deadline is not None or world.now - min(waiting_since, world.now) <= patience


def _coming(world: World, member: Member, status: NodeStatus) -> Place:
    """A starting node as it will be, with the choice of its layout where that is still open."""
    node, open_ = member.node, layout_is_open(member.node, member)
    choices = member.pool.templates_of(member.group) if open_ else ()
    template = choices[0] if choices else status.template
    assert template is not None, "a managed node has a template"
    pods = (p for p in world.snapshot.pods_by_node.get(node.name, ()) if not world.maker.counts_daemon(p))
    row = world.maker.empty(template, node.name, tuple(pods))
    return Place(row, Kind.COMING, node.name, member.pool.name, template, choices)


def _can_be_had_back(member: Member, status: NodeStatus) -> bool:
    """True for a node that our drain alone keeps from taking pods: not one that is being deleted already."""
    node = member.node
    alive = member.instance.state in ALIVE and node.deleted_at is None and node.is_ready
    return status.state is NodeState.DRAINING and alive


# Labels by which a node says that it has accelerators (facts of the clouds, NVIDIA's GPU operator, NFD).
ACCELERATOR_LABELS = (
    "accelerator",
    "kubernetes.azure.com/accelerator",
    "cloud.google.com/gke-accelerator",
    "k8s.amazonaws.com/accelerator",
    "eks.amazonaws.com/instance-gpu-name",
    "karpenter.k8s.aws/instance-gpu-name",
    "nvidia.com/gpu.present",
    "feature.node.kubernetes.io/pci-10de.present",
)


def _is_sound(node: Node, policies: Policies) -> bool:
    """True for an unmanaged node that can be counted on: ready, and with the accelerators that its labels promise.

    A GPU node of somebody else without its GPU is starting or broken; nobody's pods are planned on it, and it stops
    nobody from growing (kubernetes/autoscaler#10301).
    """
    if not node.is_ready or node.deleted_at is not None:
        return False
    promised = any(node.labels.get(key) not in (None, "false") for key in ACCELERATOR_LABELS)
    extra = policies.cluster.accelerator_resources
    return not promised or any(is_accelerator(name, extra) for name, _ in node.allocatable)


def _without_node(world: World) -> Iterator[Place]:
    """Instances without a node, and launches that are still owed."""
    found = [
        (group, f"coming/{group}/{instance.id}", pool)
        for instance, group, pool in world.membership.unregistered
        if instance.state in ALIVE and not is_lost(instance.launched_at, pool, world.now)
    ]
    for pool in world.policies.pools:
        for group in pool.groups:
            expected = world.health[pool.name].groups[group].expected
            found += [(group, f"coming/{group}/owed-{n}", pool) for n in range(1, expected + 1)]
    for group, name, pool in found:
        templates = world.policies.by_name[pool.name].templates_of(group)
        if templates:
            yield Place(world.maker.empty(templates[0], name), Kind.COMING, "", pool.name, templates[0], templates)
