"""The baseline of the decision benchmark: plain first fit, a pod at a time, a node at a time, dictionaries.

What an autoscaler that simulates the scheduler pod by pod does; the first check that fails ends a node.
"""

from __future__ import annotations

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import Policies


def first_fit(snapshot: Snapshot, policies: Policies) -> tuple[int, int]:
    """(pods placed on nodes there are, nodes opened): biggest pods first, the cheapest template per pod that fits."""
    nodes: list[tuple[dict[str, int], Labels, tuple[Taint, ...]]] = []
    for node in snapshot.nodes:
        free = dict(node.allocatable)
        for pod in snapshot.pods_by_node.get(node.name, ()):
            for name, amount in pod.spec.requests:
                free[name] = free.get(name, 0) - amount
        nodes.append((free, node.labels, node.taints))
    there = len(nodes)
    templates = sorted((t for p in policies.pools for t in p.templates), key=lambda t: (t.usd_per_hour or 1e9, t.group))
    pending = sorted(snapshot.pending, key=_size, reverse=True)
    placed = 0
    for pod in pending:
        for at, (free, labels, taints) in enumerate(nodes):
            if _fits(pod.spec, free, labels, taints):
                placed += at < there
                break
        else:
            for template in templates:
                free = dict(template.allocatable)
                if _fits(pod.spec, free, template.labels, template.taints):
                    nodes.append((free, template.labels, template.taints))
                    break
    return placed, len(nodes) - there


def _size(pod: Pod) -> tuple[int, int]:
    values = dict(pod.spec.requests)
    return values.get("nvidia.com/gpu", 0), values.get("cpu", 0)


def _fits(spec: PodSpec, free: dict[str, int], labels: Labels, taints: tuple[Taint, ...]) -> bool:
    """Checks and, if all hold, takes the room."""
    for name, amount in spec.requests:
        if free.get(name, 0) < amount:
            return False
    for key, value in spec.node_selector:
        if labels.get(key) != value:
            return False
    for taint in taints:
        if not any(t.key == taint.key for t in spec.tolerations):
            return False
    for name, amount in spec.requests:
        free[name] -= amount
    return True
