"""Shares of a GPU that a device plugin hands out one by one.

With `failRequestsGreaterThanOne`, and always with MPS, NVIDIA's device plugin refuses a container that asks for more
than one share - after the pod was scheduled (UnexpectedAdmissionError), so that a node added for it is added in vain.
kube-scheduler knows nothing of it.
"""

from __future__ import annotations

from autoscaler.model.pods import PodSpec
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, shared_gpu_request_too_large


def above_one(spec: PodSpec) -> frozenset[str]:
    """Resources of which some container of the pod asks for more than one."""
    return frozenset(resource for resource, peak in spec.container_peaks if peak > 1)


def check(site: Site) -> Rejection | None:
    """SharedGpuRequestTooLarge, with the largest request of a container."""
    if site.row.refuses_above_one:
        for resource, peak in site.spec.container_peaks:
            if peak > 1 and resource in site.row.refuses_above_one:
                return shared_gpu_request_too_large(resource, peak)
    return None
