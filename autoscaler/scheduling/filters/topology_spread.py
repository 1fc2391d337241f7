"""Topology spread constraints with `whenUnsatisfiable: DoNotSchedule` (plugin PodTopologySpread)."""

from __future__ import annotations

from autoscaler.model.pods import PodSpec
from autoscaler.scheduling.filters.clauses import Clause, has_key
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, topology_spread


def clauses(spec: PodSpec) -> tuple[Clause, ...]:
    """A node must carry the topology label of every constraint."""
    return tuple(has_key(key) for key in sorted({c.topology_key for c in spec.spread}))


def check(site: Site) -> Rejection | None:
    """TopologySpread, naming the first topology key whose constraint forbids one more pod here."""
    labels = site.row.labels
    for constraint in site.spec.spread:
        if constraint.topology_key not in labels:
            return topology_spread(constraint.topology_key)
    if site.neighbors is None:
        return None
    for count in site.neighbors.spreads(site.pod.id):
        if count.room(labels[count.key]) < 1:
            return topology_spread(count.key)
    return None
