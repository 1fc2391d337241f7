"""Nodes, workloads, budgets, volumes, claims and namespaces."""

from __future__ import annotations

from typing import Any

import pytest

from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.labels import LabelSelector, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import ZONE, Condition, Node, Taint
from autoscaler.model.objects import PodDisruptionBudget, ResourceClaim, StorageClass, Volume, VolumeClaim, Workload
from autoscaler.model.pods import Toleration
from tests.decoding.builders import Object, container, snapshot, thing

AT = "2026-06-01T11:58:00Z"


def only_node(*objects: Object) -> Node:
    (found,) = snapshot(*objects).nodes
    return found


def test_everything_of_a_node_is_in_its_place() -> None:
    found = only_node(
        thing(
            "Node",
            "n1",
            meta={
                "uid": "u",
                "creationTimestamp": AT,
                "deletionTimestamp": AT,
                "labels": {"a": "b"},
                "annotations": {"gpu-autoscaler.dev/idle-since": AT, "csi.volume.kubernetes.io/nodeid": "{}"},
            },
            spec={
                "providerID": "aws:///us-east-1a/i-1",
                "unschedulable": True,
                "taints": [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "value": "c", "effect": "NoExecute"}],
            },
            status={
                "capacity": {"cpu": "8", "pods": "110"},
                "allocatable": {"cpu": "7910m", "memory": "1Ki", "nvidia.com/gpu": "0"},
                "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": AT}, {"type": "DiskPressure"}],
            },
        )
    )

    assert found == Node(
        name="n1",
        uid="u",
        provider_id="aws:///us-east-1a/i-1",
        created=parse_rfc3339(AT),
        labels=found.labels,
        annotations=found.annotations,
        taints=(Taint("a", "", "NoSchedule"), Taint("b", "c", "NoExecute")),
        unschedulable=True,
        allocatable=(("cpu", 7910), ("memory", 1024)),
        capacity=(("cpu", 8000), ("pods", 110)),
        conditions=(Condition("Ready", "True", parse_rfc3339(AT)), Condition("DiskPressure", "")),
        deleted_at=parse_rfc3339(AT),
    )
    assert found.labels == {"a": "b"}
    assert found.annotations == {"gpu-autoscaler.dev/idle-since": AT}


def test_a_node_without_allocatable_offers_its_capacity() -> None:
    found = only_node(thing("Node", "n", status={"capacity": {"cpu": 4}}))

    assert found.allocatable == found.capacity == (("cpu", 4000),)


def test_a_node_with_empty_allocatable_offers_nothing() -> None:
    assert only_node(thing("Node", "n", status={"capacity": {"cpu": 4}, "allocatable": {}})).allocatable == ()


@pytest.mark.parametrize("key", ["spec", "status"])
def test_a_node_in_the_making_may_lack_parts(key: str) -> None:
    assert only_node({**thing("Node", "n", spec={}, status={}), key: None}) == Node("n")


def test_attach_limits_come_from_the_csi_node() -> None:
    drivers = [{"name": "ebs", "allocatable": {"count": 25}}, {"name": "nfs", "allocatable": None}]
    csi = thing("CSINode", "n", "storage.k8s.io/v1", spec={"drivers": drivers})

    assert only_node(csi, thing("Node", "n")).attach_limits == (("ebs", 25),)


def daemon_set(**spec: Any) -> Object:
    template = {"metadata": {"labels": {"app": "dcgm"}}, "spec": {"containers": [container({}, {"cpu": "1"})], **spec}}
    return thing("DaemonSet", "dcgm", "apps/v1", spec={"template": template}, meta={"namespace": "gpu", "uid": "u"})


def test_a_daemon_set_is_what_its_pods_will_be() -> None:
    (found,) = snapshot(daemon_set(tolerations=[{"key": "gpu", "operator": "Exists"}])).daemon_sets

    assert (found.namespace, found.name, found.uid) == ("gpu", "dcgm", "u")
    assert found.labels == {"app": "dcgm"}
    assert found.spec.requests == (("cpu", 1000),)
    assert Toleration("gpu", "Exists") in found.spec.tolerations
    assert Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule") in found.spec.tolerations
    assert not any("network-unavailable" in t.key for t in found.spec.tolerations)


