"""Each drain rule as a table: a pod in a sentence, and what the rules say of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.objects import PodDisruptionBudget, Workload
from autoscaler.model.pods import Owner, Pod, PodSpec
from autoscaler.model.reasons import BlockCause, Code
from autoscaler.planning.drain_rules import RULES, answer_for, drain
from autoscaler.planning.drain_rules.rule import Surroundings
from autoscaler.planning.pools import ScaleDownRules

NOW = 1_000_000.0
GANG = "scheduling.x-k8s.io|default/g"
WEB = Labels({"app": "web"})


def pod(**changes: object) -> Pod:
    base = Pod(
        namespace="default",
        name="p",
        spec=PodSpec(requests=(("cpu", 1000),)),
        owner=Owner("ReplicaSet", "p"),
        node="n1",
        phase="Running",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def around(**changes: object) -> Surroundings:
    base = Surroundings(ScaleDownRules(), NOW, -10, {}, Counter(), {}, frozenset({GANG}))
    return replace(base, **changes)  # type: ignore[arg-type]


def budget(name: str, allowed: int) -> PodDisruptionBudget:
    selector = LabelSelector((Requirement("app", "In", ("web",)),))
    return PodDisruptionBudget("default", name, selector, allowed)


SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
VOLUMES = "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"

BLOCKING = [
    ("a bare pod", pod(owner=None), BlockCause.NOT_REPLICATED),
    ("a pod on local disk", pod(local_storage=("scratch",)), BlockCause.LOCAL_STORAGE),
    (
        "a pod of which one of two local volumes is declared safe",
        pod(local_storage=("a", "b"), annotations=Labels({VOLUMES: "a"})),
        BlockCause.LOCAL_STORAGE,
    ),
    ("safe-to-evict false", pod(annotations=Labels({SAFE: "false"})), BlockCause.SAFE_TO_EVICT_FALSE),
    (
        "Karpenter's do-not-disrupt",
        pod(annotations=Labels({"karpenter.sh/do-not-disrupt": "true"})),
        BlockCause.DO_NOT_DISRUPT,
    ),
    (
        "our own do-not-disrupt",
        pod(annotations=Labels({"gpu-autoscaler.dev/do-not-disrupt": "true"})),
        BlockCause.DO_NOT_DISRUPT,
    ),
    (
        "do-not-disrupt beside safe-to-evict true: the stricter word wins",
        pod(annotations=Labels({"karpenter.sh/do-not-disrupt": "true", SAFE: "true"})),
        BlockCause.DO_NOT_DISRUPT,
    ),
    ("a Job's pod", pod(owner=Owner("Job", "train")), BlockCause.JOB),
    ("a member of a declared gang", pod(gang=GANG), BlockCause.GANG),
    ("an unknown controller", pod(owner=Owner("Notebook", "n")), BlockCause.CUSTOM_CONTROLLER),
    ("a pod in its grace period", pod(deleted_at=NOW + 20), BlockCause.POD_TERMINATING),
    ("a pod just past its grace period", pod(deleted_at=NOW - 30), BlockCause.POD_TERMINATING),
]

MOVING = [
    ("a Deployment's pod", pod()),
    ("a StatefulSet's pod", pod(owner=Owner("StatefulSet", "db"))),
    ("a bare pod that may be evicted", pod(owner=None, annotations=Labels({SAFE: "true"}))),
    ("a Job's pod that may be evicted", pod(owner=Owner("Job", "j"), annotations=Labels({SAFE: "true"}))),
    ("local volumes all declared safe", pod(local_storage=("a",), annotations=Labels({VOLUMES: " a , b"}))),
    ("do-not-disrupt false", pod(annotations=Labels({"karpenter.sh/do-not-disrupt": "false"}))),
    ("a member of a group that nothing declares", pod(gang="scheduling.x-k8s.io|default/other")),
    ("a system pod of a pool that moves them", pod(namespace="kube-system")),
]

LEFT_BEHIND = [
    ("a DaemonSet's pod", pod(owner=Owner("DaemonSet", "dcgm"))),
    ("a mirror pod", pod(owner=Owner("Node", "n1"), mirror=True)),
    ("a finished Job's pod", pod(owner=Owner("Job", "j"), phase="Succeeded")),
    ("a failed bare pod", pod(owner=None, phase="Failed")),
    ("a pod below the priority cutoff", pod(owner=None, spec=PodSpec(priority=-11))),
    ("a pod stuck in deletion for long", pod(deleted_at=NOW - 3600)),
]


@pytest.mark.parametrize(("sentence", "given", "cause"), BLOCKING, ids=[row[0] for row in BLOCKING])
def test_a_pod_that_must_stay_keeps_its_node_with_its_cause(sentence: str, given: Pod, cause: BlockCause) -> None:
    assert answer_for(given, around()).block is cause, sentence


@pytest.mark.parametrize(("sentence", "given"), MOVING, ids=[row[0] for row in MOVING])
def test_a_pod_that_may_move_needs_another_place(sentence: str, given: Pod) -> None:
    answer = answer_for(given, around())

    assert (answer.block, answer.moves) == (None, True), sentence


@pytest.mark.parametrize(("sentence", "given"), LEFT_BEHIND, ids=[row[0] for row in LEFT_BEHIND])
def test_a_pod_that_ends_with_its_node_needs_no_place(sentence: str, given: Pod) -> None:
    answer = answer_for(given, around())

    assert (answer.block, answer.moves) == (None, False), sentence


def test_without_job_protection_jobs_and_gangs_move() -> None:
    rules = ScaleDownRules(protect_jobs=False)

    assert answer_for(pod(owner=Owner("Job", "j")), around(rules=rules)).moves
    assert answer_for(pod(gang=GANG), around(rules=rules)).moves


def test_system_pods_block_where_the_pool_says_so() -> None:
    rules = ScaleDownRules(system_pods="block")

    assert answer_for(pod(namespace="kube-system"), around(rules=rules)).block is BlockCause.SYSTEM_POD


def test_an_annotation_on_the_owner_or_its_owner_is_honored() -> None:
    workloads = {
        ("ReplicaSet", "default", "p"): Workload(
            "ReplicaSet", "default", "p", owner_kind="Deployment", owner_name="web"
        ),
        ("Deployment", "default", "web"): Workload("Deployment", "default", "web", annotations=Labels({SAFE: "false"})),
    }

    assert answer_for(pod(), around(workloads=workloads)).block is BlockCause.SAFE_TO_EVICT_FALSE


@pytest.mark.parametrize(
    ("budgets", "cause"),
    [
        ((budget("b", 0),), BlockCause.PDB_EXHAUSTED),
        ((budget("b", -1),), BlockCause.PDB_EXHAUSTED),
        ((budget("b", 1),), None),
        ((budget("a", 5), budget("b", 5)), BlockCause.PDB_OVERLAP),
        ((PodDisruptionBudget("default", "nil selector", None, 0),), None),
    ],
)
def test_disruption_budgets(budgets: tuple[PodDisruptionBudget, ...], cause: BlockCause | None) -> None:
    assert answer_for(pod(labels=WEB), around(budgets={"default": budgets})).block is cause


def test_safe_to_evict_does_not_override_a_disruption_budget() -> None:
    given = pod(labels=WEB, annotations=Labels({SAFE: "true"}))

    assert answer_for(given, around(budgets={"default": (budget("b", 0),)})).block is BlockCause.PDB_EXHAUSTED


def test_a_budget_of_another_namespace_does_not_count() -> None:
    given = pod(labels=WEB, namespace="other")

    assert answer_for(given, around(budgets={"default": (budget("b", 0),)})).block is None


def test_pods_of_one_node_use_up_a_budget_together() -> None:
    pods = [pod(name="a", labels=WEB), pod(name="b", labels=WEB)]

    one = drain(pods, around(budgets={"default": (budget("b", 1),)}))
    two = drain(pods, around(budgets={"default": (budget("b", 2),)}))

    assert one.blocked is not None
    assert one.blocked.code is Code.BLOCKED_BY_POD
    assert one.blocked.param("pod") == "default/b"
    assert [p.name for p in two.moving] == ["a", "b"]
    assert two.evictions == {("default", "b"): 2}


def test_every_cause_has_a_rule_that_gives_it() -> None:
    given = {row[2] for row in BLOCKING}

    assert given | {BlockCause.SYSTEM_POD, BlockCause.PDB_EXHAUSTED, BlockCause.PDB_OVERLAP} == set(BlockCause)
    assert len(RULES) == 13
