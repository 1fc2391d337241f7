"""Host ports: one pod a node for each protocol, address and port (plugin NodePorts, `HostPortInfo.CheckConflict`)."""

from __future__ import annotations

from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, host_port


def check(site: Site) -> Rejection | None:
    """HostPort, naming the first port that is taken."""
    if not site.spec.host_ports or site.neighbors is None:
        return None
    taken = site.neighbors.port_taken(site.pod.id, site.index)
    return None if taken is None else host_port(taken.port)
