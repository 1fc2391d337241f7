"""Claims of volumes: where the volume may be, and which driver attaches it."""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.model.labels import NodeSelectorTerm
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.rejections import ELSEWHERE, NO_PROVISIONER, NOT_BOUND, NOT_FOUND

STATIC_PROVISIONER = "kubernetes.io/no-provisioner"

Attachment = tuple[str, str]
"""CSI driver, and what tells one volume of it from another."""


def reach(snapshot: Snapshot, namespace: str, claim: str) -> tuple[tuple[NodeSelectorTerm, ...] | None, str]:
    """Terms of which a node must match one to have the claim's volume (None: any does), and the cause if it does not.

    Source: kube-scheduler's VolumeBinding and VolumeZone. A claim of a late-binding class is provisioned where the
    pod goes, within `allowedTopologies`; one of an immediate class must be bound before any node is looked at. A claim
    without a class has none: the default one was filled in when the claim was read, if there is one.
    """
    found = snapshot.volume_claims.get(f"{namespace}/{claim}")
    if found is None:
        return (), NOT_FOUND
    if found.volume:
        volume = snapshot.volumes.get(found.volume)
        return ((), NOT_FOUND) if volume is None else (volume.node_affinity, ELSEWHERE)
    storage = snapshot.storage_classes.get(found.storage_class)
    if storage is None:
        return (), NOT_FOUND if found.storage_class else NOT_BOUND
    if not storage.binds_late:
        return (), NOT_BOUND
    if storage.driver == STATIC_PROVISIONER:
        return (), NO_PROVISIONER
    return storage.topologies or None, ELSEWHERE


def attachments(snapshot: Snapshot, namespace: str, claims: Sequence[str]) -> frozenset[Attachment]:
    """The attachments that the claims need, each once; unknown ones do not count.

    Source: NodeVolumeLimits, `getCSIDriverInfo`.
    """
    found: set[Attachment] = set()
    for name in claims:
        claim = snapshot.volume_claims.get(f"{namespace}/{name}")
        if claim is None:
            continue
        volume = snapshot.volumes.get(claim.volume) if claim.volume else None
        if volume is not None:
            if volume.driver:
                found.add((volume.driver, volume.name))
            continue
        storage = snapshot.storage_classes.get(claim.storage_class)
        if storage is not None and storage.driver and storage.driver != STATIC_PROVISIONER:
            found.add((storage.driver, f"claim {namespace}/{name}"))
    return frozenset(found)
