"""What scheduling reads of a pod's spec."""

from __future__ import annotations

from typing import Any

import pytest

from autoscaler.model.labels import LabelSelector, NodeSelectorTerm, Requirement
from autoscaler.model.pods import HostPort, PodAffinityTerm, PodSpec, SpreadConstraint, Toleration
from tests.decoding.builders import Object, decoded_pod, decoded_spec, pod, snapshot, thing

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def node_affinity(**fields: Any) -> PodSpec:
    return decoded_spec({"affinity": {"nodeAffinity": fields}})


def expression(key: str, operator: str, *values: str) -> Object:
    return {"key": key, "operator": operator, "values": list(values)}


def test_a_node_selector_is_sorted() -> None:
    assert decoded_spec({"nodeSelector": {"b": "2", "a": "1"}}).node_selector == (("a", "1"), ("b", "2"))


@pytest.mark.parametrize(
    ("operator", "values"),
    [
        ("In", ("x", "y")),
        ("NotIn", ("x",)),
        ("Exists", ()),
        ("DoesNotExist", ()),
        ("Gt", ("4",)),
        ("Lt", ("4",)),
    ],
)
def test_every_operator_of_a_node_affinity_is_kept(operator: str, values: tuple[str, ...]) -> None:
    terms = [{"matchExpressions": [expression("k", operator, *values)]}]
    found = node_affinity(**{REQUIRED: {"nodeSelectorTerms": terms}})

    assert found.node_affinity == (NodeSelectorTerm((Requirement("k", operator, values),)),)


def test_node_affinity_by_name_is_kept_as_fields() -> None:
    terms = [{"matchFields": [expression("metadata.name", "In", "n1")]}]
    found = node_affinity(**{REQUIRED: {"nodeSelectorTerms": terms}})

    assert found.node_affinity == (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n1",)),)),)


def test_no_node_affinity_is_none_and_one_without_terms_matches_nothing() -> None:
    assert node_affinity().node_affinity is None
    assert node_affinity(**{REQUIRED: {"nodeSelectorTerms": []}}).node_affinity == ()


def test_preferences_are_kept_with_their_weights() -> None:
    term = {"matchExpressions": [expression("zone", "In", "a")]}
    found = node_affinity(**{PREFERRED: [{"weight": 5, "preference": term}, {"weight": 0, "preference": term}]})

    assert found.preferred_nodes == ((5, NodeSelectorTerm((Requirement("zone", "In", ("a",)),))),)


def test_specs_that_mean_the_same_are_one_object() -> None:
    def spec(order: int, **more: Any) -> Object:
        tolerations = [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Equal", "value": "1"}]
        terms = [
            {"matchExpressions": [expression("k", "In", *("xy"[::order]))]},
            {"matchExpressions": [expression("z", "Exists")]},
        ]
        return {
            "tolerations": tolerations[::order],
            "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms[::order]}}},
            **more,
        }

    first, second = snapshot(pod("a", spec(1)), pod("b", spec(-1, schedulerName="default-scheduler"))).pods

    assert first.spec is second.spec


def test_tolerations_have_their_defaults() -> None:
    found = decoded_spec({"tolerations": [{"operator": "Exists"}, {"key": "a"}]}).tolerations

    assert found == (Toleration("", "Exists", "", ""), Toleration("a", "Equal", "", ""))


PORTS = [
    ("a host port", {"containers": [{"ports": [{"containerPort": 80, "hostPort": 8080}]}]}, [HostPort(8080)]),
    ("no host port", {"containers": [{"ports": [{"containerPort": 80}]}]}, []),
    (
        "on the host's network container ports are host ports",
        {"hostNetwork": True, "containers": [{"ports": [{"containerPort": 80, "protocol": "UDP"}]}]},
        [HostPort(80, "UDP")],
    ),
    (
        "a sidecar's port",
        {"initContainers": [{"restartPolicy": "Always", "ports": [{"hostPort": 1, "hostIP": "10.0.0.1"}]}]},
        [HostPort(1, "TCP", "10.0.0.1")],
    ),
    ("an init container's port is free again", {"initContainers": [{"ports": [{"hostPort": 1}]}]}, []),
    ("ports are null", {"containers": [{"ports": None}]}, []),
]


@pytest.mark.parametrize(("what", "spec", "ports"), PORTS)
def test_ports_of_the_node_are_found(what: str, spec: Object, ports: list[HostPort]) -> None:
    assert decoded_spec(spec).host_ports == tuple(ports), what


def test_required_pod_affinity_and_anti_affinity_are_kept() -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"app": "x"}, "matchExpressions": [expression("tier", "Exists")]},
        "namespaces": ["b", "a"],
        "namespaceSelector": {},
        "matchLabelKeys": ["pod-template-hash"],
        "mismatchLabelKeys": ["tenant"],
    }
    spec = decoded_spec(
        {"affinity": {"podAffinity": {REQUIRED: [term]}, "podAntiAffinity": {REQUIRED: [{"topologyKey": "h"}]}}}
    )

    selector = LabelSelector((Requirement("app", "In", ("x",)), Requirement("tier", "Exists")))
    assert spec.pod_affinity == (
        PodAffinityTerm("zone", selector, ("a", "b"), LabelSelector(), ("pod-template-hash",), ("tenant",)),
    )
    assert spec.pod_anti_affinity == (PodAffinityTerm("h", None),)


