"""Where each node is in its life: starting, usable, failed to start, sick, draining, or none of ours.

Ready is not usable: a fresh GPU node turns Ready minutes before its device plugin offers the GPUs
(kubernetes/autoscaler#461, #1949). Until everything that the template declares is there, the node counts with
the template's shape; what it shows meanwhile (a whole GPU before the MIG layout is applied) is nobody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.labels import Labels
from autoscaler.model.nodes import DRAINING_TAINT, IDLE_SINCE, InstanceState, Node
from autoscaler.model.pods import Pod
from autoscaler.model.resources import CPU, MEMORY, PODS, STORAGE, Amounts
from autoscaler.planning.membership import Member
from autoscaler.planning.plan import NodeState
from autoscaler.planning.pools import Template

MIG_STATE = "nvidia.com/mig.config.state"
MIG_CONFIG = "nvidia.com/mig.config"
ALWAYS_THERE = frozenset({CPU, MEMORY, PODS, STORAGE})
LONG_AGO_S = 6 * 3600.0
"""So long after its deadline a node is no failed start: a controller that runs has called it failed within a pass."""


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """A node's state; `waiting_for` names what is missing, `deadline` is when waiting for it ends.

    A ready node with a deadline lacks something that its template declares, and is used with what it has.
    `template` is the shape that the node has or will have; None for an unmanaged node.
    """

    state: NodeState
    waiting_for: str = ""
    deadline: float | None = None
    template: Template | None = None
    since: float | None = None


UNMANAGED = NodeStatus(NodeState.UNMANAGED)


def status_of(node: Node, member: Member | None, now: float, pods: Sequence[Pod] = ()) -> NodeStatus:
    """The state of one node at `now`; `pods` are those bound to it."""
    if member is None:
        return UNMANAGED
    template = template_of(node, member)
    if node.deleted_at is not None or member.instance.state in (InstanceState.TERMINATING, InstanceState.TERMINATED):
        return NodeStatus(NodeState.DRAINING, template=template)
    if any(t.key == DRAINING_TAINT for t in node.taints):
        return NodeStatus(NodeState.DRAINING, template=template, since=drain_start(node))
    missing = missing_on(node, template)
    if not missing:
        return _labeled(node, member, template, now)
    status = _starting_or_failed(node, member, template, missing, now)
    if status.state is not NodeState.INITIALIZATION_FAILED or not _was_in_use(node, pods, status, now):
        return status
    if missing == "Ready":
        return NodeStatus(NodeState.NOT_READY, missing, status.deadline, template, status.since)
    # Not a failed start but a changed policy, or a device that was lost: used as it is, and removed, if at all, within
    # the budgets (S7).
    return NodeStatus(NodeState.READY, missing, status.deadline, template)


def _was_in_use(node: Node, pods: Sequence[Pod], status: NodeStatus, now: float) -> bool:
    """True if the node was complete once: its idleness was recorded, its devices are used, or it is of long ago,
    when nobody was there to call it failed.
    """
    if IDLE_SINCE in node.annotations:
        return True
    running = [p for p in pods if not p.is_daemon and p.phase == "Running"]
    if status.waiting_for == "Ready":
        return bool(running)
    used = any("/" in name for pod in running for name, _ in pod.spec.requests)
    return used or now - (status.deadline or now) > LONG_AGO_S


def _labeled(node: Node, member: Member, template: Template, now: float) -> NodeStatus:
    """A node with all its devices: ready, or while it is young still waiting for labels that the policy declares.

    GPU feature discovery labels a node up to a minute after its plugin has registered. A label that does not come is
    no failure: the node is used with the labels that it has.
    """
    absent = sorted(key for key in template.declared_labels if key not in node.labels)
    deadline = min(node.created, now) + member.pool.scale_up.initialization_timeout_s
    if absent and now < deadline:
        return NodeStatus(NodeState.INITIALIZING, absent[0], deadline, template)
    return NodeStatus(NodeState.READY, template=template)


def _starting_or_failed(node: Node, member: Member, template: Template, missing: str, now: float) -> NodeStatus:
    timeout = member.pool.scale_up.initialization_timeout_s
    created = min(node.created, now)  # an instant in the future counts as now (S11)
    deadline = created + timeout
    if now < deadline:
        return NodeStatus(NodeState.INITIALIZING, missing, deadline, template)
    ready = node.ready
    if missing == "Ready":
        since = min(ready.since, now) if ready and ready.since is not None else created
        was_ready = ready is not None and since > created + 1
        if was_ready and now < since + timeout:
            return NodeStatus(NodeState.NOT_READY, missing, since + timeout, template, since)
        state = NodeState.NOT_READY if was_ready else NodeState.INITIALIZATION_FAILED
        return NodeStatus(state, missing, since + timeout if was_ready else deadline, template, since)
    if dict(node.allocatable).get(missing, 0) > 0:
        # Used with the part that came; the pool shows the drift. The deadline says that time decided.
        return NodeStatus(NodeState.READY, deadline=deadline, template=template)
    # The kubelet keeps a device in `capacity` for five minutes after its plugin is gone: that is a restart of the
    # plugin or a change of the MIG layout, not a node that never started.
    changing = node.labels.get(MIG_STATE) in ("pending", "rebooting") or _shows_another_layout(node, member, template)
    if dict(node.capacity).get(missing, 0) > 0 or changing:
        return NodeStatus(NodeState.INITIALIZING, missing, None, template)
    return NodeStatus(NodeState.INITIALIZATION_FAILED, missing, deadline, template)


def _shows_another_layout(node: Node, member: Member, template: Template) -> bool:
    """True right after the label changed: the node still offers its old layout, and says success of the old one.

    mig-manager turns the state to pending only when it begins (NVIDIA/mig-parted, pkg/mig/reconfigure).
    """
    there = dict(node.allocatable)
    others = [t for t in member.pool.templates_of(member.group) if t.layout != template.layout]
    return any(t.layout is not None and _offers_exactly(t, there) for t in others)


def missing_on(node: Node, template: Template) -> str:
    """The first thing that a node of this template lacks, or "".

    In the order in which a node gets them: Ready, start-up taints gone, MIG layout applied, declared devices.
    A device that is there in part counts as missing; after the deadline the part is used as it is.
    """
    if not node.is_ready:
        return "Ready"
    startup = {t.key for t in template.startup_taints}
    for taint in node.taints:
        if taint.key in startup:
            return taint.key
    if template.layout and node.labels.get(MIG_STATE) in ("pending", "rebooting", "failed"):
        return f"MIG layout {template.layout}"
    there = dict(node.allocatable)
    for name, declared in template.allocatable:
        if name in ALWAYS_THERE or name.startswith("hugepages-"):
            continue
        if there.get(name, 0) < declared and not _settled_in_part(node, name, there.get(name, 0)):
            return name
    return ""


def _settled_in_part(node: Node, name: str, amount: int) -> bool:
    """True where a device is offered in part and the kubelet says that this is all: a sick GPU, not a slow start."""
    return amount > 0 and dict(node.capacity).get(name, amount) > amount


def template_of(node: Node, member: Member) -> Template:
    """The template of a node: of its group, and of the layout that the node is labeled with or shows."""
    choices = member.pool.templates_of(member.group) or member.pool.templates
    if len(choices) == 1:
        return choices[0]
    wanted = node.labels.get(MIG_CONFIG)
    for template in choices:
        if wanted and template.layout == wanted:
            return template
    there = dict(node.allocatable)
    for template in choices:
        if _offers_exactly(template, there):
            return template
    return choices[0]


def layout_is_open(node: Node, member: Member) -> bool:
    """True for a node that may still get any layout of its pool: it is labeled with none of them, and shows none."""
    choices = member.pool.templates_of(member.group)
    if len(choices) < 2 or any(t.layout == node.labels.get(MIG_CONFIG) for t in choices):
        return False
    there = dict(node.allocatable)
    return not any(_offers_exactly(t, there) for t in choices)


def _offers_exactly(template: Template, there: dict[str, int]) -> bool:
    declared = dict(template.allocatable)
    names = set(template.accelerators) | {n for n in there if n.startswith("nvidia.com/mig-")}
    return all(there.get(name, 0) == declared.get(name, 0) for name in names)


def drain_start(node: Node) -> float | None:
    """When our drain of the node began; None if the taint does not say.

    Its value is in seconds since the epoch, for the API server takes no colons there; in files an RFC 3339 instant
    is read too.
    """
    value = next((t.value for t in node.taints if t.key == DRAINING_TAINT), "")
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return parse_rfc3339(value)
    except ValueError:
        return None


def ready_shape(node: Node, template: Template | None) -> tuple[Labels, Amounts, frozenset[str]]:
    """Labels, allocatable and refused resources of a node that is used as it is."""
    return node.labels, node.allocatable, template.refuses_above_one if template else frozenset()
