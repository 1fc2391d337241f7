"""Room that pods on their way out are about to leave: worth waiting for, when it comes sooner than a node would.

A replica that is recreated asks for a GPU while the old one still ends on it; a node bought in those seconds comes
minutes later and idles. Only for pods that look at room alone, and only for endings that are near.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from autoscaler.model.lazy_numpy import np
from autoscaler.model.pods import Pod
from autoscaler.model.resources import PODS, amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.demand import holds_nothing
from autoscaler.planning.drain_rules.terminating import is_overdue
from autoscaler.planning.placement import Placement, Remaining
from autoscaler.planning.rows import Kind, Place
from autoscaler.planning.units import Unit
from autoscaler.scheduling.rows import Row

SOON_S = 120.0
"""A pod whose grace period is longer than that is not waited for: a node may well be faster."""


def ending_pods(snapshot: Snapshot, now: float, cutoff: int) -> Mapping[str, tuple[Pod, ...]]:
    """The pods by node that are being deleted, and will soon be gone."""
    dying: tuple[Pod, ...] | None = snapshot.derived.get("dying")
    if dying is None:
        dying = tuple(p for p in snapshot.pods if p.deleted_at is not None and p.node and not p.finished)
        snapshot.derived["dying"] = dying
    found: defaultdict[str, list[Pod]] = defaultdict(list)
    for pod in dying:
        if not holds_nothing(pod, cutoff) and not is_overdue(pod, now) and (pod.deleted_at or now) <= now + SOON_S:
            found[pod.node].append(pod)
    return {name: tuple(pods) for name, pods in found.items()}


def wait_for_room(
    placement: Placement,
    left: Sequence[tuple[Unit, Remaining]],
    ending: Mapping[str, tuple[Pod, ...]],
    looks_at_room_alone: Sequence[bool],
) -> list[tuple[Unit, Remaining]]:
    """Give single pods the room that ends on ready nodes; what is left. Gangs are not kept waiting in parts."""
    waits = any(not u.gang and any(looks_at_room_alone[cls] for cls in rest) for u, rest in left)
    if not waits:
        return list(left)
    index = {p.node: i for i, p in enumerate(placement.places) if p.kind is Kind.READY and p.node in ending}
    rows = placement.add([_freed(placement, index[name], ending[name]) for name in sorted(index)])
    out: list[tuple[Unit, Remaining]] = []
    for unit, rest in left:
        mine = {} if unit.gang else {cls: pods for cls, pods in rest.items() if looks_at_room_alone[cls]}
        after = placement.fill_unit(mine, rows) if mine and rows else mine
        kept = {cls: after.get(cls, ()) if cls in mine else pods for cls, pods in rest.items()}
        kept = {cls: pods for cls, pods in kept.items() if pods}
        if kept:
            out.append((unit, kept))
    return out


def _freed(placement: Placement, row: int, pods: Sequence[Pod]) -> Place:
    """What the node will have left once `pods` are gone, as a row of its own, which other pods do not see."""
    place, fleet = placement.places[row], placement.fleet
    gone: Counter[str] = Counter({PODS: len(pods)})
    for pod in pods:
        gone.update(dict(pod.spec.requests))
    free = np.maximum(fleet.free[row] + fleet.axis.vector(amounts(gone)), 0)
    base = place.row
    freed = Row(
        base.name,
        base.labels,
        base.taints,
        base.unschedulable,
        fleet.axis.amounts(free),
        (),
        base.refuses_above_one,
        base.attach_limits,
    )
    return Place(freed, Kind.FREEING, place.node)