def test_a_daemon_set_on_the_hosts_network_starts_before_the_network_does() -> None:
    (found,) = snapshot(daemon_set(hostNetwork=True)).daemon_sets

    assert any("network-unavailable" in t.key for t in found.spec.tolerations)


def test_a_daemon_set_takes_priority_and_runtime_from_its_classes() -> None:
    high = thing("PriorityClass", "high", "scheduling.k8s.io/v1", value=9)
    kata = thing("RuntimeClass", "kata", "node.k8s.io/v1", overhead={"podFixed": {"cpu": "1"}})
    (found,) = snapshot(daemon_set(priorityClassName="high", runtimeClassName="kata"), high, kata).daemon_sets

    assert found.spec.priority == 9
    assert found.spec.requests == (("cpu", 2000),)


@pytest.mark.parametrize(
    ("api", "kind", "spec", "replicas"),
    [
        ("apps/v1", "ReplicaSet", {"replicas": 3}, 3),
        ("apps/v1", "Deployment", {"replicas": 0}, 0),
        ("apps/v1", "StatefulSet", {}, 1),
        ("v1", "ReplicationController", {"replicas": None}, 1),
        ("batch/v1", "Job", {"parallelism": 4, "replicas": 9}, 4),
        ("batch/v1", "Job", {}, 1),
        ("batch/v1", "CronJob", {"schedule": "* * * * *"}, None),
        ("apps/v1", "DaemonSet", {}, None),
    ],
)
def test_owners_of_pods_tell_how_many_they_want(api: str, kind: str, spec: Object, replicas: int | None) -> None:
    owner = {"apiVersion": "x/v1", "kind": "Boss", "name": "b", "uid": "u", "controller": True}
    notes = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "other": "x"}
    found = snapshot(
        thing(kind, "w", api, spec=spec, meta={"namespace": "ns", "ownerReferences": [owner], "annotations": notes})
    ).workloads[kind, "ns", "w"]

    expected = Workload(kind, "ns", "w", "", replicas, found.annotations, "Boss", "b")
    assert found == expected
    assert found.annotations == {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}


def test_kinds_of_other_groups_with_known_names_are_skipped() -> None:
    found = snapshot(thing("Job", "j", "batch.volcano.sh/v1alpha1"), thing("DaemonSet", "d", "apps.kruise.io/v1"))

    assert found.workloads == {}
    assert found.skipped_kinds == {"apps.kruise.io/DaemonSet": 1, "batch.volcano.sh/Job": 1}


def budget(selector: Object | None, status: Object | None, api: str = "policy/v1", **meta: int) -> PodDisruptionBudget:
    found = thing("PodDisruptionBudget", "b", api, spec={"selector": selector}, status=status, meta=meta)
    (only,) = snapshot(found).disruption_budgets
    return only


@pytest.mark.parametrize(
    ("what", "meta", "status", "allowed"),
    [
        ("what the controller counted", {}, {"disruptionsAllowed": 2}, 2),
        ("nothing before it has counted", {}, None, 0),
        (
            "nothing while it has not seen the latest spec",
            {"generation": 3},
            {"disruptionsAllowed": 2, "observedGeneration": 2},
            0,
        ),
        (
            "what it counted for the latest spec",
            {"generation": 3},
            {"disruptionsAllowed": 2, "observedGeneration": 3},
            2,
        ),
    ],
)
def test_a_budget_allows(what: str, meta: dict[str, int], status: Object | None, allowed: int) -> None:
    assert budget({}, status, "policy/v1", **meta).disruptions_allowed == allowed, what


@pytest.mark.parametrize(
    ("api", "selector", "expected"),
    [
        ("policy/v1", {"matchLabels": {"a": "b"}}, LabelSelector((Requirement("a", "In", ("b",)),))),
        ("policy/v1", {}, LabelSelector()),
        ("policy/v1", None, None),
        ("policy/v1beta1", {}, None),
    ],
)
def test_the_selector_of_a_budget(api: str, selector: Object | None, expected: LabelSelector | None) -> None:
    assert budget(selector, None, api).selector == expected


def claim(name: str, **spec: Any) -> Object:
    return thing("PersistentVolumeClaim", name, spec=spec, meta={"namespace": "ns"})


