"""Groups of pods: how pods and the objects that declare their group meet."""

from __future__ import annotations

from typing import Any

import pytest

from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.objects import GangSpec
from tests.decoding.builders import Object, pod, snapshot, thing

AT = "2026-06-01T11:58:00Z"


def group(api: str, name: str = "g", **spec: Any) -> Object:
    return thing("PodGroup", name, api, spec=spec, meta={"namespace": "default", "creationTimestamp": AT})


GANGS: list[tuple[str, list[Object], Object, str, int]] = [
    (
        "scheduler-plugins",
        [group("scheduling.x-k8s.io/v1alpha1", minMember=4)],
        pod(labels={"scheduling.x-k8s.io/pod-group": "g"}),
        "scheduling.x-k8s.io|default/g",
        4,
    ),
    (
        "Volcano",
        [group("scheduling.volcano.sh/v1beta1", minMember=3)],
        pod(annotations={"scheduling.k8s.io/group-name": "g"}),
        "scheduling.volcano.sh|default/g",
        3,
    ),
    (
        "Kubernetes, by scheduling group",
        [group("scheduling.k8s.io/v1alpha2", schedulingPolicy={"gang": {"minCount": 5}})],
        pod(spec={"schedulingGroup": {"podGroupName": "g"}}),
        "scheduling.k8s.io|default/g",
        5,
    ),
    (
        "Kubernetes 1.35, by workload",
        [
            thing(
                "Workload",
                "w",
                "scheduling.k8s.io/v1alpha1",
                spec={"podGroups": [{"name": "g", "policy": {"gang": {"minCount": 6}}}]},
            )
        ],
        pod(spec={"workloadRef": {"name": "w", "podGroup": "g"}}),
        "scheduling.k8s.io|default/w/g",
        6,
    ),
    (
        "Kubernetes 1.35, a replica of a group",
        [
            thing(
                "Workload",
                "w",
                "scheduling.k8s.io/v1alpha1",
                spec={"podGroups": [{"name": "g", "policy": {"gang": {"minCount": 6}}}]},
            )
        ],
        pod(spec={"workloadRef": {"name": "w", "podGroup": "g", "podGroupReplicaKey": "r1"}}),
        "scheduling.k8s.io|default/w/g/r1",
        6,
    ),
    (
        "a size that the pods give",
        [],
        pod(labels={"gpu-autoscaler.dev/pod-group": "g", "gpu-autoscaler.dev/pod-group-size": "7"}),
        "gpu-autoscaler.dev|default/g",
        7,
    ),
    (
        "Kueue",
        [],
        pod(labels={"kueue.x-k8s.io/pod-group-name": "g"}, annotations={"kueue.x-k8s.io/pod-group-total-count": "8"}),
        "kueue.x-k8s.io|default/g",
        8,
    ),
    (
        "a JobSet whose jobs have domains of their own",
        [
            thing(
                "JobSet",
                "g",
                "jobset.x-k8s.io/v1alpha2",
                spec={"replicatedJobs": [{"replicas": 4, "template": {"spec": {"parallelism": 8}}}]},
                meta={"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": "rack"}},
            )
        ],
        pod(labels={"jobset.sigs.k8s.io/jobset-name": "g"}),
        "jobset.x-k8s.io|default/g",
        4,
    ),
]


@pytest.mark.parametrize("case", GANGS, ids=[g[0] for g in GANGS])
def test_pods_and_their_group_meet(case: tuple[str, list[Object], Object, str, int]) -> None:
    _, declared, member, key, size = case
    found = snapshot(member, *declared)

    assert found.pods[0].gang == key
    assert found.gangs[key].min_member == size


def test_a_job_set_without_a_wish_for_placement_is_no_group() -> None:
    found = snapshot(
        pod(labels={"jobset.sigs.k8s.io/jobset-name": "g"}), thing("JobSet", "g", "jobset.x-k8s.io/v1alpha2")
    )

    assert found.pods[0].gang == ""
    assert found.gangs == {}


def test_a_job_set_placed_by_node_selectors_is_a_group_of_all_its_pods() -> None:
    prefix = "alpha.jobset.sigs.k8s.io"
    jobs = [{"replicas": 2, "template": {"spec": {"parallelism": 8, "completions": 4}}}, {"template": None}]
    notes = {f"{prefix}/exclusive-topology": "rack", f"{prefix}/node-selector": "true"}
    found = snapshot(
        thing("JobSet", "g", "jobset.x-k8s.io/v1alpha2", spec={"replicatedJobs": jobs}, meta={"annotations": notes})
    )

    assert found.gangs["jobset.x-k8s.io|default/g"].min_member == 2 * 4 + 1


def test_a_basic_group_of_kubernetes_runs_pod_by_pod() -> None:
    found = snapshot(group("scheduling.k8s.io/v1alpha2", schedulingPolicy={"basic": {}}))

    assert found.gangs == {}


def test_a_declared_group_keeps_its_creation_and_topology() -> None:
    constraints = {"topology": [{"key": "rack"}]}
    policy = {"gang": {"minCount": 2}}
    found = snapshot(group("scheduling.k8s.io/v1alpha2", schedulingPolicy=policy, schedulingConstraints=constraints))

    key = "scheduling.k8s.io|default/g"
    assert found.gangs == {key: GangSpec(key, 2, parse_rfc3339(AT), "rack")}


def test_a_declared_group_wins_over_the_size_that_its_pods_give() -> None:
    labels = {"pod-group.scheduling.sigs.k8s.io": "g", "pod-group.scheduling.sigs.k8s.io/min-available": "9"}
    found = snapshot(pod(labels=labels), group("scheduling.x-k8s.io/v1alpha1", minMember=4))

    assert found.gangs["scheduling.x-k8s.io|default/g"].min_member == 4


def test_of_several_sizes_the_largest_counts_and_the_group_is_as_old_as_its_oldest_pod() -> None:
    def member(name: str, size: str, at: str) -> Object:
        labels = {"gpu-autoscaler.dev/pod-group": "g", "gpu-autoscaler.dev/pod-group-size": size}
        return pod(name, labels=labels, creationTimestamp=at)

    found = snapshot(member("a", "2", "2026-06-01T11:00:00Z"), member("b", "3", "2026-06-01T10:00:00Z"))

    key = "gpu-autoscaler.dev|default/g"
    assert found.gangs == {key: GangSpec(key, 3, parse_rfc3339("2026-06-01T10:00:00Z"))}
