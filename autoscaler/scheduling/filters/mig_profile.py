"""A MIG profile that the node does not have at all.

To kube-scheduler this is an extended resource like any other (plugin NodeResourcesFit); it has a reason of its own
because another layout of the same GPUs may offer it, where no other shape of the resource would help.
"""

from __future__ import annotations

from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, mig_profile_not_offered

PREFIX = "nvidia.com/mig-"


def check(site: Site) -> Rejection | None:
    """MigProfileNotOffered, naming the profile as the resource does (`1g.10gb`, `1g.5gb.me`)."""
    for resource, requested in site.spec.requests:
        if requested > 0 and resource.startswith(PREFIX) and not dict(site.row.allocatable).get(resource):
            return mig_profile_not_offered(resource.removeprefix(PREFIX))
    return None
