"""nodeSelector and the required node affinity (plugin NodeAffinity)."""

from __future__ import annotations

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.pods import PodSpec
from autoscaler.scheduling.filters.clauses import Clause, clause_holds, text
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, node_affinity_mismatch, node_selector_mismatch


def clauses(spec: PodSpec) -> tuple[Clause, ...]:
    """All pairs of the nodeSelector, and one of the affinity's terms (`GetRequiredNodeAffinity`)."""
    found: tuple[Clause, ...] = ()
    if spec.node_selector:
        found = ((NodeSelectorTerm(tuple(Requirement(k, "In", (v,)) for k, v in spec.node_selector)),),)
    if spec.node_affinity is not None:
        found += (spec.node_affinity,)
    return found


def check(site: Site) -> Rejection | None:
    """NodeSelectorMismatch, naming the first pair that is not met; else NodeAffinityMismatch with the terms."""
    labels = site.row.labels
    for key, value in site.spec.node_selector:
        if labels.get(key) != value:
            return node_selector_mismatch(key, value)
    terms = site.spec.node_affinity
    if terms is not None and not clause_holds(terms, labels, site.row.name):
        return node_affinity_mismatch(text(terms))
    return None
