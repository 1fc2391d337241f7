"""What the real nodes of a pool teach about its template.

The declared template wins over anything a half-started node shows. But where finished nodes have less cpu, memory or
disk than declared, promising the declared amount would buy node after node that the pod does not fit
(kubernetes/autoscaler#1869): then the smaller amount counts and the pool says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from autoscaler.model.nodes import Node
from autoscaler.model.reasons import Code, Reason
from autoscaler.model.resources import Amounts
from autoscaler.planning.membership import Membership
from autoscaler.planning.node_states import NodeStatus
from autoscaler.planning.plan import NodeState
from autoscaler.planning.pools import Policies, Pool, Template

SMALL = 0.05  # a difference below this share is corrected without a word: kernels and kubelets differ that much


def corrected(
    policies: Policies, membership: Membership, statuses: Mapping[str, NodeStatus]
) -> tuple[Policies, dict[str, Reason]]:
    """Policies whose templates promise no more than the pool's finished nodes have, and the drift by pool."""
    least: dict[str, dict[str, int]] = {}
    parts: dict[str, dict[str, int]] = {}
    seen: set[tuple[int, int]] = set()
    for name, member in membership.members.items():
        status = statuses[name]
        if status.state is NodeState.READY and status.template is not None:
            kind = (id(member.node.allocatable), id(status.template))
            if kind in seen or member.node.allocatable is status.template.allocatable:
                continue
            seen.add(kind)
            _note(least.setdefault(member.pool.name, {}), member.node, status.template)
            _note_devices(parts.setdefault(member.pool.name, {}), member.node, status.template)
    if not any(least.values()) and not any(parts.values()):
        return policies, {}
    drift: dict[str, Reason] = {}
    pools: list[Pool] = []
    for pool in policies.pools:
        smaller = least.get(pool.name)
        if not smaller:
            pools.append(pool)
        else:
            pools.append(replace(pool, templates=tuple(_lowered(t, smaller) for t in pool.templates)))
        found = _drift(pool, smaller or {}, parts.get(pool.name, {}))
        if found is not None:
            drift[pool.name] = found
    return Policies.of(policies.cluster, pools), drift


def _note(least: dict[str, int], node: Node, template: Template) -> None:
    amounts = dict(node.allocatable)
    for name, declared in template.allocatable:
        if "/" in name or name.startswith("hugepages-"):
            continue
        actual = amounts.get(name)
        if actual is not None and 0 < actual < declared:
            least[name] = min(actual, least.get(name, declared))


def _note_devices(parts: dict[str, int], node: Node, template: Template) -> None:
    amounts = dict(node.allocatable)
    for name, declared in template.allocatable:
        actual = amounts.get(name, 0)
        if "/" in name and actual < declared:
            parts[name] = min(actual, parts.get(name, declared))


def _lowered(template: Template, smaller: Mapping[str, int]) -> Template:
    lowered: Amounts = tuple((name, min(amount, smaller.get(name, amount))) for name, amount in template.allocatable)
    return template if lowered == template.allocatable else replace(template, allocatable=lowered)


def _drift(pool: Pool, smaller: Mapping[str, int], parts: Mapping[str, int]) -> Reason | None:
    declared = dict(pool.templates[0].allocatable) if pool.templates else {}
    for name in sorted({**smaller, **parts}):
        actual = smaller.get(name, parts.get(name, 0))
        if name in parts or actual < declared.get(name, 0) * (1 - SMALL):
            return Reason.of(Code.TEMPLATE_DRIFT, resource=name, declared=declared.get(name, 0), actual=actual)
    return None
