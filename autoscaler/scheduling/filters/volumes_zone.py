"""Volumes that only some nodes can have (plugins VolumeBinding and VolumeZone)."""

from __future__ import annotations

from autoscaler.model.pods import PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.filters.clauses import Clause, clause_holds
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, volume_zone
from autoscaler.scheduling.volumes import reach


def clauses(spec: PodSpec, namespace: str, snapshot: Snapshot) -> tuple[Clause, ...]:
    """One for each claim whose volume is not everywhere."""
    found = (reach(snapshot, namespace, claim)[0] for claim in spec.volumes)
    return tuple(terms for terms in found if terms is not None)


def check(site: Site) -> Rejection | None:
    """VolumeZone, naming the first claim that the node cannot serve, and why."""
    for claim in site.spec.volumes:
        terms, cause = reach(site.snapshot, site.pod.namespace, claim)
        if terms is not None and not clause_holds(terms, site.row.labels, site.row.name):
            return volume_zone(claim, cause)
    return None
