"""A scheduler as slow and plain as possible: one pod after the other, every filter from its documentation.

It knows nothing of classes, shapes, counters or vectors, and is what `Fleet` is compared with. Source: the Kubernetes
documentation of the scheduler's filters, and the unit tests of kube-scheduler where the documentation is silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Pod, PodAffinityTerm, SpreadConstraint, Toleration
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.rows import Row


@dataclass
class Cluster:
    """Rows with the pods on them. `aside`: nodes that take no pods but count."""

    snapshot: Snapshot
    rows: list[Row]
    pods: list[list[Pod]] = field(default_factory=list)
    aside: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pods = [list(row.pods) for row in self.rows]

    def everywhere(self) -> list[tuple[Row, list[Pod]]]:
        nodes = list(zip(self.rows, self.pods, strict=True)) + [(row, list(row.pods)) for row in self.aside]
        return [(row, [p for p in pods if p.phase not in ("Succeeded", "Failed")]) for row, pods in nodes]

    def place(self, pods: Sequence[Pod], order: Sequence[int] | None = None) -> list[int | None]:
        """First fit; the row of each pod. Pods are equal, so the first that fits nowhere ends it."""
        found: list[int | None] = []
        for pod in pods:
            rows = range(len(self.rows)) if order is None else order
            at = next((i for i in rows if self.fits(pod, i)), None)
            found.append(at)
            if at is None:
                break
            self.pods[at].append(pod)
        return found

    def fits(self, pod: Pod, at: int) -> bool:
        row, here = self.rows[at], self.everywhere()[at][1]
        return (
            (not row.unschedulable or _tolerated(pod, Taint("node.kubernetes.io/unschedulable")))
            and pod.spec.node_name in ("", row.name)
            and all(_tolerated(pod, t) for t in row.taints if t.effect != "PreferNoSchedule")
            and _on_node(pod, row)
            and _has_room(pod, row, here)
            and _ports_free(pod, here)
            and not any(n > 1 and name in row.refuses_above_one for name, n in pod.spec.container_peaks)
            and self._volumes_reach(pod, row)
            and self._volumes_attach(pod, row, here)
            and self._claims_reach(pod, row)
            and all(self._spreads(pod, c, row) for c in pod.spec.spread)
            and self._near(pod, row)
            and self._far(pod, row)
        )

    def _volumes_reach(self, pod: Pod, row: Row) -> bool:
        for name in pod.spec.volumes:
            claim = self.snapshot.volume_claims.get(f"{pod.namespace}/{name}")
            if claim is None:
                return False
            if claim.volume:
                volume = self.snapshot.volumes.get(claim.volume)
                terms = None if volume is None else volume.node_affinity
                if volume is None or (terms is not None and not any(t.matches(row.labels, row.name) for t in terms)):
                    return False
                continue
            storage = self.snapshot.storage_classes.get(claim.storage_class)
            if storage is None or not storage.binds_late:
                return False
            if storage.topologies and not any(t.matches(row.labels, row.name) for t in storage.topologies):
                return False
        return True

    def _drivers(self, pod: Pod) -> set[tuple[str, str]]:
        found = set()
        for name in pod.spec.volumes:
            claim = self.snapshot.volume_claims.get(f"{pod.namespace}/{name}")
            if claim is None:
                continue
            if claim.volume in self.snapshot.volumes:
                found.add((self.snapshot.volumes[claim.volume].driver, "volume " + claim.volume))
            elif claim.storage_class in self.snapshot.storage_classes:
                driver = self.snapshot.storage_classes[claim.storage_class].driver
                found.add((driver, f"claim {pod.namespace}/{name}"))
        return {(driver, handle) for driver, handle in found if driver}

    def _volumes_attach(self, pod: Pod, row: Row, here: Sequence[Pod]) -> bool:
        attached = set().union(*[self._drivers(p) for p in here])
        new = self._drivers(pod) - attached
        return all(
            not any(d == driver for d, _ in new) or sum(1 for d, _ in attached | new if d == driver) <= limit
            for driver, limit in row.attach_limits
        )

    def _claims_reach(self, pod: Pod, row: Row) -> bool:
        for name in pod.spec.claims:
            claim = self.snapshot.resource_claims.get(f"{pod.namespace}/{name}")
            if claim is None or not claim.allocated:
                return False
            if claim.nodes is not None and not any(t.matches(row.labels, row.name) for t in claim.nodes):
                return False
        return True

    def _spreads(self, pod: Pod, constraint: SpreadConstraint, row: Row) -> bool:
        if any(c.topology_key not in row.labels for c in pod.spec.spread):
            return False
        selector = _merged(constraint.selector, pod.labels, constraint.match_label_keys, ())
        domains: dict[str, int] = {}
        for other, pods in self.everywhere():
            if any(c.topology_key not in other.labels for c in pod.spec.spread):
                continue
            if constraint.node_affinity_policy == "Honor" and not _on_node(pod, other):
                continue
            if constraint.node_taints_policy == "Honor" and not all(
                _tolerated(pod, t) for t in other.taints if t.effect != "PreferNoSchedule"
            ):
                continue
            counted = [
                p
                for p in pods
                if p.deleted_at is None and p.namespace == pod.namespace and _matches(selector, p.labels)
            ]
            value = other.labels[constraint.topology_key]
            domains[value] = domains.get(value, 0) + len(counted)
        fewest = min(domains.values(), default=0)
        if len(domains) < (constraint.min_domains or 1):
            fewest = 0
        here = domains.get(row.labels[constraint.topology_key], 0)
        return here + int(_matches(selector, pod.labels)) - fewest <= constraint.max_skew

    def _near(self, pod: Pod, row: Row) -> bool:
        terms = pod.spec.pod_affinity
        if not terms:
            return True
        if any(t.topology_key not in row.labels for t in terms):
            return False

        def wanted(other: Pod) -> bool:
            return all(self._selects(pod, t, other) for t in terms)

        matching = [node for node, pods in self.everywhere() for p in pods if wanted(p)]
        if all(any(_shares(n, row, t.topology_key) for n in matching) for t in terms):
            return True
        counted = [n for n in matching if any(t.topology_key in n.labels for t in terms)]
        return not counted and wanted(pod)

    def _far(self, pod: Pod, row: Row) -> bool:
        for node, pods in self.everywhere():
            for other in pods:
                for term in pod.spec.pod_anti_affinity:
                    if self._selects(pod, term, other) and _shares(node, row, term.topology_key):
                        return False
                for term in other.spec.pod_anti_affinity:
                    if self._selects(other, term, pod) and _shares(node, row, term.topology_key):
                        return False
        return True

    def _selects(self, owner: Pod, term: PodAffinityTerm, other: Pod) -> bool:
        namespace = self.snapshot.namespaces.get(other.namespace, Labels())
        namespace = Labels({**namespace, "kubernetes.io/metadata.name": other.namespace})
        if term.namespaces or term.namespace_selector is not None:
            selected = term.namespace_selector is not None and term.namespace_selector.matches(namespace)
            if other.namespace not in term.namespaces and not selected:
                return False
        elif other.namespace != owner.namespace:
            return False
        selector = _merged(term.selector, owner.labels, term.match_label_keys, term.mismatch_label_keys)
        return _matches(selector, other.labels)


def _shares(left: Row, right: Row, key: str) -> bool:
    return key in left.labels and left.labels[key] == right.labels.get(key)


def _matches(selector: LabelSelector | None, labels: Labels) -> bool:
    return selector is not None and selector.matches(labels)


def _merged(
    selector: LabelSelector | None, labels: Labels, match: Sequence[str], mismatch: Sequence[str]
) -> LabelSelector | None:
    if selector is None:
        return None
    more = [Requirement(k, "In", (labels[k],)) for k in match if k in labels]
    more += [Requirement(k, "NotIn", (labels[k],)) for k in mismatch if k in labels]
    return LabelSelector((*selector.requirements, *more))


def _on_node(pod: Pod, row: Row) -> bool:
    if any(row.labels.get(key) != value for key, value in pod.spec.node_selector):
        return False
    terms = pod.spec.node_affinity
    return terms is None or any(t.matches(row.labels, row.name) for t in terms)


def _has_room(pod: Pod, row: Row, here: Sequence[Pod]) -> bool:
    offered = dict(row.allocatable)
    reserved = dict(row.reserved)
    if len(here) + reserved.get("pods", 0) + 1 > offered.get("pods", 0):
        return False
    for name, amount in pod.spec.requests:
        used = sum(p.spec.request(name) for p in here) + reserved.get(name, 0)
        if amount > 0 and amount > offered.get(name, 0) - used:
            return False
    return True


def _ports_free(pod: Pod, here: Sequence[Pod]) -> bool:
    taken = [q for p in here for q in p.spec.host_ports]
    for port in pod.spec.host_ports:
        for other in taken:
            same = port.port == other.port and port.protocol == other.protocol
            if same and (port.ip == other.ip or "0.0.0.0" in (port.ip, other.ip)):
                return False
    return True


def _tolerated(pod: Pod, taint: Taint) -> bool:
    return any(_tolerates(t, taint) for t in pod.spec.tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    if toleration.operator == "Exists":
        return True
    if toleration.operator in ("Gt", "Lt"):
        try:
            bound, value = int(toleration.value), int(taint.value)
        except ValueError:
            return False
        return value > bound if toleration.operator == "Gt" else value < bound
    return toleration.value == taint.value
