"""The plan's parts put together: orders, and one verdict for each pod, node and pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.buffers import Filled
from autoscaler.planning.costs import cost_of
from autoscaler.planning.market import Shop
from autoscaler.planning.node_verdicts import node_verdicts
from autoscaler.planning.placement import Assignment, Placement
from autoscaler.planning.plan import Outcome, Plan, PodVerdict, Reconfigure, ScaleUp, Terminate
from autoscaler.planning.pool_verdicts import pool_verdicts
from autoscaler.planning.pools import Template
from autoscaler.planning.removals import Decided
from autoscaler.planning.rows import Kind, Place
from autoscaler.planning.scale_up import Served
from autoscaler.planning.why import can_serve, headline

if TYPE_CHECKING:
    from autoscaler.planning.decide import World

SERVED: Mapping[Kind, tuple[Outcome, Code]] = {
    Kind.READY: (Outcome.FITS, Code.FITS_EXISTING_NODE),
    Kind.DRAINING: (Outcome.FITS, Code.FITS_EXISTING_NODE),
    Kind.COMING: (Outcome.COMING, Code.COMING_NODE),
    Kind.FREEING: (Outcome.WAITING, Code.POD_HAS_DELETION_PENDING),
    Kind.RESLICED: (Outcome.COMING, Code.RECONFIGURED_NODE),
    Kind.NEW: (Outcome.SCALE_UP, Code.NEW_NODE),
}


def assemble(
    world: World,
    served: Served,
    settled: Sequence[PodVerdict],
    filled: Sequence[Filled],
    wanted_idle: Mapping[str, int],
    removals: Decided,
    terminate: Sequence[Terminate],
) -> Plan:
    """The whole plan."""
    placement = served.placement
    by_row = placement.by_row()
    scale_up = _orders(served.shop, filled, by_row)
    pods = [*settled, *_served_pods(placement, by_row), *_unserved_pods(world, served)]
    nodes = node_verdicts(world, served, removals)
    return Plan(
        at=world.now,
        mode=world.policies.cluster.mode,
        scale_up=scale_up,
        scale_down=tuple(sorted(removals.scale_down, key=lambda s: (s.pool, s.node))),
        terminate=tuple(terminate),
        reconfigure=_reconfigurations(placement, by_row, world),
        cancel_drain=removals.cancel,
        pods=tuple(pods),
        nodes=nodes,
        pools=pool_verdicts(world, served, wanted_idle, removals),
        cost=cost_of(world, scale_up, removals, terminate),
        held=_held(world, removals),
    )


def _orders(shop: Shop, filled: Sequence[Filled], by_row: Mapping[int, list[Assignment]]) -> tuple[ScaleUp, ...]:
    """One order a group, layout and reason; sizes continue from one order of a group to the next."""
    if not shop.bought:
        return ()
    reasons = {f.row: f.reason for f in filled}
    parts: dict[tuple[str, str, str, str], list[tuple[int, Template]]] = {}
    for row, template in shop.bought:
        reason = reasons.get(row)
        key = (template.pool, template.group, template.layout or "", str(reason.code) if reason else "")
        parts.setdefault(key, []).append((row, template))
    planned = Counter(template.group for _, template in shop.bought)
    sizes = {group: shop.caps.group_size[group] - number for group, number in planned.items()}
    out: list[ScaleUp] = []
    for key in sorted(parts):
        rows = parts[key]
        template = rows[0][1]
        start = sizes[template.group]
        sizes[template.group] = start + len(rows)
        reason = reasons.get(rows[0][0]) or Reason.of(Code.NEW_NODE, pool=template.pool)
        out.append(
            ScaleUp(
                pool=template.pool,
                group=template.group,
                count=len(rows),
                size_from=start,
                size_to=start + len(rows),
                zone=template.zone,
                instance_type=template.instance_type,
                capacity_type=template.capacity_type,
                layout=template.layout,
                usd_per_hour=template.usd_per_hour,
                reason=reason,
                nodes=tuple(shop.placement.places[row].node for row, _ in rows),
                pods=tuple(p for row, _ in rows for a in by_row.get(row, ()) for p in a.pods),
            )
        )
    return tuple(out)


def _served_pods(placement: Placement, by_row: Mapping[int, list[Assignment]]) -> list[PodVerdict]:
    """One verdict for all pods that the same kind of place of the same pool takes."""
    groups: dict[tuple[Kind, str | None, str | None], tuple[list[Pod], list[str]]] = {}
    for row in sorted(by_row):
        place = placement.places[row]
        layout = place.template.layout if place.kind is Kind.RESLICED and place.template is not None else None
        pods, nodes = groups.setdefault((place.kind, place.pool, layout), ([], []))
        for assignment in by_row[row]:
            pods.extend(assignment.pods)
            nodes.extend((place.node,) * len(assignment.pods))
    found: list[PodVerdict] = []
    for (kind, pool, layout), (pods, nodes) in groups.items():
        outcome, code = SERVED[kind]
        params = {key: value for key, value in (("pool", pool), ("layout", layout)) if value}
        found.append(PodVerdict(tuple(pods), outcome, Reason.of(code, **params), pool, tuple(nodes)))
    return found


def _unserved_pods(world: World, served: Served) -> list[PodVerdict]:
    """Waiting where a pool could serve the pod once what blocks it is gone, Unschedulable where none ever could."""
    found: list[PodVerdict] = []
    lines: dict[int, tuple[tuple[str, Reason], ...]] = {}
    for unit, rest in served.unserved:
        del unit
        for cls, pods in rest.items():
            if cls not in lines:
                lines[cls] = pool_lines(world, served.shop, cls, pods)
            if not lines[cls]:
                found.append(PodVerdict(pods, Outcome.UNSCHEDULABLE, Reason.of(Code.NO_POOLS)))
                continue
            outcome = Outcome.WAITING if can_serve(lines[cls]) else Outcome.UNSCHEDULABLE
            found.append(PodVerdict(pods, outcome, headline(lines[cls]), pools=lines[cls]))
    for unit, reason in served.short:
        for cls, pods in unit.pods.items():
            if cls not in lines:
                lines[cls] = pool_lines(world, served.shop, cls, pods)
            never = not can_serve(lines[cls]) and lines[cls]
            found.append(
                PodVerdict(
                    pods,
                    Outcome.UNSCHEDULABLE if never else Outcome.WAITING,
                    headline(lines[cls]) if never else reason,
                    pools=lines[cls],
                )
            )
    return found


def pool_lines(world: World, shop: Shop, cls: int, pods: tuple[Pod, ...]) -> tuple[tuple[str, Reason], ...]:
    """One line for every pool: why it does not take the pod now."""
    del pods
    out: list[tuple[str, Reason]] = []
    for pool in world.policies.pools:
        beside = None if world.table.classes[cls].spec.is_simple else partial(_beside_others, shop, cls)
        out.append((pool.name, shop.why.pool_reason(cls, pool, shop.caps, beside)))
    return tuple(out)


def _beside_others(shop: Shop, cls: int, template: Template) -> Reason | None:
    """Why a further node of this template would not take the pod, with all other pods where they are."""
    token = shop.placement.mark()
    name = f"new/{template.group}/{shop.numbers[template.group] + 1}"
    row = shop.placement.add([Place(shop.maker.empty(template, name), Kind.NEW, name, template.pool, template)])[0]
    reason = shop.placement.fleet.why_not(cls, row)
    shop.placement.rollback(token)
    return reason


def _reconfigurations(
    placement: Placement, by_row: Mapping[int, list[Assignment]], world: World
) -> tuple[Reconfigure, ...]:
    """Idle nodes that get another layout, and starting ones that nobody has given any yet."""
    found: list[Reconfigure] = []
    for row, place in enumerate(placement.places):
        starting = place.kind is Kind.COMING and place.node and place.choices
        if place.template is None or not (starting or (place.kind is Kind.RESLICED and row in by_row)):
            continue
        before = world.statuses[place.node].template if not starting else None
        found.append(
            Reconfigure(
                pool=place.template.pool,
                node=place.node,
                layout_from=before.layout if before else None,
                layout_to=place.template.layout or "",
                reason=Reason.of(Code.RECONFIGURED_NODE, pool=place.template.pool, layout=place.template.layout),
                pods=tuple(p for a in by_row.get(row, ()) for p in a.pods),
            )
        )
    return tuple(sorted(found, key=lambda r: (r.pool, r.node)))


def _held(world: World, removals: Decided) -> tuple[Reason, ...]:
    """Why the plan, or a part of it, is not carried out."""
    held: list[Reason] = []
    memory = world.memory
    if memory.paused and (memory.paused_until is None or memory.paused_until > world.now):
        held.append(Reason.of(Code.PAUSED, until=memory.paused_until, why=memory.pause_reason))
    if world.policies.cluster.mode != "act":
        held.append(Reason.of(Code.OBSERVE_MODE, mode=world.policies.cluster.mode))
    if removals.halted is not None:
        held.append(removals.halted)
    return tuple(held)
