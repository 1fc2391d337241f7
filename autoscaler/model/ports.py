"""What the controller asks of the world, as signatures: a clock, a cluster, a cloud.

Whoever has the world implements them: the Kubernetes port, the providers, the simulated world. They are narrow on
purpose, so that what must not happen cannot be written: a cloud has no way to lower a size (S1), a write to a node
carries the UID and the resourceVersion that were read (S3), documents are replaced by compare-and-swap only (S4, S8).
Ports are wrapped, never patched: recording, rate limiting, dry run and faults are proxies with the same methods.

Every method may raise a `PortFailure` (`autoscaler.model.failures`), and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from autoscaler.model.nodes import InstanceGroup, Node, Taint
from autoscaler.model.pods import Pod
from autoscaler.model.snapshot import Snapshot


class Clock(Protocol):
    """Two clocks: durations within a process are monotonic, persisted instants are wall-clock (S11)."""

    def monotonic(self) -> float:
        """Seconds since some instant; never goes back, never jumps."""
        ...

    def wall(self) -> float:
        """Seconds since the epoch, as this machine believes; may jump."""
        ...


@dataclass(frozen=True, slots=True)
class Observed:
    """The cluster as it was listed. `snapshot.groups` is None; `snapshot.complete` False where any list failed, was cut
    off, or is older than the port's own writes, and `why` says which. `at`: the API server's clock when it answered
    (seconds since the epoch), None if it did not say.
    """

    snapshot: Snapshot
    at: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class LiveNode:
    """One node and all pods bound to it, by a quorum read made now, not from a cache."""

    node: Node
    pods: tuple[Pod, ...]


@dataclass(frozen=True, slots=True)
class NodePatch:
    """One write to a node: only what is named here changes. All of it takes hold, or nothing.

    `taint`: set this taint (one of the same key and effect is replaced). `untaint`: remove taints of this key.
    `annotations`, `labels`: key and value; None removes the key.
    """

    taint: Taint | None = None
    untaint: str = ""
    unschedulable: bool | None = None
    annotations: tuple[tuple[str, str | None], ...] = ()
    labels: tuple[tuple[str, str | None], ...] = ()


class DocumentName(StrEnum):
    """The documents in the controller's namespace, one ConfigMap each.

    `LEDGER` is written by the controller alone; `SWITCH` is written by people (pause, approvals) and only read here.
    """

    LEDGER = "gpu-autoscaler-ledger"
    SWITCH = "gpu-autoscaler-switch"


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The data of a ConfigMap; `version` is its resourceVersion."""

    data: Mapping[str, str]
    version: str


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """coordination.k8s.io/v1 LeaseSpec. Instants are wall-clock of whoever wrote them, and compared with nobody's."""

    holder: str = ""
    duration_s: float = 15.0
    acquired: float = 0.0
    renewed: float = 0.0
    transitions: int = 0


class Cluster(Protocol):
    """The Kubernetes API, as far as the controller needs it."""

    def observe(self) -> Observed:
        """All nodes, pods and what bears on them."""
        ...

    def read_node(self, name: str) -> LiveNode | None:
        """A quorum read of the node and of the pods bound to it; None if there is no such node."""
        ...

    def find_node(self, instance: str) -> str | None:
        """A quorum list: the name of the node whose providerID ends with the instance, None if there is none."""
        ...

    def patch_node(self, node: Node, patch: NodePatch) -> Node:
        """Write to the node, if its UID and resourceVersion are still those of `node`; the node after it.

        A patch of annotations alone is sent without the resourceVersion (the UID still has to be the same).
        Raises Conflict, NotFound.
        """
        ...

    def evict(self, pod: Pod) -> None:
        """Ask for the eviction of exactly this pod (UID precondition), with its own grace period.

        Raises EvictionBlocked, EvictionMisconfigured, Conflict (another pod of that name), NotFound.
        """
        ...

    def read_document(self, name: DocumentName) -> StoredDocument | None:
        """A quorum read of the document; None if it does not exist."""
        ...

    def write_document(self, name: DocumentName, data: Mapping[str, str], version: str | None) -> str:
        """Replace the document if it still has this version (None: create it); the new version. Raises Conflict."""
        ...

    def read_lease(self) -> tuple[LeaseRecord, str] | None:
        """The lease with its resourceVersion; None if it does not exist."""
        ...

    def write_lease(self, record: LeaseRecord, version: str | None) -> str:
        """Replace the lease if it still has this version (None: create it); the new version. Raises Conflict."""
        ...


@dataclass(frozen=True, slots=True)
class CloudView:
    """The groups of the policy as the cloud reports them. `failed`: groups that could not be read, and why."""

    groups: Mapping[str, InstanceGroup]
    failed: Mapping[str, str] = field(default_factory=dict)


class Cloud(Protocol):
    """Instance groups. There is no way to write a smaller size (S1)."""

    def observe(self) -> CloudView:
        """All groups that the policy names."""
        ...

    def raise_to(self, group: str, size: int) -> None:
        """Ask for `size` instances in all. Equal sizes are no effect, so that a repeated call buys nothing twice.

        Raises WouldLower where the group is larger already, LaunchRefused where the cloud says no at once.
        """
        ...

    def terminate(self, group: str, instances: Sequence[str]) -> None:
        """Terminate exactly these instances of the group; its size falls by their number.

        An instance that is on its way out already is no effect. Raises NotFound for one that is not in the group.
        """
        ...
