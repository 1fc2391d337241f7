"""The plan as its published document (`docs/reference/plan.md`): plain dicts, sorted, equal bytes for equal plans."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from autoscaler.model.instants import rfc3339
from autoscaler.model.pods import Pod
from autoscaler.model.reasons import Reason
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Outcome, Plan, PodVerdict, ScaleUp
from autoscaler.reporting.sentences import say

API_VERSION = "gpu-autoscaler.dev/v1alpha1"
Document = dict[str, Any]


def plan_document(plan: Plan, snapshot: Snapshot | None = None) -> Document:
    """The Plan document. With a snapshot, pods that have a node are listed too (outcome Bound)."""
    orders = _orders(plan)
    body: Document = {
        "pods": sorted(pod_documents(plan, snapshot), key=lambda p: str(p["pod"])),
        "nodes": _nodes(plan),
        "pools": _pools(plan),
        "cost": {
            "usdPerHourNow": _money(plan.cost.now),
            "usdPerHourAfter": _money(plan.cost.after),
            "idleUsdPerHour": _money(plan.cost.idle),
            "unpricedNodes": plan.cost.unpriced,
            "currency": "USD",
        },
        "held": [reason_document(reason) for reason in plan.held],
    }
    head = {"apiVersion": API_VERSION, "kind": "Plan", "at": rfc3339(plan.at), "id": plan_id(orders), "mode": plan.mode}
    return head | orders | body


def _orders(plan: Plan) -> Document:
    return {
        "scaleUp": [_scale_up(order) for order in plan.scale_up],
        "scaleDown": [
            {
                "pool": item.pool,
                "node": item.node,
                "instance": item.instance,
                "usdPerHour": item.usd_per_hour,
                "reason": reason_document(item.reason),
                "pods": _names(item.pods),
            }
            for item in plan.scale_down
        ],
        "terminate": [
            {"pool": t.pool, "instance": t.instance, "node": t.node, "reason": reason_document(t.reason)}
            for t in plan.terminate
        ],
        "reconfigure": [
            {
                "pool": r.pool,
                "node": r.node,
                "from": r.layout_from,
                "to": r.layout_to,
                "reason": reason_document(r.reason),
                "pods": _names(r.pods),
            }
            for r in plan.reconfigure
        ],
        "cancelDrain": [{"node": c.node, "reason": reason_document(c.reason)} for c in plan.cancel_drain],
    }


def plan_digest(plan: Plan) -> str:
    """The id of the plan, as its document has it."""
    return plan_id(_orders(plan))


def plan_id(orders: Mapping[str, Any]) -> str:
    """Twelve hex digits that name what the plan would do: equal orders, equal id, whatever the clock says.

    Of the reasons only the codes count: how long a node has been idle grows from pass to pass, and a person who has
    read the plan must be able to approve it.
    """
    named = {key: [{**order, "reason": order["reason"]["code"]} for order in found] for key, found in orders.items()}
    kept = json.dumps(named, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(kept.encode()).hexdigest()[:12]


_REASONS: dict[Reason, Document] = {}


def reason_document(reason: Reason) -> Document:
    """Code, parameters, sentence and fix. Instants among the parameters are written as RFC 3339."""
    kept = _REASONS.get(reason)
    if kept is None:
        text = say(reason)
        params = {name: _param(name, value) for name, value in reason.params}
        kept = {"code": str(reason.code), "params": params, "message": text.message, "fix": text.fix}
        if len(_REASONS) > 20_000:
            _REASONS.clear()
        _REASONS[reason] = kept
    return kept


INSTANTS = frozenset({"until", "next", "since", "opens", "drainStarted"})
SECONDS = frozenset({"left", "idleFor", "timeout", "drainTimeout"})


def _param(name: str, value: object) -> object:
    if name in INSTANTS and isinstance(value, int | float):
        return rfc3339(float(value))
    if name in SECONDS and isinstance(value, float):
        return f"{value:g}s"
    return list(value) if isinstance(value, tuple) else value


def _scale_up(order: ScaleUp) -> Document:
    return {
        "pool": order.pool,
        "group": order.group,
        "count": order.count,
        "from": order.size_from,
        "to": order.size_to,
        "zone": order.zone or None,
        "instanceType": order.instance_type or None,
        "capacityType": order.capacity_type,
        "layout": order.layout,
        "usdPerHour": order.usd_per_hour,
        "reason": reason_document(order.reason),
        "pods": _names(order.pods),
    }


def pod_documents(plan: Plan, snapshot: Snapshot | None) -> Iterator[Document]:
    """One entry a pod."""
    for verdict in plan.pods:
        yield from _pods(verdict)
    if snapshot is not None:
        bound = Outcome.BOUND
        for pod in snapshot.pods:
            if pod.node:
                yield {
                    "pod": pod.key,
                    "outcome": str(bound),
                    "node": pod.node,
                    "pool": None,
                    "reason": None,
                    "pools": [],
                }


def _pods(verdict: PodVerdict) -> Iterator[Document]:
    reason = reason_document(verdict.reason)
    pools = [{"pool": name, "reason": reason_document(why)} for name, why in verdict.pools]
    for at, pod in enumerate(verdict.pods):
        yield {
            "pod": pod.key,
            "outcome": str(verdict.outcome),
            "node": (verdict.nodes[at] or None) if verdict.nodes else None,
            "pool": verdict.pool,
            "reason": reason,
            "pools": pools,
        }


def _nodes(plan: Plan) -> list[Document]:
    return [
        {
            "node": n.node,
            "pool": n.pool,
            "state": str(n.state),
            "verdict": str(n.verdict),
            "reason": reason_document(n.reason),
            "idleSince": rfc3339(n.idle_since) if n.idle_since is not None else None,
            "removableAt": rfc3339(n.removable_at) if n.removable_at is not None else None,
        }
        for n in plan.nodes
    ]


def _pools(plan: Plan) -> list[Document]:
    return [
        {
            "pool": p.pool,
            "ready": p.ready,
            "coming": p.coming,
            "idle": p.idle,
            "wantedIdle": p.wanted_idle,
            "backoffUntil": rfc3339(p.backoff_until) if p.backoff_until is not None else None,
            "state": str(p.state),
            "reason": reason_document(p.reason) if p.reason is not None else None,
        }
        for p in plan.pools
    ]


def _names(pods: Sequence[Pod]) -> list[str]:
    return sorted(p.key for p in pods)


def _money(amount: float) -> float:
    return round(amount, 4) + 0.0
