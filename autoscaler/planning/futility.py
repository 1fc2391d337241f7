"""Nodes that were bought for pods and then not used by them: after two, the pool is left alone for that shape (L3).

Evidence is a node of the pool, younger than the purchase, that has stood idle for a while although pods of the shape
still wait. Launches that fail are no evidence: the pool's own backoff answers for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

from autoscaler.model.memory import Futility, Memory
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import NodeState, NodeVerdict, Plan, ScaleUp

UNUSED_S = 120.0
"""So long a node has to stand idle before it counts: the scheduler retries at least every minute or so."""
LONG_UNUSED_S = 600.0
"""One node that stands idle for so long is evidence enough."""
NODES = 2
FIRST_S, LONGEST_S = 1800.0, 8 * 3600.0
FORGOTTEN_S = 86400.0


@lru_cache(maxsize=4096)
def _digest(spec: PodSpec) -> str:
    return sha256(repr(spec).encode()).hexdigest()[:12]


def key(pool: str, spec: PodSpec) -> str:
    """The name of a shape in a pool, as the ledger has it."""
    return f"{pool}/{_digest(spec)}"


def quarantined(memory: Memory, pool: str, spec: PodSpec, now: float) -> Futility | None:
    """The entry that keeps the pool from growing for the shape now, or None."""
    found = memory.futility.get(key(pool, spec)) if memory.futility else None
    return found if found is not None and found.until is not None and found.until > now else None


def charged(known: Mapping[str, Futility], raised: Iterable[ScaleUp], now: float) -> Mapping[str, Futility]:
    """What is known after these purchases: from now on, nodes of the pool are expected to be used by the shapes."""
    made = dict(known)
    for up in raised:
        for spec in dict.fromkeys(pod.spec for pod in up.pods):
            made.setdefault(key(up.pool, spec), Futility(0, now, now))
    return made if made.keys() != known.keys() else known


def judged(known: Mapping[str, Futility], plan: Plan, snapshot: Snapshot, now: float) -> Mapping[str, Futility]:
    """What is known after this look: shapes that were served are forgotten, unused nodes are counted."""
    if not known:
        return known
    shapes = {_digest(pod.spec): pod for pod in snapshot.pods if not pod.node and _is_waiting(pod, now)}
    pools = {v.node: v.pool for v in plan.nodes if v.pool is not None}
    born = {node.name: node.created for node in snapshot.nodes}
    served: dict[str, float] = {}
    for pod in snapshot.pods:
        if pod.node in pools:
            found = key(pools[pod.node] or "", pod.spec)
            served[found] = max(served.get(found, 0.0), born.get(pod.node, 0.0))
    idle = [v for v in plan.nodes if v.pool is not None and v.state is NodeState.READY and v.idle_since is not None]
    made: dict[str, Futility] = {}
    for name, entry in known.items():
        pool, _, shape = name.rpartition("/")
        if served.get(name, float("-inf")) >= entry.since or now - min(entry.at, now) > FORGOTTEN_S:
            continue
        if shape in shapes:
            entry = _counted(entry, [v for v in idle if v.pool == pool], born, now)
        elif entry.until is None and now - min(entry.since, now) > LONGEST_S:
            continue
        made[name] = entry
    return made if made != known else known


def _is_waiting(pod: Pod, now: float) -> bool:
    since = pod.unschedulable_since if pod.unschedulable_since is not None else pod.created
    return not pod.finished and pod.deleted_at is None and not pod.gated and now - since > UNUSED_S


def _counted(entry: Futility, idle: Sequence[NodeVerdict], born: Mapping[str, float], now: float) -> Futility:
    if entry.until is not None and entry.until > now:
        return entry
    fresh = [v for v in idle if born[v.node] > entry.at and now - (v.idle_since or now) > UNUSED_S]
    if not fresh and entry.nodes < NODES:
        old = [v for v in idle if born[v.node] >= entry.since and now - (v.idle_since or now) > LONG_UNUSED_S]
        if not old:
            return entry
        entry = replace(entry, nodes=NODES)
    else:
        newest = max((born[v.node] for v in fresh), default=entry.at)
        entry = replace(entry, nodes=entry.nodes + len(fresh), at=newest)
    if entry.nodes < NODES:
        return entry
    until = now + min(LONGEST_S, FIRST_S * 2.0 ** min(entry.times, 20))
    # After the quarantine one more node may be tried.
    return replace(entry, nodes=NODES - 1, until=until, times=entry.times + 1)
