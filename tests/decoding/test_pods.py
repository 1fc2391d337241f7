"""Pods: their state, owners, groups, and what equal ones share."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from autoscaler.model.decoding.pods import PodReader
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.pods import Owner, Pod, PodSpec
from tests.decoding.builders import Object, container, decoded_pod, pod, snapshot, thing

AT = "2026-06-01T11:58:00Z"


def test_everything_of_a_pod_is_in_its_place() -> None:
    found = decoded_pod(
        thing(
            "Pod",
            "web-1",
            meta={
                "namespace": "shop",
                "uid": "u-1",
                "creationTimestamp": AT,
                "labels": {"app": "web"},
                "annotations": {"karpenter.sh/do-not-disrupt": "true", "example.com/other": "x"},
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "u-2"},
                    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u-3", "controller": True},
                ],
                "deletionTimestamp": "2026-06-01T12:00:00Z",
                "deletionGracePeriodSeconds": 60,
            },
            spec={"nodeName": "n1", "containers": [container({"cpu": "1"})]},
            status={"phase": "Running", "nominatedNodeName": "n2"},
        )
    )

    assert found == Pod(
        namespace="shop",
        name="web-1",
        spec=PodSpec(requests=(("cpu", 1000),)),
        uid="u-1",
        created=parse_rfc3339(AT),
        labels=found.labels,
        annotations=found.annotations,
        owner=Owner("ReplicaSet", "web", "u-3", "apps/v1"),
        node="n1",
        nominated_node="n2",
        phase="Running",
        deleted_at=parse_rfc3339("2026-06-01T12:00:00Z"),
        deletion_grace_s=60,
    )
    assert found.labels == {"app": "web"}
    assert found.annotations == {"karpenter.sh/do-not-disrupt": "true"}
    assert isinstance(found, Pod)
    assert hash(found) == hash(decoded_pod(pod_of(found)))


def pod_of(found: Pod) -> Object:
    """A second writing of the pod above, keys in another order."""
    return {
        "status": {"nominatedNodeName": "n2", "phase": "Running"},
        "spec": {"containers": [container({"cpu": 1})], "nodeName": "n1"},
        "metadata": {
            "ownerReferences": [
                {"controller": True, "uid": "u-3", "name": "web", "kind": "ReplicaSet", "apiVersion": "apps/v1"}
            ],
            "annotations": dict(found.annotations),
            "labels": dict(found.labels),
            "creationTimestamp": AT,
            "deletionTimestamp": "2026-06-01T12:00:00Z",
            "deletionGracePeriodSeconds": 60,
            "uid": "u-1",
            "namespace": "shop",
            "name": "web-1",
        },
        "kind": "Pod",
        "apiVersion": "v1",
    }


def test_a_pod_with_nothing_but_a_name_has_the_defaults() -> None:
    found = decoded_pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": "Pending"}})

    assert found == Pod("default", "p", PodSpec())


def test_a_manifest_that_no_server_has_seen_counts_as_looked_at_by_the_scheduler() -> None:
    found = decoded_pod({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}})

    assert found == Pod("default", "p", PodSpec(), marked_unschedulable=True)


@pytest.mark.parametrize("key", ["labels", "annotations", "ownerReferences", "creationTimestamp", "deletionTimestamp"])
def test_null_metadata_is_none(key: str) -> None:
    assert decoded_pod(pod("p", None, None, **{key: None})) == decoded_pod(pod())


@pytest.mark.parametrize("key", ["spec", "status"])
def test_a_null_part_is_an_absent_one(key: str) -> None:
    without = {name: value for name, value in pod().items() if name != key}

    assert decoded_pod({**pod(), key: None}) == decoded_pod(without)


@pytest.mark.parametrize(
    ("condition", "marked"),
    [
        ({"status": "False", "reason": "Unschedulable"}, True),
        ({"status": "False", "reason": "SchedulerError"}, False),
        ({"status": "False", "reason": "SchedulingGated"}, False),
        ({"status": "True"}, False),
        ({"type": "Ready", "status": "False", "reason": "Unschedulable"}, False),
        (None, False),
    ],
)
def test_only_the_reason_unschedulable_marks_a_pod(condition: Object | None, marked: bool) -> None:
    one = {"type": "PodScheduled", "lastTransitionTime": AT, **(condition or {})}
    found = decoded_pod(pod(status={"phase": "Pending", "conditions": [one] if condition else None}))

    assert found.marked_unschedulable is marked
    assert found.unschedulable_since == (parse_rfc3339(AT) if marked else None)


def test_an_undated_mark_is_a_mark() -> None:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": None}
    found = decoded_pod(pod(status={"conditions": [condition]}))

    assert found.marked_unschedulable
    assert found.unschedulable_since is None


def test_a_pod_with_a_node_name_is_bound_and_shares_its_spec_with_a_pending_one() -> None:
    spec = {"containers": [container({"cpu": 1})]}
    bound, pending = snapshot(pod("a", {**spec, "nodeName": "n1"}), pod("b", spec)).pods

    assert (bound.node, pending.node) == ("n1", "")
    assert bound.spec is pending.spec
    assert bound.spec.node_name == ""


def test_pods_that_differ_in_what_scheduling_does_not_read_share_their_spec() -> None:
    def one(i: int) -> Object:
        token = f"kube-api-access-{i:05}"
        return pod(
            f"p-{i}",
            {
                "nodeName": f"n{i}",
                "hostname": f"h{i}",
                "containers": [
                    container({"cpu": 1}, env=[{"name": "I", "value": str(i)}], volumeMounts=[{"name": token}])
                ],
                "volumes": [{"name": token, "projected": {"sources": []}}],
            },
        )

    found = snapshot(*(one(i) for i in range(20))).pods

    assert {id(p.spec) for p in found} == {id(found[0].spec)}
    assert sorted(p.node for p in found) == sorted(f"n{i}" for i in range(20))


def daemon(node: str, name: str, **spec: Any) -> Object:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "ds", "uid": "u", "controller": True}
    return pod(name, {"affinity": affinity, "containers": [container({"cpu": 1})], **spec}, ownerReferences=[owner])


def test_bound_pods_of_a_daemon_set_share_a_spec_without_the_affinity_to_their_node() -> None:
    found = snapshot(*(daemon(f"n{i}", f"d-{i}", nodeName=f"n{i}") for i in range(5))).pods

    assert {id(p.spec) for p in found} == {id(found[0].spec)}
    assert found[0].spec.node_affinity is None
    assert [p.node for p in found] == [f"n{i}" for i in range(5)]


def test_a_pending_pod_of_a_daemon_set_keeps_the_affinity_to_its_node() -> None:
    a, b = snapshot(daemon("n1", "a"), daemon("n2", "b")).pods

    assert a.spec.node_affinity is not None
    assert a.spec.node_affinity[0].fields[0].values == ("n1",)
    assert b.spec != a.spec


def test_a_label_called_node_name_binds_nothing() -> None:
    spec = {"nodeSelector": {"nodeName": "x"}}
    found = snapshot(pod("a", spec), pod("b", {"nodeSelector": {"nodeName": "y"}}), pod("c", spec)).pods

    assert [p.node for p in found] == ["", "", ""]
    assert [p.spec.node_selector[0][1] for p in found] == ["x", "y", "x"]


def test_gates_and_mirror_pods_are_seen() -> None:
    assert decoded_pod(pod(spec={"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]})).gated
    assert not decoded_pod(pod(spec={"schedulingGates": []})).gated
    mirror = decoded_pod(pod(annotations={"kubernetes.io/config.mirror": "hash"}))
    assert mirror.mirror
    assert mirror.is_daemon


@pytest.mark.parametrize(
    ("meta", "spec", "grace"),
    [
        ({}, {}, 30),
        ({}, {"terminationGracePeriodSeconds": 600}, 600),
        ({"deletionGracePeriodSeconds": 0}, {"terminationGracePeriodSeconds": 600}, 0),
        ({}, {"terminationGracePeriodSeconds": -1}, 0),
    ],
)
def test_the_grace_period_is_that_of_the_deletion_or_of_the_spec(meta: Object, spec: Object, grace: int) -> None:
    assert decoded_pod(pod(spec=spec, **meta)).deletion_grace_s == grace


KEPT = [
    "cluster-autoscaler.kubernetes.io/safe-to-evict",
    "karpenter.sh/do-not-disrupt",
    "gpu-autoscaler.dev/pod-group-size",
    "scheduling.k8s.io/group-name",
    "scheduling.volcano.sh/group-name",
    "kueue.x-k8s.io/pod-group-total-count",
    "pod-group.scheduling.sigs.k8s.io/min-available",
]


@pytest.mark.parametrize("key", KEPT)
def test_annotations_that_rules_read_are_kept_and_no_others(key: str) -> None:
    found = decoded_pod(pod(annotations={key: "1", "kubectl.kubernetes.io/last-applied-configuration": "{autoscaler}"}))

    assert found.annotations == {key: "1"}


def test_an_annotation_written_with_escapes_is_kept() -> None:
    raw = b'{"metadata":{"name":"p","annotations":{"karpenter.s\\u0068/do-not-disrupt":"true"}}}'

    assert PodReader().read(raw).annotations == {"karpenter.sh/do-not-disrupt": "true"}


def test_a_reader_takes_undecoded_and_plain_bytes() -> None:
    raw = b'{"metadata":{"name":"p"},"status":{"phase":"Pending"}}'

    assert PodReader().read(raw) == PodReader().read(msgspec.Raw(raw)) == Pod("default", "p", PodSpec())
