"""Pods: what scheduling reads of a spec (shared by all equal pods), and the pod itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from autoscaler.model.labels import NO_LABELS, Labels, LabelSelector, NodeSelectorTerm
from autoscaler.model.resources import NO_AMOUNTS, Amounts


@dataclass(frozen=True, slots=True)
class Toleration:
    """core/v1 Toleration. Empty key with Exists tolerates every taint; empty effect every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port of the node that a container claims. `ip` 0.0.0.0 stands for all addresses."""

    port: int
    protocol: str = "TCP"
    ip: str = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class PodAffinityTerm:
    """A required pod affinity or anti-affinity term.

    `selector` None matches no pod. `namespaces` empty and `namespace_selector` None means the pod's own namespace.
    `match_label_keys` and `mismatch_label_keys` are folded in when the term is read for a pod's labels.
    """

    topology_key: str
    selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """A topology spread constraint with `whenUnsatisfiable: DoNotSchedule`; soft ones are not kept."""

    topology_key: str
    max_skew: int = 1
    selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PodSpec:
    """What kube-scheduler reads of a pod's spec; equal specs are one object after interning.

    `requests`: effective for the whole pod (init containers, sidecars, pod-level resources, overhead), without `pods`.
    `container_peaks`: the largest request of any single container for each extended resource; sharing
    plugins refuse by container, not by pod.
    `node_affinity`: required terms, any of which must match; None where the pod has no such affinity.
    `volumes`: names of the claims (PersistentVolumeClaims) that the pod mounts, in its own namespace.
    `claims`: names of its ResourceClaims or of the templates that make them.
    A RuntimeClass' overhead, node selector and tolerations are folded in when the pod is decoded.
    """

    requests: Amounts = NO_AMOUNTS
    container_peaks: Amounts = NO_AMOUNTS
    node_selector: tuple[tuple[str, str], ...] = ()
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    preferred_nodes: tuple[tuple[int, NodeSelectorTerm], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    host_ports: tuple[HostPort, ...] = ()
    pod_affinity: tuple[PodAffinityTerm, ...] = ()
    pod_anti_affinity: tuple[PodAffinityTerm, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    volumes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    node_name: str = ""
    runtime_class: str = ""
    scheduler_name: str = "default-scheduler"
    priority: int = 0
    _hash: int = field(default=0, compare=False, repr=False)

    def __hash__(self) -> int:
        if not self._hash:
            object.__setattr__(self, "_hash", hash(self._key()) or 1)
        return self._hash

    def _key(self) -> tuple[object, ...]:
        return (
            self.requests,
            self.node_selector,
            self.node_affinity,
            self.tolerations,
            self.host_ports,
            self.pod_affinity,
            self.pod_anti_affinity,
            self.spread,
            self.volumes,
            self.claims,
            self.node_name,
            self.priority,
        )

    @property
    def is_simple(self) -> bool:
        """True if only labels, taints and resources decide where the pod fits, not the other pods on the nodes."""
        return not (self.host_ports or self.pod_affinity or self.pod_anti_affinity or self.spread or self.volumes)

    def request(self, resource: str) -> int:
        """The amount of `resource` that the pod asks for."""
        return next((amount for name, amount in self.requests if name == resource), 0)


@dataclass(frozen=True, slots=True)
class Owner:
    """The controlling owner reference."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod at one instant.

    `spec.node_name` is part of `node`; `spec` here never carries it for a bound pod, so that bound and pending pods
    of one shape share a class (a pending pod with a node name set by its author keeps it in `spec`).
    `gang`: key of the group it belongs to (see `autoscaler.model.gangs`), or "".
    `marked_unschedulable`: the scheduler has tried and set PodScheduled=False, reason Unschedulable.
    `local_storage`: names of volumes that live on the node and would be lost (emptyDir on disk, hostPath).
    """

    namespace: str
    name: str
    spec: PodSpec
    uid: str = ""
    created: float = 0.0
    labels: Labels = NO_LABELS
    annotations: Labels = NO_LABELS
    owner: Owner | None = None
    node: str = ""
    nominated_node: str = ""
    phase: str = "Pending"
    deleted_at: float | None = None
    deletion_grace_s: int = 30
    gated: bool = False
    marked_unschedulable: bool = False
    unschedulable_since: float | None = None
    local_storage: tuple[str, ...] = ()
    mirror: bool = False
    gang: str = ""

    @property
    def key(self) -> str:
        """namespace/name."""
        return f"{self.namespace}/{self.name}"

    @property
    def finished(self) -> bool:
        """Succeeded or Failed: it holds no resources."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def is_daemon(self) -> bool:
        """Owned by a DaemonSet, or a mirror of a static pod: it comes and goes with the node."""
        return self.mirror or (self.owner is not None and self.owner.kind in ("DaemonSet", "Node"))
