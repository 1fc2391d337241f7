"""Our own writes, laid over a view that does not show them yet: no decision rests on a state before our act (S8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autoscaler.model.memory import Memory
from autoscaler.model.nodes import InstanceGroup, LaunchError, Node

CONSISTENCY_S = 60.0
"""So long a cloud may answer with a size from before our raise. Auto Scaling groups and instance group managers promise
nothing; answers some seconds old are common."""


@dataclass(slots=True)
class OwnWrites:
    """The newest state of each node that we wrote, by UID, until a view as new as that has been seen."""

    nodes: dict[str, Node] = field(default_factory=dict)

    def wrote(self, node: Node) -> None:
        """A patch was accepted; `node` is what the server gave back."""
        self.nodes[node.uid] = node

    def laid_over(self, nodes: tuple[Node, ...]) -> tuple[tuple[Node, ...], int]:
        """The nodes with our newer states in place, and how many of them the view was behind."""
        if not self.nodes:
            return nodes, 0
        seen = {node.uid for node in nodes}
        behind = 0
        merged: list[Node] = []
        for node in nodes:
            ours = self.nodes.get(node.uid)
            if ours is None:
                merged.append(node)
            elif _is_older(node.resource_version, ours.resource_version):
                merged.append(ours)
                behind += 1
            else:
                del self.nodes[node.uid]
                merged.append(node)
        for uid in [uid for uid in self.nodes if uid not in seen]:
            del self.nodes[uid]
        return tuple(merged), behind


def _is_older(seen: str, ours: str) -> bool:
    """Resource versions of one server are comparable as numbers (Kubernetes 1.35, KEP-5504)."""
    return seen.isdecimal() and ours.isdecimal() and int(seen) < int(ours)


def with_raises(
    groups: Mapping[str, InstanceGroup], memory: Memory, now: float, age_s: Mapping[str, float]
) -> dict[str, InstanceGroup]:
    """The groups at least as large as they were asked to be lately, with the refusals that we were told.

    `age_s`: how old the view of a group is where the cloud could not be read since, so that a raise after it counts.
    """
    sizes: dict[str, int] = {}
    for asked in memory.raises:
        if now - min(asked.at, now) < CONSISTENCY_S + age_s.get(asked.group, 0.0):
            sizes[asked.group] = asked.size_to
    found: dict[str, InstanceGroup] = {}
    for name, group in groups.items():
        told: tuple[LaunchError, ...] = memory.refusals.get(name, ())
        wanted = sizes.get(name, 0)
        if group.desired < wanted or told:
            errors = tuple(sorted({*group.errors, *told}, key=lambda e: (e.at, e.code, e.message)))
            group = replace(group, desired=max(group.desired, wanted), errors=errors)
        found[name] = group
    return found
