"""Required pod anti-affinity, both ways (plugin InterPodAffinity).

`satisfyPodAntiAffinity`: the pod stays away from those that its terms select. `satisfyExistingPodsAntiAffinity`: it
stays away from those whose terms select it. A node without the topology label is in no domain and passes.
"""

from __future__ import annotations

from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, pod_anti_affinity


def check(site: Site) -> Rejection | None:
    """PodAntiAffinity, naming the first topology key in whose domain such pods are."""
    if site.neighbors is None:
        return None
    for count in site.neighbors.apart(site.pod.id):
        value = site.row.labels.get(count.key)
        if value is not None and count.counts.get(value):
            return pod_anti_affinity(count.key)
    return None
