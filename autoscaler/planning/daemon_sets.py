"""The DaemonSets whose pods a new node will get: those of the snapshot, and those that only their pods tell of.

A snapshot without DaemonSet objects (`kubectl get nodes,pods`) would promise pods the cores that agents take: a node
is bought, the pod does not fit beside them, and the next one is bought.
"""

from __future__ import annotations

from dataclasses import replace

from autoscaler.model.labels import NodeSelectorTerm
from autoscaler.model.objects import DaemonSet
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.snapshot import Snapshot


def daemon_sets_of(snapshot: Snapshot) -> tuple[DaemonSet, ...]:
    """All of them, sorted by namespace and name; kept with the snapshot."""
    kept: tuple[DaemonSet, ...] | None = snapshot.derived.get("daemon-sets")
    if kept is None:
        declared = {(d.namespace, d.name): d for d in snapshot.daemon_sets}
        found = dict(declared)
        for pod in snapshot.pods:
            owner = pod.owner
            if owner is None or owner.kind != "DaemonSet" or not pod.node or pod.finished:
                continue
            key = (pod.namespace, owner.name)
            if key not in declared and (key not in found or _is_newer(pod, found[key].uid)):
                found[key] = DaemonSet(*key, _anywhere(pod.spec), uid=_mark(pod))
        kept = snapshot.derived["daemon-sets"] = tuple(found[key] for key in sorted(found))
    return kept


def _mark(pod: Pod) -> str:
    """Orders the pods of one DaemonSet: the newest has its newest template."""
    return f"{pod.created:020.3f} {pod.name}"


def _is_newer(pod: Pod, mark: str) -> bool:
    return _mark(pod) > mark


def _anywhere(spec: PodSpec) -> PodSpec:
    """The spec without the affinity to its own node that the DaemonSet controller puts into every pod."""
    if spec.node_affinity is None:
        return spec
    terms = tuple(NodeSelectorTerm(t.expressions, ()) for t in spec.node_affinity)
    free = any(not t.expressions for t in terms)
    return replace(spec, node_affinity=None if free else tuple(sorted(set(terms), key=repr)))
