"""Pods that only keep their own kind off a node: at most one of them a node, which is arithmetic.

Anti-affinity by host to pods that all carry the same term, and a host port, mean "one of these a node". As a
resource of which every node has one, they are bought like any other pods, all at once and at least cost. What is less
plain (terms that others match without having them, zones, addresses) stays with `one_by_one`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autoscaler.model.nodes import HOSTNAME
from autoscaler.model.pods import HostPort, PodAffinityTerm
from autoscaler.scheduling.classes import ClassTable, PodClass

Slot = tuple[str, object]
"""What a node has one of: a host port, or room for one pod of a group that keeps apart."""

ANY_ADDRESS = "0.0.0.0"


def exclusives(table: ClassTable) -> Mapping[int, tuple[Slot, ...]]:
    """The slots of each class that needs nothing but them beside resources; other classes are left out."""
    found: dict[int, tuple[Slot, ...]] = {}
    classes = table.classes
    for cls, item in enumerate(classes):
        spec = item.spec
        if spec.is_simple or spec.pod_affinity or spec.spread or spec.volumes:
            continue
        if not all(_is_plain(term, item, classes) for term in spec.pod_anti_affinity):
            continue
        if not all(_is_open(port, classes) for port in spec.host_ports):
            continue
        apart: list[Slot] = [("apart", (item.namespace, term.selector)) for term in spec.pod_anti_affinity]
        ports: list[Slot] = [("port", (port.protocol, port.port)) for port in spec.host_ports]
        found[cls] = tuple(dict.fromkeys((*apart, *ports)))
    return found


def _is_plain(term: PodAffinityTerm, item: PodClass, classes: Sequence[PodClass]) -> bool:
    """True if the term keeps pods of its own kind apart by host, and all pods that it names have it too."""
    if term.topology_key != HOSTNAME or term.selector is None or term.namespaces or term.namespace_selector is not None:
        return False
    if term.match_label_keys or term.mismatch_label_keys or not term.selector.matches(item.labels):
        return False
    named = [c for c in classes if c.namespace == item.namespace and term.selector.matches(c.labels)]
    return all(term in c.spec.pod_anti_affinity for c in named)


def _is_open(port: HostPort, classes: Sequence[PodClass]) -> bool:
    """True if every pod that asks for this port asks for it on all addresses."""
    same = [p for c in classes for p in c.spec.host_ports if (p.port, p.protocol) == (port.port, port.protocol)]
    return all(p.ip == ANY_ADDRESS for p in same)
