"""Room: requests against what is left of allocatable (plugin NodeResourcesFit, `fitsRequest`).

A resource that the pod does not ask for may be overdrawn; one that the node does not have is zero.
"""

from __future__ import annotations

from autoscaler.model.resources import PODS, is_accelerator
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, insufficient_resource


def check(site: Site) -> Rejection | None:
    """InsufficientResource, naming the resource that says most.

    One that the node has none of comes first, then accelerators, then the others by name: a pod for GPUs on a node
    without any is not told that the cores are short.
    """
    short = [
        (resource, requested, free)
        for resource, requested in (*site.spec.requests, (PODS, 1))
        if requested > 0 and requested > (free := site.free(resource))
    ]
    if not short:
        return None
    offered = dict(site.row.allocatable)
    resource, requested, free = min(short, key=lambda s: (bool(offered.get(s[0])), not is_accelerator(s[0]), s[0]))
    return insufficient_resource(resource, requested, max(free, 0))
