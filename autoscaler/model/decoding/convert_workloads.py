"""DaemonSets, owners of pods and disruption budgets: wire -> model."""

from __future__ import annotations

import dataclasses

from autoscaler.model.decoding import wire, wire_pod
from autoscaler.model.decoding.convert_meta import MetaReader, label_selector, named, namespace, text
from autoscaler.model.decoding.convert_pod_spec import pod_spec
from autoscaler.model.decoding.errors import FieldError
from autoscaler.model.decoding.shapes import ShapeReader
from autoscaler.model.objects import DaemonSet, PodDisruptionBudget, Workload
from autoscaler.model.pods import Toleration

_NODE = "node.kubernetes.io"
# AddOrUpdateDaemonPodTolerations of pkg/controller/daemon/util/daemonset_util.go.
_DAEMON = (
    Toleration(f"{_NODE}/not-ready", "Exists", "", "NoExecute"),
    Toleration(f"{_NODE}/unreachable", "Exists", "", "NoExecute"),
    Toleration(f"{_NODE}/disk-pressure", "Exists", "", "NoSchedule"),
    Toleration(f"{_NODE}/memory-pressure", "Exists", "", "NoSchedule"),
    Toleration(f"{_NODE}/pid-pressure", "Exists", "", "NoSchedule"),
    Toleration(f"{_NODE}/unschedulable", "Exists", "", "NoSchedule"),
)
_HOST_NETWORK = Toleration(f"{_NODE}/network-unavailable", "Exists", "", "NoSchedule")


def daemon_set(found: wire_pod.DaemonSet, shapes: ShapeReader, meta_reader: MetaReader) -> DaemonSet:
    """A DaemonSet by what its pods will be: the template's spec and labels, and the tolerations that its
    controller adds. A `nodeName` in the template stays in the spec."""
    meta = named(found.metadata)
    template = (found.spec.template if found.spec else None) or wire_pod.PodTemplate()
    wire_spec = template.spec or wire_pod.PodSpec()
    try:
        spec = pod_spec(wire_spec, shapes.classes)
    except FieldError as error:
        raise error.under("spec.template") from None
    added = {*spec.tolerations, *_DAEMON, *((_HOST_NETWORK,) if wire_spec.host_network else ())}
    tolerations = tuple(sorted(added, key=lambda t: (t.key, t.operator, t.value, t.effect)))
    spec = dataclasses.replace(spec, tolerations=tolerations, node_name=text(wire_spec.node_name))
    labels = meta_reader.labels(template.metadata.labels if template.metadata else wire.NO_RAW)
    return DaemonSet(namespace(meta), text(meta.name), shapes.intern(spec), text(meta.uid), labels)


def workload(kind: str, found: wire.Workload, meta_reader: MetaReader) -> Workload:
    """An owner of pods. `replicas`: what it wants, 1 where it does not say (as the API server defaults it); None
    for the kinds that have no number."""
    meta = named(found.metadata)
    spec = found.spec or wire.WorkloadSpec()
    stated = spec.parallelism if kind == "Job" else spec.replicas
    owner = meta_reader.owner(meta.owner_references)
    return Workload(
        kind=kind,
        namespace=namespace(meta),
        name=text(meta.name),
        uid=text(meta.uid),
        replicas=None if kind in ("CronJob", "DaemonSet") else 1 if stated is None else stated,
        annotations=meta_reader.annotations(meta.annotations),
        owner_kind=owner.kind if owner else "",
        owner_name=owner.name if owner else "",
    )


def disruption_budget(found: wire.PodDisruptionBudget) -> PodDisruptionBudget:
    """A disruption budget.

    It allows nothing until the disruption controller has counted for it, and nothing while it has not seen the
    latest spec (`checkAndDecrement` of pkg/registry/core/pod/storage/eviction.go). An empty selector selects every
    pod of the namespace, but in policy/v1beta1 none.
    """
    meta = named(found.metadata)
    status = found.status or wire.BudgetStatus()
    stale = (status.observed_generation or 0) < (meta.generation or 0) and status.observed_generation is not None
    selector = label_selector(found.spec.selector if found.spec else None)
    if selector is not None and not selector.requirements and (found.api_version or "").endswith("/v1beta1"):
        selector = None
    return PodDisruptionBudget(
        namespace=namespace(meta),
        name=text(meta.name),
        selector=selector,
        disruptions_allowed=0 if stale else status.disruptions_allowed or 0,
    )