def test_preferred_pod_affinity_decides_nothing() -> None:
    term = {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}

    assert decoded_spec({"affinity": {"podAffinity": {PREFERRED: [term]}}}).pod_affinity == ()


def test_hard_spread_constraints_are_kept_with_their_defaults() -> None:
    hard = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    soft = {"maxSkew": 1, "topologyKey": "host", "whenUnsatisfiable": "ScheduleAnyway"}
    full = {
        **hard,
        "topologyKey": "rack",
        "minDomains": 3,
        "nodeAffinityPolicy": "Ignore",
        "nodeTaintsPolicy": "Honor",
        "matchLabelKeys": ["h"],
        "labelSelector": None,
    }

    assert decoded_spec({"topologySpreadConstraints": [hard, soft, full]}).spread == (
        SpreadConstraint("rack", 2, None, 3, "Ignore", "Honor", ("h",)),
        SpreadConstraint("zone", 2, LabelSelector()),
    )


def test_volumes_are_claims_and_what_would_be_lost() -> None:
    volumes = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "claim"}},
        {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
        {"name": "tmp", "emptyDir": {}},
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
        {"name": "logs", "hostPath": {"path": "/var/log"}},
        {"name": "config", "configMap": {"name": "c"}},
        {"name": "nothing", "emptyDir": None},
    ]
    found = decoded_pod(pod("web-0", {"volumes": volumes}))

    assert found.spec.volumes == ("claim", "web-0-scratch")
    assert found.local_storage == ("logs", "tmp")


def test_resource_claims_and_templates_are_named() -> None:
    claims = [
        {"name": "a", "resourceClaimName": "one"},
        {"name": "b", "resourceClaimTemplateName": "two"},
        {"name": "c", "source": {"resourceClaimTemplateName": "three"}},
    ]

    assert decoded_spec({"resourceClaims": claims}).claims == ("one", "three", "two")


PRIORITIES = [
    ("its own", {"priority": 7, "priorityClassName": "high"}, 7),
    ("that of its class", {"priorityClassName": "high"}, 1000),
    ("that of a class that every cluster has", {"priorityClassName": "system-node-critical"}, 2_000_001_000),
    ("that of the smallest default class", {}, 5),
    ("zero is a priority", {"priority": 0, "priorityClassName": "high"}, 0),
    ("none for a class that is not there", {"priorityClassName": "gone"}, 0),
]


@pytest.mark.parametrize(("what", "spec", "priority"), PRIORITIES)
def test_the_priority_of_a_pod_is(what: str, spec: Object, priority: int) -> None:
    def cls(name: str, value: int, **fields: bool) -> Object:
        return thing("PriorityClass", name, "scheduling.k8s.io/v1", value=value, **fields)

    classes = (cls("high", 1000), cls("default", 10, globalDefault=True), cls("low", 5, globalDefault=True))

    assert decoded_spec(spec, *classes).priority == priority, what


KATA = thing(
    "RuntimeClass",
    "kata",
    "node.k8s.io/v1",
    handler="kata",
    overhead={"podFixed": {"cpu": "250m", "memory": "160Mi"}},
    scheduling={"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "kata", "operator": "Exists"}]},
)


def test_a_runtime_class_adds_overhead_selector_and_tolerations() -> None:
    found = decoded_spec({"runtimeClassName": "kata", "nodeSelector": {"a": "1"}}, KATA)

    assert found.runtime_class == "kata"
    assert found.requests == (("cpu", 250), ("memory", 160 * 2**20))
    assert found.node_selector == (("a", "1"), ("kata", "yes"))
    assert found.tolerations == (Toleration("kata", "Exists"),)


def test_a_pod_that_was_admitted_with_a_runtime_class_is_not_charged_twice() -> None:
    admitted = {
        "runtimeClassName": "kata",
        "overhead": {"cpu": "250m", "memory": "160Mi"},
        "nodeSelector": {"a": "1", "kata": "yes"},
        "tolerations": [{"key": "kata", "operator": "Exists"}],
    }

    assert decoded_spec(admitted, KATA) == decoded_spec({"runtimeClassName": "kata", "nodeSelector": {"a": "1"}}, KATA)


def test_a_runtime_class_that_is_not_there_is_only_a_name() -> None:
    assert decoded_spec({"runtimeClassName": "nvidia"}) == PodSpec(runtime_class="nvidia")
