"""A cordoned node takes only pods that tolerate being there (plugin NodeUnschedulable)."""

from __future__ import annotations

from collections.abc import Iterable

from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Toleration
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.filters.taints import tolerates
from autoscaler.scheduling.rejections import Rejection, node_unschedulable

UNSCHEDULABLE = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def accepts_cordon(tolerations: Iterable[Toleration]) -> bool:
    """True if the pod tolerates the taint that stands for `spec.unschedulable`."""
    return tolerates(tolerations, UNSCHEDULABLE)


def check(site: Site) -> Rejection | None:
    """NodeUnschedulable for a cordoned node."""
    if site.row.unschedulable and not accepts_cordon(site.spec.tolerations):
        return node_unschedulable()
    return None
