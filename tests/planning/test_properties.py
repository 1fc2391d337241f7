"""What holds for every plan, over random clusters: checked by an independent checker that places the pods again."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autoscaler.model.memory import NO_MEMORY, Memory, Removal
from autoscaler.model.nodes import Instance, InstanceGroup, InstanceState
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.decide import decide
from autoscaler.planning.plan import Outcome, Plan
from autoscaler.planning.pools import Policies
from autoscaler.reporting.documents import plan_document
from tests.planning.checker import problems
from tests.strategies import NOW, World, pools, ready_node, worlds

PROFILE = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
SERVED = (Outcome.FITS, Outcome.COMING, Outcome.SCALE_UP)


def again(snapshot: Snapshot) -> Snapshot:
    """The same snapshot without what was derived from it."""
    return replace(snapshot, derived={})


@PROFILE
@given(worlds(max_pods=40))
def test_a_plan_passes_the_independent_check(world: World) -> None:
    plan = decide(world.snapshot, world.policies, NO_MEMORY, NOW)

    assert problems(world.snapshot, world.policies, plan) == []


@PROFILE
@given(worlds(), st.integers(0, 2**32))
def test_the_order_of_the_input_changes_nothing(world: World, seed: int) -> None:
    rng = random.Random(seed)
    nodes, pods = list(world.snapshot.nodes), list(world.snapshot.pods)
    found = list(world.policies.pools)
    rng.shuffle(nodes)
    rng.shuffle(pods)
    rng.shuffle(found)
    groups = dict(rng.sample(sorted((world.snapshot.groups or {}).items()), len(world.snapshot.groups or {})))
    shuffled = Snapshot.of(nodes, pods, groups=groups, gangs=world.snapshot.gangs)

    one = decide(again(world.snapshot), world.policies, NO_MEMORY, NOW)
    two = decide(shuffled, Policies.of(world.policies.cluster, found), NO_MEMORY, NOW)

    assert plan_document(one) == plan_document(two)


@PROFILE
@given(worlds(simple=True), pools())
def test_another_pool_never_makes_a_servable_pod_unservable(world: World, extra: object) -> None:
    # Limits over all pools are lifted: a dearer pool may be chosen for its weight and use them up.
    rules = replace(world.policies.cluster, max_nodes=10**6, max_gpus=10**6, max_usd_per_hour=1e9)
    before = Policies.of(rules, [replace(p, weight=0) for p in world.policies.pools])
    more = replace(extra, name="zz-extra", weight=0, min_nodes=0)  # type: ignore[type-var]
    templates = tuple(replace(t, pool="zz-extra", group=f"zz-extra-{t.zone}") for t in more.templates)
    more = replace(more, templates=templates, groups=tuple(t.group for t in templates), max_nodes=100)
    groups = {**(world.snapshot.groups or {}), **{t.group: InstanceGroup(t.group) for t in templates}}

    one = decide(again(world.snapshot), before, NO_MEMORY, NOW)
    snapshot = replace(world.snapshot, groups=groups, derived={})
    two = decide(snapshot, Policies.of(rules, [*before.pools, more]), NO_MEMORY, NOW)

    lost = _served(one) - _served(two)
    assert len(_served(two)) >= len(_served(one)), lost


def _served(plan: Plan) -> set[str]:
    return {p.key for v in plan.pods if v.outcome in SERVED for p in v.pods}


@PROFILE
@given(worlds())
def test_a_plan_that_is_carried_out_leads_to_an_empty_one(world: World) -> None:
    policies = _patient(world.policies)
    plan = decide(world.snapshot, policies, NO_MEMORY, NOW)
    after = carried_out(world.snapshot, policies, plan)

    second = decide(after, policies, NO_MEMORY, NOW)

    assert [(u.group, u.count) for u in second.scale_up] == []
    assert second.terminate == ()


def _patient(policies: Policies) -> Policies:
    """No removals: what a removal frees or costs is another decision."""
    found = [replace(p, scale_down=replace(p.scale_down, enabled=False)) for p in policies.pools]
    return Policies.of(policies.cluster, found)


def carried_out(snapshot: Snapshot, policies: Policies, plan: Plan) -> Snapshot:
    """The cluster once the planned nodes are ready and the scheduler has bound what the plan says."""
    templates = {(t.group, t.layout): t for p in policies.pools for t in p.templates}
    groups = dict(snapshot.groups or {})
    nodes = list(snapshot.nodes)
    names: dict[str, str] = {}
    for order in plan.scale_up:
        template = templates[(order.group, order.layout)]
        added = []
        for planned in order.nodes:
            name = planned.replace("/", "-")
            names[planned] = name
            nodes.append(ready_node(name, template, age_s=0.0))
            added.append(Instance(f"i-{name}", InstanceState.RUNNING, NOW, template.zone))
        group = groups[order.group]
        groups[order.group] = replace(group, desired=order.size_to, instances=(*group.instances, *added))
    where = {
        p.key: names.get(node, node)
        for v in plan.pods
        if v.outcome in SERVED
        for p, node in zip(v.pods, v.nodes, strict=True)
    }
    pods = [
        replace(p, node=where[p.key], phase="Running", marked_unschedulable=False) if where.get(p.key) else p
        for p in snapshot.pods
    ]
    return Snapshot.of(nodes, pods, groups=groups, gangs=snapshot.gangs)


@PROFILE
@given(worlds(), st.lists(st.floats(0, 120), max_size=12))
def test_removals_stay_within_the_budgets(world: World, ages: list[float]) -> None:
    from policies.loading import loads

    text = "\n".join(
        (
            "apiVersion: gpu-autoscaler.dev/v1alpha1",
            "kind: AutoscalerPolicy",
            "metadata: {name: default}",
            "spec: {disruption: {budgets: [{reasons: [Idle, Underutilized], nodes: '100%', atMost: 3, per: 1m}]}}",
            "---",
            "apiVersion: gpu-autoscaler.dev/v1alpha1",
            "kind: NodePool",
            "metadata: {name: p}",
            "spec: {groups: [{simulated: {group: p}}], template: {resources: {cpu: '1'}}, limits: {maxNodes: 1}}",
        )
    )
    budgets = tuple(loads(text, "policy.yaml").cluster.disruption.budgets)
    policies = Policies.of(replace(world.policies.cluster, budgets=budgets), world.policies.pools)
    memory = Memory(removals=tuple(Removal(NOW - age, "p", "Idle") for age in ages))

    plan = decide(world.snapshot, policies, memory, NOW)

    recent = sum(1 for age in ages if age < 60)
    assert len(plan.scale_down) <= max(0, 3 - recent)


@PROFILE
@given(worlds())
def test_an_incomplete_view_removes_nothing(world: World) -> None:
    plan = decide(replace(world.snapshot, complete=False), world.policies, NO_MEMORY, NOW)

    assert plan.scale_down == ()
    assert plan.terminate == ()


@PROFILE
@given(worlds())
def test_a_node_with_a_running_pod_is_removed_only_if_the_pod_has_a_place(world: World) -> None:
    plan = decide(world.snapshot, world.policies, NO_MEMORY, NOW)

    for order in plan.scale_down:
        on_it = [p for p in world.snapshot.pods_by_node.get(order.node, ()) if not p.is_daemon]
        assert {p.key for p in on_it} == {p.key for p in order.pods}
        assert all(p.owner is not None and p.owner.kind != "Job" for p in on_it)
