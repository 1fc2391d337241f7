"""How many volumes of a CSI driver a node may attach (plugin NodeVolumeLimits).

A volume that several pods of the node mount is attached once. Drivers without a limit in CSINode have none.
"""

from __future__ import annotations

from collections.abc import Collection

from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, volume_limit
from autoscaler.scheduling.rows import Row
from autoscaler.scheduling.volumes import Attachment, attachments


def over_limit(row: Row, attached: Collection[Attachment], wanted: Collection[Attachment]) -> str | None:
    """The first driver, by name, whose limit the wanted volumes would pass."""
    for driver, limit in sorted(row.attach_limits):
        new = sum(1 for a in wanted if a[0] == driver and a not in attached)
        if new and new + sum(1 for a in attached if a[0] == driver) > limit:
            return driver
    return None


def check(site: Site) -> Rejection | None:
    """VolumeLimit, naming the driver."""
    if not site.spec.volumes or not site.row.attach_limits:
        return None
    wanted = attachments(site.snapshot, site.pod.namespace, site.spec.volumes)
    attached = site.neighbors.attached(site.index) if site.neighbors is not None else ()
    driver = over_limit(site.row, attached, wanted)
    return None if driver is None else volume_limit(driver)
