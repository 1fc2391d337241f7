"""decide(snapshot, policies, memory, now) -> Plan: the one decision of the controller, `plan` and the simulator.

Pure: no clock, no randomness, no I/O. Equal inputs give equal plans, whatever the order of the objects (E2).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autoscaler.model.memory import NO_MEMORY, Memory
from autoscaler.model.nodes import InstanceState
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.resources import Axis, is_accelerator
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning import buffers
from autoscaler.planning.assembly import assemble
from autoscaler.planning.batching import batch_windows
from autoscaler.planning.caps import Caps
from autoscaler.planning.demand import PendingGroup, classify, pending_groups, waits_since
from autoscaler.planning.drain_rules.do_not_disrupt import KEYS as DO_NOT_DISRUPT
from autoscaler.planning.exclusives import Slot, exclusives
from autoscaler.planning.freeing import ending_pods
from autoscaler.planning.market import Shop
from autoscaler.planning.membership import Membership, join
from autoscaler.planning.node_states import NodeStatus, status_of
from autoscaler.planning.observed import corrected
from autoscaler.planning.placement import Placement
from autoscaler.planning.places import Places, places_of
from autoscaler.planning.plan import NodeState, Plan, Terminate
from autoscaler.planning.pool_health import PoolHealth, Starts, is_lost, pool_health, starts_by_pool
from autoscaler.planning.pools import Policies, Template
from autoscaler.planning.removals import decide_removals
from autoscaler.planning.rows import Kind, Place, RowMaker
from autoscaler.planning.scale_up import Served, Sources, serve, unmet
from autoscaler.planning.spot_share import planning_prices, serve_within_share
from autoscaler.planning.units import Unit, units_of
from autoscaler.planning.use_of_nodes import is_unused, use_on
from autoscaler.planning.utilization import Use
from autoscaler.planning.why import Why
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet


@dataclass(frozen=True, slots=True)
class World:
    """What a decision works on: the inputs, and what follows from them alone."""

    snapshot: Snapshot
    policies: Policies
    memory: Memory
    now: float
    membership: Membership
    statuses: Mapping[str, NodeStatus]
    health: Mapping[str, PoolHealth]
    drift: Mapping[str, Reason]
    table: ClassTable
    axis: Axis
    maker: RowMaker
    accelerated: Sequence[bool]
    slots: Mapping[int, tuple[Slot, ...]]
    uses: dict[str, Use]


def decide(snapshot: Snapshot, policies: Policies, memory: Memory = NO_MEMORY, now: float = 0.0) -> Plan:
    """The plan for this snapshot at `now` (seconds since the epoch)."""
    world = _world(snapshot, policies, memory, now)
    demand = classify(pending_groups(snapshot, world.table), world.policies.cluster, now)
    nominated, wanting = split_nominated(demand.wanting, world.statuses)
    units, incomplete = units_of(
        wanting, _bound_gang_pods(snapshot), snapshot.gangs, policies.cluster.accelerator_resources
    )
    places = places_of(world, min((waits_since(group.sample) for group in wanting), default=now))
    served = _serve(world, units, places, nominated)
    filled, wanted_idle = buffers.fill_up(served.shop, world.policies, _pool_counts(world, served), now)
    held = frozenset().union(*(served.placement.hold(group.cls, len(group.pods)) for group in demand.untried))
    removals = decide_removals(world, served, wanted_idle, held)
    return assemble(world, served, [*demand.settled, *incomplete], filled, wanted_idle, removals, _terminations(world))


def _world(snapshot: Snapshot, policies: Policies, memory: Memory, now: float) -> World:
    membership = _membership(snapshot, policies)
    statuses = _statuses(snapshot, membership, now)
    given = policies
    policies, drift = corrected(given, membership, statuses)
    starts = starts_by_pool(membership, statuses, now)
    health = {p.name: pool_health(p, membership, starts.get(p.name) or Starts(), memory, now) for p in policies.pools}
    table = snapshot.derived.get("classes")
    if table is None:
        table = snapshot.derived["classes"] = ClassTable(snapshot, snapshot.pods)
    axis = _axis(snapshot, table)
    return World(
        snapshot,
        policies,
        memory,
        now,
        membership,
        statuses,
        health,
        drift,
        table,
        axis,
        RowMaker(snapshot),
        _accelerated(snapshot, table, policies),
        _slots(snapshot, table),
        _uses(snapshot, given),
    )


def _uses(snapshot: Snapshot, policies: Policies) -> dict[str, Use]:
    """The use of each node, filled in as it is asked for and kept with the snapshot."""
    kept: tuple[Policies, dict[str, Use]] | None = snapshot.derived.get("uses")
    if kept is None or kept[0] is not policies:
        kept = snapshot.derived["uses"] = policies, {}
    return kept[1]


def _membership(snapshot: Snapshot, policies: Policies) -> Membership:
    kept: tuple[Policies, Membership] | None = snapshot.derived.get("membership")
    if kept is None or kept[0] is not policies:
        kept = snapshot.derived["membership"] = policies, join(snapshot, policies)
    return kept[1]


def _statuses(snapshot: Snapshot, membership: Membership, now: float) -> dict[str, NodeStatus]:
    """The state of every node. Ready and unmanaged are kept with the snapshot: time changes neither."""
    kept: tuple[Membership, dict[str, NodeStatus]] | None = snapshot.derived.get("statuses")
    if kept is None or kept[0] is not membership:
        kept = snapshot.derived["statuses"] = membership, {}
    settled, pods_by_node = kept[1], snapshot.pods_by_node
    found: dict[str, NodeStatus] = {}
    for node in snapshot.nodes:
        status = settled.get(node.name)
        if status is None:
            status = status_of(node, membership.members.get(node.name), now, pods_by_node.get(node.name, ()))
            # Ready on account of a deadline that is over stays ready only as long as time goes forward.
            if status.state is NodeState.UNMANAGED or (status.state is NodeState.READY and status.deadline is None):
                settled[node.name] = status
        found[node.name] = status
    return found


def _slots(snapshot: Snapshot, table: ClassTable) -> Mapping[int, tuple[Slot, ...]]:
    kept: Mapping[int, tuple[Slot, ...]] | None = snapshot.derived.get("slots")
    if kept is None:
        kept = snapshot.derived["slots"] = exclusives(table)
    return kept


def _accelerated(snapshot: Snapshot, table: ClassTable, policies: Policies) -> Sequence[bool]:
    """Which classes ask for accelerators."""
    extra = policies.cluster.accelerator_resources
    kept: tuple[frozenset[str], Sequence[bool]] | None = snapshot.derived.get("accelerated")
    if kept is None or kept[0] != extra:
        found = [any(is_accelerator(name, extra) for name, _ in c.spec.requests) for c in table.classes]
        kept = snapshot.derived["accelerated"] = extra, found
    return kept[1]


@dataclass(frozen=True, slots=True)
class KindsOfClasses:
    """See Sources."""

    is_simple: Sequence[bool]
    looks_at_room_alone: Sequence[bool]


def _kinds_of_classes(snapshot: Snapshot, table: ClassTable) -> KindsOfClasses:
    kept: KindsOfClasses | None = snapshot.derived.get("kinds")
    if kept is None:
        slots, alone = _slots(snapshot, table), [c.spec.is_simple for c in table.classes]
        kept = KindsOfClasses([simple or at in slots for at, simple in enumerate(alone)], alone)
        snapshot.derived["kinds"] = kept
    return kept


def _axis(snapshot: Snapshot, table: ClassTable) -> Axis:
    """Resources that some pod asks for; what nobody asks for decides nothing."""
    kept = snapshot.derived.get("axis")
    if kept is None:
        kept = snapshot.derived["axis"] = Axis.of(name for c in table.classes for name, _ in c.spec.requests)
    return kept


def split_nominated(
    groups: Sequence[PendingGroup], statuses: Mapping[str, NodeStatus]
) -> tuple[tuple[tuple[int, Pod], ...], tuple[PendingGroup, ...]]:
    """Pods that the scheduler will run on a usable node once their victims are gone; and all others.

    A nomination of a node that is gone means nothing (kubernetes/autoscaler#3846).
    """
    nominated: list[tuple[int, Pod]] = []
    others: list[PendingGroup] = []
    for group in groups:
        status = statuses.get(group.sample.nominated_node) if group.sample.nominated_node else None
        if status is not None and status.state is NodeState.READY:
            nominated += [(group.cls, pod) for pod in group.pods]
        else:
            others.append(group)
    return tuple(nominated), tuple(others)


def _bound_gang_pods(snapshot: Snapshot) -> Mapping[str, int]:
    kept: Mapping[str, int] | None = snapshot.derived.get("bound-gang-pods")
    if kept is None:
        kept = Counter(p.gang for p in snapshot.pods if p.gang and p.node and not p.finished and p.deleted_at is None)
        snapshot.derived["bound-gang-pods"] = kept
    return kept


def _serve(
    world: World,
    units: Sequence[Unit],
    places: Places,
    nominated: tuple[tuple[int, Pod], ...],
) -> Served:
    held: dict[str, float] = {}
    kinds = _kinds_of_classes(world.snapshot, world.table)

    def new_shop() -> Shop:
        fleet = Fleet(world.snapshot, world.table, world.axis)
        for row in places.aside:
            fleet.add_aside(row)
        placement = Placement(fleet, world.accelerated)
        caps = Caps.of(world.policies, world.membership)
        why = Why(
            world.policies,
            world.health,
            world.table,
            fleet,
            world.maker,
            world.accelerated,
            held,
            world.memory,
            world.now,
        )
        open_ = _open_templates(world, held)
        fleet.set_potential(lambda: [world.maker.empty(t, f"new/{t.group}/potential") for t in open_])
        prices = planning_prices(world.policies)
        return Shop(open_, why, caps, placement, world.maker, world.table, world.slots, price=prices)

    sources = Sources(
        places=places,
        resliceable=_resliceable(world),
        nominated=nominated,
        ending=ending_pods(world.snapshot, world.now, world.policies.cluster.priority_cutoff),
        maker=world.maker,
        new_shop=new_shop,
        is_accelerated=world.accelerated,
        is_simple=kinds.is_simple,
        looks_at_room_alone=kinds.looks_at_room_alone,
    )
    if any(p.scale_up.batch_window_s for p in world.policies.pools):
        shop, left = unmet(units, sources)
        held.update(batch_windows(world.policies, left, shop.why.takes, world.now))
    return serve_within_share(units, sources, world.policies, serve)


def _open_templates(world: World, held: Mapping[str, float]) -> tuple[Template, ...]:
    found = []
    for pool in world.policies.pools:
        health = world.health[pool.name]
        if (health.blocked is not None and health.blocked.code is not Code.BACKOFF) or pool.name in held:
            continue
        found += [t for t in pool.templates if health.groups[t.group].blocked is None]
    return tuple(found)


def _resliceable(world: World) -> tuple[Place, ...]:
    """Ready nodes without work whose pool offers another MIG layout."""
    found = []
    pods_by_node = world.snapshot.pods_by_node
    for name, member in sorted(world.membership.members.items()):
        status = world.statuses[name]
        choices = member.pool.templates_of(member.group)
        if status.state is not NodeState.READY or len(choices) < 2 or member.node.unschedulable:
            continue
        pods = pods_by_node.get(name, ())
        if any(not p.is_daemon for p in pods) or any(
            member.node.annotations.get(key) == "true" for key in DO_NOT_DISRUPT
        ):
            continue  # a layout under a running pod is never touched, nor a node that somebody asks to leave alone
        others = tuple(t for t in world.policies.by_name[member.pool.name].templates_of(member.group))
        others = tuple(t for t in others if t.layout != (status.template.layout if status.template else None))
        row = world.maker.empty(others[0], name)
        found.append(Place(row, Kind.RESLICED, name, member.pool.name, others[0], others))
    return tuple(found)


def _terminations(world: World) -> tuple[Terminate, ...]:
    """Instances that never became usable nodes: lost, failed, or come up without what they should have."""
    found: list[Terminate] = []
    if not world.snapshot.complete:
        return ()
    for instance, group, pool in world.membership.unregistered:
        if instance.state is InstanceState.FAILED:
            found.append(Terminate(pool.name, group, instance.id, None, Reason.of(Code.LAUNCH_FAILED)))
        elif is_lost(instance.launched_at, pool, world.now):
            reason = Reason.of(Code.NEVER_REGISTERED, timeout=pool.scale_up.registration_timeout_s)
            found.append(Terminate(pool.name, group, instance.id, None, reason))
    for name, member in sorted(world.membership.members.items()):
        status = world.statuses[name]
        if status.state is NodeState.INITIALIZATION_FAILED and is_unused(world, name):
            reason = Reason.of(Code.INITIALIZATION_FAILED, missing=status.waiting_for)
            found.append(Terminate(member.pool.name, member.group, member.instance.id, name, reason))
    return tuple(sorted(found, key=lambda t: (t.pool, t.instance)))


def _pool_counts(world: World, served: Served) -> Mapping[str, buffers.PoolCount]:
    """Nodes of each pool by what they do, before minimums and buffers are filled."""
    used = served.placement.used_rows()
    idle: defaultdict[str, int] = defaultdict(int)
    coming: defaultdict[str, int] = defaultdict(int)
    busy: defaultdict[str, int] = defaultdict(int)
    for row, place in enumerate(served.placement.places):
        if place.pool is None:
            continue
        if row in used or place.kind is Kind.NEW or place.kind is Kind.RESLICED:
            busy[place.pool] += 1
        elif place.kind is Kind.COMING:
            coming[place.pool] += 1
        elif place.kind is Kind.READY:
            if world.statuses[place.node].waiting_for:
                continue  # lacks what its template declares: neither work nor idle capacity
            use = use_on(world, place.node)
            (idle if use.idle and not place.row.unschedulable else busy)[place.pool] += 1
    return {p.name: buffers.PoolCount(idle[p.name], coming[p.name], busy[p.name]) for p in world.policies.pools}
