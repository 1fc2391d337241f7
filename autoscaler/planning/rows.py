"""The rows that pods can be placed on: nodes that are ready, nodes on their way, nodes that could be had back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from autoscaler.model.nodes import DRAINING_TAINT, HOSTNAME, Node
from autoscaler.model.pods import Pod
from autoscaler.model.resources import NO_AMOUNTS, Amounts, is_accelerator
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.membership import ALIVE, Member, Membership
from autoscaler.planning.node_states import NodeStatus, layout_is_open
from autoscaler.planning.plan import NodeState
from autoscaler.planning.pool_health import PoolHealth, is_lost
from autoscaler.planning.pools import Policies, Template
from autoscaler.scheduling.daemons import daemon_load
from autoscaler.scheduling.rows import Row


class Kind(Enum):
    """What a row stands for, in the order of preference."""

    READY = "ready"
    COMING = "coming"
    DRAINING = "draining"
    RESLICED = "resliced"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Place:
    """A row with what planning knows of it. `node` is "" where no node object exists yet.

    `choices`: the templates between which a row of a pool with several MIG layouts may still choose.
    """

    row: Row
    kind: Kind
    node: str = ""
    pool: str | None = None
    template: Template | None = None
    choices: tuple[Template, ...] = ()


class RowMaker:
    """Makes rows; the load of DaemonSets on a new node is computed once a template."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._daemon_sets = {(d.namespace, d.name) for d in snapshot.daemon_sets}
        self._loads: dict[int, tuple[Template, Amounts]] = {}
        self._kept: dict[str, Row] = snapshot.derived.setdefault("rows", {})

    def empty(self, template: Template, name: str, pods: tuple[Pod, ...] = (), *, hostname: bool = True) -> Row:
        """A node of this template as it will be when it is ready, with the DaemonSets that will land on it."""
        labels = template.labels.plus({HOSTNAME: name}) if hostname else template.labels
        kept = self._loads.get(id(template))
        if kept is None:
            bare = Row(name, labels, template.taints, False, template.allocatable)
            kept = (template, daemon_load(self._snapshot.daemon_sets, bare))
            self._loads[id(template)] = kept
        return Row(
            name=name,
            labels=labels,
            taints=template.taints,
            unschedulable=False,
            allocatable=template.allocatable,
            pods=pods,
            refuses_above_one=template.refuses_above_one,
            reserved=kept[1],
        )

    def counts_daemon(self, pod: Pod) -> bool:
        """True for a pod of a DaemonSet whose load `empty` counts; not of one that the snapshot lacks."""
        owner = pod.owner
        return owner is not None and owner.kind == "DaemonSet" and (pod.namespace, owner.name) in self._daemon_sets

    def as_is(self, node: Node, pods: tuple[Pod, ...], template: Template | None) -> Row:
        """A node that is used as it is; one object a snapshot, so that what is read from it is read once."""
        refuses = template.refuses_above_one if template else frozenset()
        kept = self._kept.get(node.name)
        if kept is None or kept.refuses_above_one != refuses:
            kept = self._kept[node.name] = Row(
                name=node.name,
                labels=node.labels,
                taints=node.taints,
                unschedulable=node.unschedulable,
                allocatable=node.allocatable,
                pods=pods,
                refuses_above_one=refuses,
                attach_limits=node.attach_limits,
                reserved=NO_AMOUNTS,
            )
        return kept

    def without_drain(self, node: Node, pods: tuple[Pod, ...], template: Template | None) -> Row:
        """A draining node as it will be when its drain is undone."""
        row = self.as_is(node, pods, template)
        taints = tuple(t for t in row.taints if t.key not in (DRAINING_TAINT, "node.kubernetes.io/unschedulable"))
        return Row(row.name, row.labels, taints, False, row.allocatable, pods, row.refuses_above_one, row.attach_limits)


@dataclass(frozen=True, slots=True)
class Places:
    """Rows by what they stand for; `fixed` are ready nodes then coming ones of one shape.

    `aside`: nodes that take no pods, but whose pods count for spread and affinity.
    """

    fixed: tuple[Place, ...]
    flexible: tuple[Place, ...]
    draining: tuple[Place, ...]
    aside: tuple[Row, ...] = ()


def places_of(
    snapshot: Snapshot,
    policies: Policies,
    membership: Membership,
    statuses: Mapping[str, NodeStatus],
    health: Mapping[str, PoolHealth],
    maker: RowMaker,
    now: float,
) -> Places:
    """All places that exist or are on their way, in a stable order."""
    ready: list[Place] = []
    coming: list[Place] = []
    flexible: list[Place] = []
    draining: list[Place] = []
    aside: list[Row] = []
    pods_by_node = snapshot.pods_by_node
    for node in snapshot.nodes:
        status, pods = statuses[node.name], pods_by_node.get(node.name, ())
        member = membership.members.get(node.name)
        pool = member.pool.name if member else None
        if status.state is NodeState.READY or (status.state is NodeState.UNMANAGED and _is_sound(node, policies)):
            ready.append(Place(maker.as_is(node, pods, status.template), Kind.READY, node.name, pool, status.template))
        elif status.state is NodeState.INITIALIZING and status.template is not None:
            row = maker.empty(status.template, node.name, tuple(p for p in pods if not maker.counts_daemon(p)))
            if member is not None and layout_is_open(node, member):
                choices = member.pool.templates_of(member.group)
                flexible.append(Place(row, Kind.COMING, node.name, pool, choices[0], choices))
            else:
                coming.append(Place(row, Kind.COMING, node.name, pool, status.template))
        elif status.state is NodeState.DRAINING and status.template and _can_be_had_back(node, member):
            row = maker.without_drain(node, pods, status.template)
            draining.append(Place(row, Kind.DRAINING, node.name, pool, status.template))
            aside.append(maker.as_is(node, pods, status.template))
        else:
            aside.append(maker.as_is(node, pods, status.template))
    for group, name, pool_name in _without_node(policies, membership, health, now):
        templates = policies.by_name[pool_name].templates_of(group)
        place = Place(maker.empty(templates[0], name), Kind.COMING, "", pool_name, templates[0], templates)
        (coming if len(templates) == 1 else flexible).append(place)
    return Places((*ready, *coming), tuple(flexible), tuple(draining), tuple(aside))


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


def _can_be_had_back(node: Node, member: Member | None) -> bool:
    """True for a node that our drain alone keeps from taking pods: not one that is being deleted already."""
    return member is not None and member.instance.state in ALIVE and node.deleted_at is None and node.is_ready


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


def _without_node(
    policies: Policies, membership: Membership, health: Mapping[str, PoolHealth], now: float
) -> Sequence[tuple[str, str, str]]:
    """(group, row name, pool) of instances without a node and of launches that are still owed."""
    found = [
        (group, f"coming/{group}/{instance.id}", pool.name)
        for instance, group, pool in membership.unregistered
        if instance.state in ("Pending", "Running") and not is_lost(instance.launched_at, pool, now)
    ]
    for pool in policies.pools:
        for group in pool.groups:
            expected = health[pool.name].groups[group].expected
            found += [(group, f"coming/{group}/owed-{n}", pool.name) for n in range(1, expected + 1)]
    return [item for item in found if policies.by_name[item[2]].templates_of(item[0])]
