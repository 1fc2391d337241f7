"""What the DaemonSets of the cluster will use of a node, before they are there.

Source: the DaemonSet controller (`NodeShouldRunDaemonPod`, `AddOrUpdateDaemonPodTolerations`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from autoscaler.model.objects import DaemonSet
from autoscaler.model.pods import Pod, Toleration
from autoscaler.model.resources import PODS, Amounts, amounts
from autoscaler.scheduling.filters import node_affinity, node_name
from autoscaler.scheduling.filters.clauses import clause_holds
from autoscaler.scheduling.filters.taints import first_untolerated
from autoscaler.scheduling.rows import Row

AUTOMATIC = (
    Toleration("node.kubernetes.io/not-ready", "Exists", effect="NoExecute"),
    Toleration("node.kubernetes.io/unreachable", "Exists", effect="NoExecute"),
    Toleration("node.kubernetes.io/disk-pressure", "Exists", effect="NoSchedule"),
    Toleration("node.kubernetes.io/memory-pressure", "Exists", effect="NoSchedule"),
    Toleration("node.kubernetes.io/pid-pressure", "Exists", effect="NoSchedule"),
    Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoSchedule"),
)
"""What the controller adds to every pod of a DaemonSet."""

PASSING = frozenset(
    {
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/network-unavailable",
        "node.cloudprovider.kubernetes.io/uninitialized",
    }
)
"""Taints that are gone once a node has started: daemons that do not tolerate them land then."""


def runs_on(daemon_set: DaemonSet, row: Row) -> bool:
    """True if a pod of the DaemonSet will run on a node like `row` once that is ready and otherwise empty.

    One that asks for more of a resource than the whole node has - a GPU on a node without - never will.
    """
    spec = daemon_set.spec
    lasting = (t for t in row.taints if t.key not in PASSING)
    if first_untolerated((*spec.tolerations, *AUTOMATIC), lasting) is not None:
        return False
    if not all(clause_holds(c, row.labels, row.name) for c in (*node_name.clauses(spec), *node_affinity.clauses(spec))):
        return False
    offered = dict(row.allocatable)
    return all(amount <= offered.get(resource, 0) for resource, amount in spec.requests)


def daemon_load(daemon_sets: Sequence[DaemonSet], row: Row) -> Amounts:
    """The sum of the requests, `pods` included, of the DaemonSets that will run on a new node like `row`."""
    return _sum(d for d in daemon_sets if runs_on(d, row))


def missing_daemons(daemon_sets: Sequence[DaemonSet], row: Row) -> Amounts:
    """The same for a node that exists: without those of which `row.pods` has a pod already."""
    there = {found for pod in row.pods if (found := _daemon_set_of(pod)) is not None}
    return _sum(d for d in daemon_sets if (d.namespace, d.name) not in there and runs_on(d, row))


def _daemon_set_of(pod: Pod) -> tuple[str, str] | None:
    if pod.owner is None or pod.owner.kind != "DaemonSet" or pod.finished:
        return None
    return pod.namespace, pod.owner.name


def _sum(daemon_sets: Iterable[DaemonSet]) -> Amounts:
    total: defaultdict[str, int] = defaultdict(int)
    for daemon_set in daemon_sets:
        total[PODS] += 1
        for resource, amount in daemon_set.spec.requests:
            total[resource] += amount
    return amounts(total)
