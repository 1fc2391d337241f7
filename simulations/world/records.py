"""What happened in the world, one record a fact: the timeline that people read and that the oracles judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class What(StrEnum):
    """The kinds of facts. Effects of a controller are recorded at the instant at which they take hold."""

    # a controller
    STARTED = "Started"  # subject: the controller
    CRASHED = "Crashed"
    PASS_BEGAN = "PassBegan"
    PASS = "Pass"  # the end of a pass; details: `report` (autoscaler.control.report.PassReport)
    # effects on the cluster
    NODE_PATCHED = "NodePatched"  # details: `before`, `after` (Node)
    EVICTED = (
        "Evicted"  # subject: pod key; details: `pod` (the Pod that is evicted), `asked` (the UID asked for), `node`
    )
    DOCUMENT_WRITTEN = "DocumentWritten"
    LEASE_WRITTEN = "LeaseWritten"  # details: `record`
    # effects on the cloud
    RAISED = "Raised"  # subject: the group; details: `before`, `after` (desired)
    TERMINATED = "Terminated"  # subject: the instance; details: `group`, `node` (name or ""), `pods` (those bound then)
    # the cloud by itself
    LAUNCHED = "Launched"
    LAUNCH_FAILED = "LaunchFailed"
    TAKEN = "Taken"  # spot interruption, rebalancing, a victim that the group chose; details: `cause`, `node`, `pods`
    NOTICE = "Notice"
    GONE = "Gone"  # the instance is no more
    # nodes and pods
    NODE_CREATED = "NodeCreated"
    NODE_READY = "NodeReady"  # Ready, and with all its devices
    NODE_CHANGED = "NodeChanged"
    NODE_DELETED = "NodeDeleted"
    POD_CREATED = "PodCreated"
    POD_BOUND = "PodBound"
    POD_ENDED = "PodEnded"  # finished its work
    POD_DELETED = "PodDeleted"
    # people and faults
    PERSON = "Person"  # details: `did`
    FAULT = "Fault"  # details: `call`, `kind`


@dataclass(frozen=True, slots=True)
class Record:
    """`at`: true seconds of the world. `actor`: a controller's name, "cloud", "scheduler", "kubelet", "person", …"""

    at: float
    actor: str
    what: What
    subject: str
    details: Mapping[str, Any] = field(default_factory=dict)
