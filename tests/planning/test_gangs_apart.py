"""Pods of a gang that keep apart by host, and those beyond its minimum: one a node, whichever way they are served."""

from __future__ import annotations

from dataclasses import replace

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.memory import NO_MEMORY
from autoscaler.model.nodes import HOSTNAME, InstanceGroup
from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import PodAffinityTerm, PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.decide import decide
from autoscaler.planning.plan import Outcome
from autoscaler.planning.pools import ClusterRules, Policies
from tests.planning.checker import problems
from tests.strategies import NOW, pending_pod, pool

GANG = "scheduling.x-k8s.io|default/g"


def test_a_pod_beyond_the_minimum_keeps_off_the_node_bought_for_its_gang() -> None:
    term = PodAffinityTerm(HOSTNAME, LabelSelector((Requirement("app", "In", ("x",)),)))
    spec = PodSpec(requests=(("cpu", 500),), pod_anti_affinity=(term,))
    pods = [pending_pod(f"p{n}", spec, gang=GANG, labels=Labels({"app": "x"}), created=NOW - 9 + n) for n in range(2)]
    only = replace(pool("a", gpus=0), max_nodes=1)
    snapshot = Snapshot.of(pods=pods, groups=[InstanceGroup(g) for g in only.groups], gangs={GANG: GangSpec(GANG, 1)})
    policies = Policies.of(ClusterRules(mode="act"), [only])

    plan = decide(snapshot, policies, NO_MEMORY, NOW)

    assert problems(snapshot, policies, plan) == []
    assert {p.name: v.outcome for v in plan.pods for p in v.pods} == {"p0": Outcome.SCALE_UP, "p1": Outcome.WAITING}
