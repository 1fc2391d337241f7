"""May a pod of this spec run on this node, other pods and room aside? The controller's own filters answer."""

from __future__ import annotations

from collections.abc import Mapping

from autoscaler.model.labels import NO_LABELS
from autoscaler.model.nodes import POOL_LABEL, Node
from autoscaler.model.pods import PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.classes import PodClass
from autoscaler.scheduling.filters import node_affinity, node_name, node_unschedulable, shared_gpu, taints
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rows import Row

CHECKS = (
    node_unschedulable.check,
    node_name.check,
    taints.check,
    node_affinity.check,
    shared_gpu.check,
)
NOTHING = Snapshot()


class Admission:
    """Answers for one policy: `refuses` names, by pool, the shared resources of which a container may have one only."""

    def __init__(self, refuses: Mapping[str, frozenset[str]]) -> None:
        self._refuses = refuses

    def __call__(self, spec: PodSpec, node: Node) -> bool:
        """True if no filter on labels, taints and devices refuses."""
        row = Row(
            name=node.name,
            labels=node.labels,
            taints=node.taints,
            unschedulable=node.unschedulable,
            allocatable=node.allocatable,
            refuses_above_one=self._refuses.get(node.labels.get(POOL_LABEL, ""), frozenset()),
        )
        site = Site(PodClass(0, spec, NO_LABELS, ""), row, NOTHING, lambda _: 0)
        return all(check(site) is None for check in CHECKS)
