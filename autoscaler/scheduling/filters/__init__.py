"""The filters of kube-scheduler (1.36, default plugins), one a file, for what a pod requires.

`FILTERS` is the order in which they are asked, which is the scheduler's: the first that refuses gives the reason.
Preferences (PreferNoSchedule, preferred affinities, ScheduleAnyway) rank nodes and refuse none, so they have no place
here. Not covered, for lack of data: ReadWriteOncePod volumes, CSI storage capacity, volumes not yet bound to one of
several existing PersistentVolumes, and the simulation of device claims.
"""

from __future__ import annotations

from collections.abc import Callable

from autoscaler.model.pods import PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.filters import (
    host_ports,
    mig_profile,
    node_affinity,
    node_name,
    node_unschedulable,
    pod_affinity,
    pod_anti_affinity,
    resource_claims,
    resources,
    shared_gpu,
    taints,
    topology_spread,
    volume_limits,
    volumes_zone,
)
from autoscaler.scheduling.filters.clauses import Clause
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection

Filter = Callable[[Site], Rejection | None]

FILTERS: tuple[Filter, ...] = (
    node_unschedulable.check,
    node_name.check,
    taints.check,
    node_affinity.check,
    host_ports.check,
    mig_profile.check,
    resources.check,
    shared_gpu.check,
    volume_limits.check,
    volumes_zone.check,
    topology_spread.check,
    pod_affinity.check,
    pod_anti_affinity.check,
    resource_claims.check,
)


def first_rejection(site: Site) -> Rejection | None:
    """The reason of the first filter that refuses; None if the pod would be placed."""
    for check in FILTERS:
        reason = check(site)
        if reason is not None:
            return reason
    return None


def clauses_of(spec: PodSpec, namespace: str, snapshot: Snapshot) -> tuple[Clause, ...]:
    """All that the filters ask of a node's labels and name, each clause once."""
    found = (
        *node_name.clauses(spec),
        *node_affinity.clauses(spec),
        *volumes_zone.clauses(spec, namespace, snapshot),
        *topology_spread.clauses(spec),
        *pod_affinity.clauses(spec),
        *resource_claims.clauses(spec, namespace, snapshot),
    )
    return tuple(dict.fromkeys(found))
