"""The ports with something done around every call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autoscaler.control.proxies.around import Around, Call
from autoscaler.model.nodes import Node
from autoscaler.model.pods import Pod
from autoscaler.model.ports import (
    Cloud,
    CloudView,
    Cluster,
    DocumentName,
    LeaseRecord,
    LiveNode,
    NodePatch,
    Observed,
    StoredDocument,
)


@dataclass(frozen=True, slots=True)
class WrappedCluster:
    """A Cluster around a Cluster."""

    inner: Cluster
    around: Around

    def observe(self) -> Observed:
        """See Cluster."""
        return self.around(Call("cluster", "observe", "", False), self.inner.observe)

    def read_node(self, name: str) -> LiveNode | None:
        """See Cluster."""
        return self.around(Call("cluster", "read_node", name, False), lambda: self.inner.read_node(name))

    def find_node(self, instance: str) -> str | None:
        """See Cluster."""
        return self.around(Call("cluster", "find_node", instance, False), lambda: self.inner.find_node(instance))

    def patch_node(self, node: Node, patch: NodePatch) -> Node:
        """See Cluster."""
        call = Call("cluster", "patch_node", node.name, True)
        return self.around(call, lambda: self.inner.patch_node(node, patch))

    def evict(self, pod: Pod) -> None:
        """See Cluster."""
        return self.around(Call("cluster", "evict", pod.key, True), lambda: self.inner.evict(pod))

    def read_document(self, name: DocumentName) -> StoredDocument | None:
        """See Cluster."""
        return self.around(Call("cluster", "read_document", name, False), lambda: self.inner.read_document(name))

    def write_document(self, name: DocumentName, data: Mapping[str, str], version: str | None) -> str:
        """See Cluster."""
        call = Call("cluster", "write_document", name, True)
        return self.around(call, lambda: self.inner.write_document(name, data, version))

    def read_lease(self) -> tuple[LeaseRecord, str] | None:
        """See Cluster."""
        return self.around(Call("cluster", "read_lease", "", False), self.inner.read_lease)

    def write_lease(self, record: LeaseRecord, version: str | None) -> str:
        """See Cluster."""
        call = Call("cluster", "write_lease", record.holder, True)
        return self.around(call, lambda: self.inner.write_lease(record, version))


@dataclass(frozen=True, slots=True)
class WrappedCloud:
    """A Cloud around a Cloud."""

    inner: Cloud
    around: Around

    def observe(self) -> CloudView:
        """See Cloud."""
        return self.around(Call("cloud", "observe", "", False), self.inner.observe)

    def raise_to(self, group: str, size: int) -> None:
        """See Cloud."""
        return self.around(Call("cloud", "raise_to", group, True), lambda: self.inner.raise_to(group, size))

    def terminate(self, group: str, instances: Sequence[str]) -> None:
        """See Cloud."""
        call = Call("cloud", "terminate", ",".join(instances), True)
        return self.around(call, lambda: self.inner.terminate(group, instances))
