"""Specs that were read before are known by their bytes: no two that differ may be taken for one another."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.decoding.pods import PodReader
from autoscaler.model.pods import Pod
from tests.decoding.builders import Object, container, pod

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def one(i: int, spec: Object, kind: str) -> bytes:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "o", "uid": "u", "controller": True}
    return json.dumps(pod(f"p{i}", spec, ownerReferences=[owner])).encode()


def in_turn(*pods: tuple[Object, str]) -> list[tuple[Pod, Pod]]:
    """Each pod as a reader sees it that has read the pods before it, and as one sees it that has not."""
    reader = PodReader()
    raws = [one(i, spec, kind) for i, (spec, kind) in enumerate(pods)]
    return [(reader.read(raw), PodReader().read(raw)) for raw in raws]


def pinned(*names: str, **expressions: str) -> Object:
    fields = [{"key": "metadata.name", "operator": "In", "values": list(names)}]
    terms = [{"key": key, "operator": "In", "values": [value]} for key, value in expressions.items()]
    term = {"matchFields": fields, "matchExpressions": terms}
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [term]}}}


def volume(name: str, **source: Object) -> Object:
    return {"name": name, **source}


VARIANTS: dict[str, list[object]] = {
    "nodeName": ["n1", "n2", None],
    "hostNetwork": [True, False],
    "nodeSelector": [{"a": "1"}, {"a": "2"}],
    "overhead": [{"cpu": "1"}, {"cpu": "2"}],
    "priority": [1, 2],
    "priorityClassName": ["system-node-critical", "system-cluster-critical"],
    "resourceClaims": [[{"resourceClaimName": "a"}], [{"resourceClaimName": "b"}]],
    "resources": [{"requests": {"cpu": "1"}}, {"requests": {"cpu": "2"}}],
    "runtimeClassName": ["a", "b"],
    "schedulerName": ["a", "b"],
    "schedulingGates": [[{"name": "a"}], []],
    "schedulingGroup": [{"podGroupName": "a"}, {"podGroupName": "b"}],
    "terminationGracePeriodSeconds": [1, 2],
    "tolerations": [[{"key": "a"}], [{"key": "b"}]],
    "topologySpreadConstraints": [[{"topologyKey": "a"}], [{"topologyKey": "b"}]],
    "workloadRef": [{"name": "a", "podGroup": "g"}, {"name": "b", "podGroup": "g"}],
    "affinity": [pinned("n1"), pinned("n2")],
    "containers": [
        [container({"cpu": "1"})],
        [container({"cpu": "2"})],
        [container({"cpu": "1"}), container({"cpu": "3"})],
        [container({"cpu": "1"}, ports=[{"containerPort": 1, "hostPort": 1}])],
    ],
    "initContainers": [
        [container({"cpu": "1"})],
        [container({"cpu": "1"}, restartPolicy="Always")],
        [container({"cpu": "3"})],
    ],
    "volumes": [
        [volume("a", emptyDir={})],
        [volume("b", emptyDir={})],
        [volume("h", hostPath={"path": "/"})],
        [volume("a", ephemeral={})],
        [volume("a", emptyDir={"medium": "Memory"})],
        [volume("a", persistentVolumeClaim={"claimName": "x"})],
        [volume("a", persistentVolumeClaim={"claimName": "y"})],
    ],
}
BASE: Object = {"containers": [container({"cpu": "1"}, ports=[{"containerPort": 80}])]}


@pytest.mark.parametrize("field", VARIANTS)
@pytest.mark.parametrize("kind", ["DaemonSet", "ReplicaSet"])
def test_a_difference_in_any_field_is_seen(field: str, kind: str) -> None:
    pods = [({**BASE, field: value}, kind) for value in VARIANTS[field]]
    found = in_turn(*pods)

    assert all(again == fresh for again, fresh in found)
    if (field, kind) != ("nodeName", "DaemonSet"):
        whole = [(f.spec, f.node, f.local_storage, f.gated, f.deletion_grace_s, f.gang) for f, _ in found]
        assert len(set(whole)) == len(whole)  # the variants do differ


BOTH = ("DaemonSet", "ReplicaSet")
ALIKE: dict[str, list[tuple[Object, str]]] = {
    "a selector called nodeName, and the node": [
        ({"nodeSelector": {"nodeName": "x"}, "nodeName": "x"}, "ReplicaSet"),
        ({"nodeSelector": {"nodeName": "y"}, "nodeName": "x"}, "ReplicaSet"),
    ],
    "a selector called nodeName, and no node": [
        ({"nodeSelector": {"nodeName": "x"}}, "ReplicaSet"),
        ({"nodeSelector": {"nodeName": "y"}}, "ReplicaSet"),
    ],
    "a container and an init container": [
        ({"containers": [container({"cpu": "1"}), container({"cpu": "1"})]}, "ReplicaSet"),
        ({"containers": [container({"cpu": "1"})], "initContainers": [container({"cpu": "1"})]}, "ReplicaSet"),
    ],
    "pods of a DaemonSet and of others": [
        ({"nodeName": "n1", "affinity": pinned("n1"), "nodeSelector": {"a": "n1"}}, kind) for kind in BOTH
    ],
    "pods of others and of a DaemonSet": [({"nodeName": "n1", "affinity": pinned("n1")}, kind) for kind in BOTH[::-1]],
    "a pinned pod, and one that is pinned to nothing": [
        ({"nodeName": "n1", "affinity": pinned("n1")}, "DaemonSet"),
        ({"nodeName": "n1", "affinity": pinned("")}, "ReplicaSet"),
    ],
    "pods of a DaemonSet that select by the name of their node": [
        ({"nodeName": n, "affinity": pinned(n), "nodeSelector": {"a": n}}, "DaemonSet") for n in ("n1", "n2")
    ],
    "pods of a DaemonSet with the name of their node in another term": [
        ({"nodeName": n, "affinity": pinned(n, a=n)}, "DaemonSet") for n in ("n1", "n2")
    ],
    "a node called like a key": [
        ({"nodeName": n, "affinity": pinned(n)}, "DaemonSet") for n in ("metadata.name", "values", "n1")
    ],
    "a node called like a token": [
        ({"nodeName": f"kube-api-access-{n}", "volumes": [volume(f"kube-api-access-{n}")]}, "ReplicaSet")
        for n in ("aaaaa", "bbbbb")
    ],
}


@pytest.mark.parametrize("case", ALIKE)
def test_specs_that_look_alike_are_kept_apart(case: str) -> None:
    for order in itertools.permutations(ALIKE[case]):
        for again, fresh in in_turn(*order):
            assert again == fresh


SPEC = st.fixed_dictionaries({}, optional={field: st.sampled_from(values) for field, values in VARIANTS.items()})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(SPEC, st.sampled_from(BOTH)), min_size=2, max_size=6))
def test_what_was_read_before_changes_nothing(pods: list[tuple[Object, str]]) -> None:
    for again, fresh in in_turn(*pods):
        assert again == fresh
