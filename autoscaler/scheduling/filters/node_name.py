"""A pod that names its node runs there or nowhere (plugin NodeName)."""

from __future__ import annotations

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.pods import PodSpec
from autoscaler.scheduling.filters.clauses import NAME_FIELD, Clause
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, node_name_set


def clauses(spec: PodSpec) -> tuple[Clause, ...]:
    """The node's name, if the pod's author set it."""
    if not spec.node_name:
        return ()
    return ((NodeSelectorTerm((), (Requirement(NAME_FIELD, "In", (spec.node_name,)),)),),)


def check(site: Site) -> Rejection | None:
    """NodeNameSet for every other node."""
    wanted = site.spec.node_name
    return node_name_set(wanted) if wanted and wanted != site.row.name else None
