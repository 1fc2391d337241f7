"""Claims of devices by dynamic resource allocation (plugin DynamicResources), as far as they can be judged.

A claim that is allocated pins its pods to the nodes of its devices. What a new claim would be given is not simulated,
neither on nodes that exist nor on new ones: the pod is refused, and the reason says so.
"""

from __future__ import annotations

from autoscaler.model.labels import NodeSelectorTerm
from autoscaler.model.pods import PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.filters.clauses import Clause, clause_holds
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import ELSEWHERE, NOT_ALLOCATED, Rejection, resource_claim


def clauses(spec: PodSpec, namespace: str, snapshot: Snapshot) -> tuple[Clause, ...]:
    """One for each claim that is not everywhere."""
    found = (_reach(snapshot, namespace, claim)[0] for claim in spec.claims)
    return tuple(terms for terms in found if terms is not None)


def check(site: Site) -> Rejection | None:
    """ResourceClaim, naming the first claim that the node cannot serve, and why."""
    for claim in site.spec.claims:
        terms, cause = _reach(site.snapshot, site.pod.namespace, claim)
        if terms is not None and not clause_holds(terms, site.row.labels, site.row.name):
            return resource_claim(claim, cause)
    return None


def _reach(snapshot: Snapshot, namespace: str, claim: str) -> tuple[tuple[NodeSelectorTerm, ...] | None, str]:
    """Terms of which a node must match one (None: any does). A name without a claim is a template's, or too early."""
    found = snapshot.resource_claims.get(f"{namespace}/{claim}")
    if found is None or not found.allocated:
        return (), NOT_ALLOCATED
    return found.nodes, ELSEWHERE