def storage_class(name: str, default: bool = False, at: str = AT, **fields: Any) -> Object:
    notes = {"storageclass.kubernetes.io/is-default-class": "true"} if default else {}
    return thing(
        "StorageClass", name, "storage.k8s.io/v1", meta={"annotations": notes, "creationTimestamp": at}, **fields
    )


def test_claims_name_their_volume_and_class() -> None:
    found = snapshot(
        claim("bound", volumeName="pv", storageClassName="gp3"),
        claim("default"),
        claim("none", storageClassName=""),
        storage_class("old", default=True, at="2026-01-01T00:00:00Z"),
        storage_class("new", default=True),
    ).volume_claims

    assert found == {
        "ns/bound": VolumeClaim("ns", "bound", "pv", "gp3"),
        "ns/default": VolumeClaim("ns", "default", "", "new"),
        "ns/none": VolumeClaim("ns", "none", "", ""),
    }


def zone(*zones: str) -> NodeSelectorTerm:
    return NodeSelectorTerm((Requirement(ZONE, "In", zones),))


def test_volumes_tell_where_they_can_be_used() -> None:
    term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
    affinity = {"required": {"nodeSelectorTerms": [term]}}
    found = snapshot(
        thing("PersistentVolume", "csi", spec={"csi": {"driver": "ebs.csi.aws.com"}, "nodeAffinity": affinity}),
        thing("PersistentVolume", "labels", spec={"gcePersistentDisk": {}}, meta={"labels": {ZONE: "b__a"}}),
        thing("PersistentVolume", "anywhere", spec={"nfs": {}}),
    ).volumes

    assert found == {
        "anywhere": Volume("anywhere"),
        "csi": Volume("csi", (zone("a"),), "ebs.csi.aws.com"),
        "labels": Volume("labels", (zone("a", "b"),), "pd.csi.storage.gke.io"),
    }


def test_storage_classes_tell_where_and_when_they_provision() -> None:
    topologies = [{"matchLabelExpressions": [{"key": "failure-domain.beta.kubernetes.io/zone", "values": ["b", "a"]}]}]
    found = snapshot(
        storage_class(
            "late",
            provisioner="kubernetes.io/aws-ebs",
            volumeBindingMode="WaitForFirstConsumer",
            allowedTopologies=topologies,
        ),
        storage_class("now", default=True, provisioner="example.com/x"),
    ).storage_classes

    assert found == {
        "late": StorageClass("late", "ebs.csi.aws.com", True, (zone("a", "b"),)),
        "now": StorageClass("now", "example.com/x", is_default=True),
    }


def test_resource_claims_tell_whether_and_where_they_are_allocated() -> None:
    def resource_claim(name: str, allocation: Object | None, **meta: Any) -> Object:
        status = {"allocation": allocation}
        return thing("ResourceClaim", name, "resource.k8s.io/v1", status=status, meta={"namespace": "ns", **meta})

    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": True}
    found = snapshot(
        resource_claim("free", None, ownerReferences=[owner]),
        resource_claim("here", {"nodeSelector": selector}),
        resource_claim("anywhere", {}),
    ).resource_claims

    here = (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),)
    assert found == {
        "ns/anywhere": ResourceClaim("ns", "anywhere", allocated=True),
        "ns/free": ResourceClaim("ns", "free", owner_pod="p"),
        "ns/here": ResourceClaim("ns", "here", allocated=True, nodes=here),
    }


def test_namespaces_have_their_labels_and_their_name_as_one() -> None:
    found = snapshot(thing("Namespace", "a", meta={"labels": {"team": "x"}}), thing("Namespace", "b")).namespaces

    assert found == {
        "a": {"team": "x", "kubernetes.io/metadata.name": "a"},
        "b": {"kubernetes.io/metadata.name": "b"},
    }


@pytest.mark.parametrize("kind", ["ResourceSlice", "DeviceClass", "ResourceClaimTemplate"])
def test_kinds_that_are_known_but_not_used_yet_are_not_reported_as_skipped(kind: str) -> None:
    assert snapshot(thing(kind, "x", "resource.k8s.io/v1")).skipped_kinds == {}
