"""Pod specs: wire -> `PodSpec` and what else of a spec belongs to the pod, read once for each shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from autoscaler.model.decoding import wire_pod
from autoscaler.model.decoding.classes import Classes, RuntimeClass, tolerations
from autoscaler.model.decoding.convert_meta import label_selector, node_term, node_terms, text
from autoscaler.model.decoding.convert_requests import Resize, pod_requests, resource_list
from autoscaler.model.decoding.errors import FieldError
from autoscaler.model.labels import NodeSelectorTerm
from autoscaler.model.pods import HostPort, PodAffinityTerm, PodSpec, SpreadConstraint, Toleration

DEFAULT_GRACE_S = 30


@dataclass(frozen=True, slots=True)
class Shape:
    """What one or many pods have in common by their specs.

    `ephemeral`: volumes for which a claim named POD-VOLUME is made; they are not in `spec.volumes`, which has the
    claims that the pod names. `group`: the PodGroup of Kubernetes' own gang scheduling, as `NAME` or
    `WORKLOAD/GROUP[/REPLICA]`; `template`: of the latter `WORKLOAD/GROUP`, where the policy is declared.
    """

    spec: PodSpec
    local_storage: tuple[str, ...] = ()
    ephemeral: tuple[str, ...] = ()
    gated: bool = False
    grace_s: int = DEFAULT_GRACE_S
    group: str = ""
    template: str = ""


def shape(wire: wire_pod.PodSpec, classes: Classes) -> Shape:
    """Read a pod spec. `spec.nodeName` is left to the caller.

    Raises FieldError with the path from the pod's root.
    """
    volumes = wire.volumes or ()
    grace = wire.termination_grace_period_seconds
    group, template = _group(wire)
    return Shape(
        spec=pod_spec(wire, classes),
        local_storage=tuple(sorted(text(v.name) for v in volumes if _is_local(v))),
        ephemeral=tuple(sorted(text(v.name) for v in volumes if v.ephemeral is not None)),
        gated=bool(wire.scheduling_gates),
        grace_s=DEFAULT_GRACE_S if grace is None else max(0, grace),
        group=group,
        template=template,
    )


def pod_spec(wire: wire_pod.PodSpec, classes: Classes, resize: Resize | None = None) -> PodSpec:
    """What kube-scheduler reads of a spec, and of a pod whose requests are being changed in place.

    A RuntimeClass is folded in as its admission plugin does (plugin/pkg/admission/runtimeclass): overhead where the
    pod states none, node selector and tolerations added; for a pod that has been admitted that changes nothing.
    Lists whose order means nothing are sorted, so that equal specs are equal values.
    """
    runtime = classes.runtimes.get(wire.runtime_class_name or "") or RuntimeClass("")
    own = resource_list(wire.overhead, "spec.overhead")
    requests, peaks = pod_requests(wire, own if wire.overhead is not None else dict(runtime.overhead), resize)
    selector = {**dict(runtime.node_selector), **{k: v or "" for k, v in (wire.node_selector or {}).items()}}
    affinity = wire.affinity or wire_pod.Affinity()
    node = affinity.node_affinity or wire_pod.NodeAffinity()
    return PodSpec(
        requests=requests,
        container_peaks=peaks,
        node_selector=tuple(sorted(selector.items())),
        node_affinity=node_terms(node.required),
        preferred_nodes=_preferred(node.preferred),
        tolerations=_sorted_tolerations(tolerations(wire.tolerations) | set(runtime.tolerations)),
        host_ports=_host_ports(wire),
        pod_affinity=_affinity_terms(affinity.pod_affinity),
        pod_anti_affinity=_affinity_terms(affinity.pod_anti_affinity),
        spread=_spread(wire.topology_spread_constraints),
        volumes=_claimed_volumes(wire.volumes),
        claims=_resource_claims(wire.resource_claims),
        runtime_class=wire.runtime_class_name or "",
        scheduler_name=wire.scheduler_name or "default-scheduler",
        priority=classes.priority(wire.priority, wire.priority_class_name),
    )


def _sorted_tolerations(found: Iterable[Toleration]) -> tuple[Toleration, ...]:
    return tuple(sorted(found, key=lambda t: (t.key, t.operator, t.value, t.effect)))


def _preferred(terms: Iterable[wire_pod.PreferredTerm] | None) -> tuple[tuple[int, NodeSelectorTerm], ...]:
    """Weighted preferences; one without a preference or a weight prefers nothing."""
    found = {(t.weight, node_term(t.preference)) for t in terms or () if t.weight and t.preference is not None}
    return tuple(sorted(found, key=repr))


def _host_ports(wire: wire_pod.PodSpec) -> tuple[HostPort, ...]:
    """Ports that containers and sidecars hold on the node (GetHostPorts of pkg/scheduler/util/utils.go).

    On the host's network each container port is a port of the node (`SetDefaults_PodSpec`).
    """
    sidecars = [c for c in wire.init_containers or () if c.restart_policy == "Always"]
    found: set[HostPort] = set()
    for container in [*(wire.containers or ()), *sidecars]:
        for port in container.ports or ():
            number = port.host_port or (port.container_port if wire.host_network else 0) or 0
            if number > 0:
                found.add(HostPort(number, port.protocol or "TCP", port.host_ip or "0.0.0.0"))
    return tuple(sorted(found, key=lambda p: (p.port, p.protocol, p.ip)))


def _affinity_terms(affinity: wire_pod.PodAffinity | None) -> tuple[PodAffinityTerm, ...]:
    """Required terms, sorted; preferences decide nothing here."""
    if affinity is None:
        return ()
    found = {
        PodAffinityTerm(
            topology_key=text(t.topology_key),
            selector=label_selector(t.label_selector),
            namespaces=tuple(sorted(set(t.namespaces or ()))),
            namespace_selector=label_selector(t.namespace_selector),
            match_label_keys=tuple(sorted(set(t.match_label_keys or ()))),
            mismatch_label_keys=tuple(sorted(set(t.mismatch_label_keys or ()))),
        )
        for t in affinity.required or ()
    }
    return tuple(sorted(found, key=repr))


def _spread(constraints: Iterable[wire_pod.SpreadConstraint] | None) -> tuple[SpreadConstraint, ...]:
    """Hard constraints, sorted, with the defaults of core/v1 TopologySpreadConstraint."""
    found: set[SpreadConstraint] = set()
    for i, c in enumerate(constraints or ()):
        if (c.when_unsatisfiable or "DoNotSchedule") != "DoNotSchedule":
            continue
        skew = 1 if c.max_skew is None else c.max_skew
        if skew < 1:
            raise FieldError(f"spec.topologySpreadConstraints[{i}].maxSkew", f"{skew} is not allowed; use 1 or more")
        found.add(
            SpreadConstraint(
                topology_key=text(c.topology_key),
                max_skew=skew,
                selector=label_selector(c.label_selector),
                min_domains=c.min_domains,
                node_affinity_policy=c.node_affinity_policy or "Honor",
                node_taints_policy=c.node_taints_policy or "Ignore",
                match_label_keys=tuple(sorted(set(c.match_label_keys or ()))),
            )
        )
    return tuple(sorted(found, key=repr))


def _is_local(volume: wire_pod.Volume) -> bool:
    """True for data on the node's disk (`HasLocalStorage` of Cluster Autoscaler's drain rules)."""
    on_disk = volume.empty_dir is not None and volume.empty_dir.medium != "Memory"
    return on_disk or volume.host_path is not None


def _claimed_volumes(volumes: Iterable[wire_pod.Volume] | None) -> tuple[str, ...]:
    claims = (v.persistent_volume_claim for v in volumes or ())
    return tuple(sorted({c.claim_name for c in claims if c is not None and c.claim_name}))


def _resource_claims(claims: Iterable[wire_pod.PodResourceClaim] | None) -> tuple[str, ...]:
    """Names of claims and of templates; `source` is how Kubernetes 1.26 to 1.30 wrote them."""
    found: set[str] = set()
    for claim in claims or ():
        old = claim.source or wire_pod.ClaimReference()
        name = (
            claim.resource_claim_name
            or claim.resource_claim_template_name
            or old.resource_claim_name
            or old.resource_claim_template_name
        )
        if name:
            found.add(name)
    return tuple(sorted(found))


def _group(wire: wire_pod.PodSpec) -> tuple[str, str]:
    """The group that the spec itself names: `schedulingGroup` (Kubernetes 1.36), `workloadRef` (1.35)."""
    if wire.scheduling_group is not None and wire.scheduling_group.pod_group_name:
        return wire.scheduling_group.pod_group_name, ""
    ref = wire.workload_ref
    if ref is None or not ref.name:
        return "", ""
    template = f"{ref.name}/{text(ref.pod_group)}"
    return (f"{template}/{ref.pod_group_replica_key}" if ref.pod_group_replica_key else template), template
