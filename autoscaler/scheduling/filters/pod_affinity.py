"""Required pod affinity (plugin InterPodAffinity, `satisfyPodAffinity`).

The node's domain of every term must hold a pod that matches all terms. If no such pod is in the cluster, a pod that
matches its own terms may be the first.
"""

from __future__ import annotations

from autoscaler.model.pods import PodSpec
from autoscaler.scheduling.filters.clauses import Clause, has_key
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, pod_affinity


def clauses(spec: PodSpec) -> tuple[Clause, ...]:
    """A node must carry the topology label of every term."""
    return tuple(has_key(key) for key in sorted({t.topology_key for t in spec.pod_affinity}))


def check(site: Site) -> Rejection | None:
    """PodAffinity, naming the first topology key in whose domain the wanted pods are not."""
    labels = site.row.labels
    for term in site.spec.pod_affinity:
        if term.topology_key not in labels:
            return pod_affinity(term.topology_key)
    if site.neighbors is None or not site.spec.pod_affinity:
        return None
    together = site.neighbors.together(site.pod.id)
    lonely = next((c.key for c in together if not c.counts.get(labels[c.key])), None)
    if lonely is None or site.neighbors.may_be_first(site.pod.id):
        return None
    return pod_affinity(lonely)
