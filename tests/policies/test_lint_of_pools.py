"""Lint, between pools: groups, zones, fallbacks, weights, and the limits over all pools."""

from __future__ import annotations

import pytest

from tests.policies.files import cluster, linted, pool

SPOT = "  capacityType: spot\n"


def test_a_pool_that_is_well_says_nothing() -> None:
    assert linted(pool()) == []
    assert linted(cluster("  mode: act\n") + pool()) == []


def group(text: str, **more: str) -> str:
    return pool(groups=f"[{text}]", **more)


P5 = "{instanceType: p5.48xlarge, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}"
TWO_POOLS = pool(name="a", groups="[{simulated: {group: g}, zone: z}]") + "---\n"
GROUPS = [
    (
        group("{simulated: {group: g}, zone: z}, {simulated: {group: g}, zone: z}"),
        [
            "error: 5:46: spec.groups[1]: group g belongs to this pool already, and a group delivers nodes of "
            "one pool; "
            "remove one"
        ],
    ),
    (
        TWO_POOLS + pool(name="b", groups="[{simulated: {group: g}, zone: y}]"),
        [
            "error: 14:12: spec.groups[0]: group g belongs to pool a already, and a group delivers nodes of one pool; "
            "remove one"
        ],
    ),
    (
        TWO_POOLS + pool(name="b", groups="[{aws: {autoScalingGroup: g, region: us-east-1}, zone: us-east-1a}]"),
        [
            "error: 14:12: spec.groups[0]: pool a has another group g, and groups are told apart by name alone; "
            "rename one"
        ],
    ),
    (
        group(
            "{aws: {autoScalingGroup: g, region: us-east-1}, zone: us-east-1a}, "
            "{aws: {autoScalingGroup: g, region: us-west-2}, zone: us-west-2a}"
        ),
        [
            "error: 5:79: spec.groups[1]: this pool has another group g, and groups are told apart by name alone; "
            "rename one"
        ],
    ),
    (
        group("{simulated: {group: g}}"),
        [
            "warning: 5:12: spec.groups[0]: has no zone, which pods and volumes ask for; "
            "give zone, or zones if it spans several"
        ],
    ),
    (group("{simulated: {group: g}, zones: [y, z]}"), []),
    (group("{aws: {autoScalingGroup: g, region: us-east-1}, zones: [us-east-1a, us-east-1b]}"), []),
    (
        group("{aws: {autoScalingGroup: g, region: us-east-1}, zone: us-west-2a}"),
        [
            "warning: 5:12: spec.groups[0]: zone us-west-2a does not look like one of region us-east-1; "
            "correct one of them"
        ],
    ),
    (group("{gcp: {instanceGroupManager: g, project: p, location: us-central1-c}, zone: us-central1-c}"), []),
    (
        group(
            "{gcp: {instanceGroupManager: g, project: p, location: us-central1}, zones: [us-central1-a, us-central1-c]}"
        ),
        [],
    ),
    (
        group("{gcp: {instanceGroupManager: g, project: p, location: us-central1-c}}"),
        ["warning: 5:12: spec.groups[0]: has no zone, which pods and volumes ask for; write zone: us-central1-c"],
    ),
    (
        group("{gcp: {instanceGroupManager: g, project: p, location: us-central1-c}, zone: us-central1-a}"),
        ["error: 5:12: spec.groups[0]: the group is in us-central1-c alone; write zone: us-central1-c"],
    ),
    (
        group("{gcp: {instanceGroupManager: g, project: p, location: us-central1}, zone: us-central2-a}"),
        [
            "warning: 5:12: spec.groups[0]: zone us-central2-a does not look like one of region us-central1; "
            "correct one of them"
        ],
    ),
    (
        group(
            "{gcp: {instanceGroupManager: g, project: p, location: us-central1-c}, zone: us-central1-c}", template=P5
        ),
        ["error: 5:12: spec.groups[0]: is a group of gcp, and p5.48xlarge is a machine of aws; correct one of them"],
    ),
    (group("{kubernetes: {apiVersion: x/v1, kind: MachineDeployment, name: g}, zone: z}", template=P5), []),
]


@pytest.mark.parametrize(("text", "told"), GROUPS)
def test_groups_belong_to_one_pool_and_say_where_they_are(text: str, told: list[str]) -> None:
    assert linted(text) == told


def spot(name: str, fallback: str = "", more: str = "") -> str:
    keys = ", ".join(part for part in (f"fallback: [{fallback}]" if fallback else "", more) if part)
    return pool(f"{SPOT}  spot: {{{keys}}}\n", name=name)


OD = "---\n" + pool(name="od")
FALLBACKS = [
    (spot("a", "od", "onDemandBase: 2, maxShare: 80%") + OD, []),
    (spot("a"), []),
    (spot("a", "b") + "---\n" + spot("b", "od") + OD, []),
    (spot("a", "a"), ["error: 10:21: spec.spot.fallback[0]: a pool cannot fall back to itself; name another pool"]),
    (spot("a", "odd") + OD, ["error: 10:21: spec.spot.fallback[0]: there is no pool odd; did you mean od?"]),
    (spot("a", "xyz") + OD, ["error: 10:21: spec.spot.fallback[0]: there is no pool xyz; add it, or remove the name"]),
    (spot("a", "od, od") + OD, ["error: 10:25: spec.spot.fallback[1]: od is given twice; keep one"]),
    (
        spot("b", "a") + "---\n" + spot("a", "b"),
        ["error: 21:21: spec.spot.fallback[0]: fallbacks form a cycle: a -> b -> a; cut it"],
    ),
    (
        spot("a", "b") + "---\n" + spot("b", "c") + "---\n" + spot("c", "a") + "---\n" + spot("d", "a"),
        ["error: 10:21: spec.spot.fallback[0]: fallbacks form a cycle: a -> b -> c -> a; cut it"],
    ),
    (
        pool("  spot: {fallback: [od]}\n") + OD,
        ["error: 9:3: spec.spot: is for spot pools, and this one is on-demand; remove it, or set capacityType"],
    ),
    (
        pool("  capacityType: reserved\n  spot: {}\n"),
        ["error: 10:3: spec.spot: is for spot pools, and this one is reserved; remove it, or set capacityType"],
    ),
    (
        spot("a", more="onDemandBase: 2, maxShare: 80%"),
        [
            "error: 10:10: spec.spot.onDemandBase: has no effect without fallback; name the on-demand pools there",
            "error: 10:27: spec.spot.maxShare: has no effect without fallback; name the on-demand pools there",
        ],
    ),
    (spot("a", more="onDemandBase: 0, maxShare: 100%"), []),
    (
        spot("a", "od", "returnAfter: 1h") + OD,
        [
            "warning: 10:26: spec.spot.returnAfter: is read, and has no effect yet: "
            "spot is tried first whenever nodes are bought"
        ],
    ),
]


@pytest.mark.parametrize(("text", "told"), FALLBACKS)
def test_fallbacks_exist_and_lead_nowhere_back(text: str, told: list[str]) -> None:
    assert linted(text) == told


def many(count: int, price: str = "1", gpus: int = 0) -> str:
    template = f"{{resources: {{cpu: 8, nvidia.com/gpu: {gpus}}}, taints: [{{key: a, effect: NoSchedule}}]}}"
    return pool(limits=f"{{minNodes: {count}, maxNodes: 99}}", price=f"{{usdPerHour: {price}}}", template=template)


MINIMUMS = [
    (cluster("  limits: {nodes: 9}\n") + many(9), []),
    (
        cluster("  limits: {nodes: 9}\n") + many(10),
        [
            "error: 5:12: spec.limits.nodes: the minimums of the pools need 10, and the limit is 9; "
            "raise it or lower minNodes"
        ],
    ),
    (
        cluster("  limits: {gpus: 16}\n") + many(3, gpus=8),
        [
            "error: 5:12: spec.limits.gpus: the minimums of the pools need 24, and the limit is 16; "
            "raise it or lower minNodes"
        ],
    ),
    (
        cluster("  limits: {usdPerHour: 10.5}\n") + many(3, price="4"),
        [
            "error: 5:12: spec.limits.usdPerHour: the minimums of the pools need 12, and the limit is 10.5; "
            "raise it or lower minNodes"
        ],
    ),
    (
        many(3, price="4000"),
        [
            "error: 7:12: spec.limits.minNodes: the minimums of the pools need 12000, and the limit is 5000; "
            "raise it or lower minNodes (limits.usdPerHour of an AutoscalerPolicy)"
        ],
    ),
    (
        cluster("  limits: {gpus: 4}\n") + many(0, gpus=8),
        [
            "warning: 13:25: spec.limits.maxNodes: one node has 8 GPUs, and the limit of all pools is 4; "
            "raise limits.gpus of the AutoscalerPolicy"
        ],
    ),
    (
        cluster("  limits: {usdPerHour: 3}\n") + many(0, price="4"),
        [
            "warning: 13:25: spec.limits.maxNodes: one node costs 4, the limit is 3; "
            "raise limits.usdPerHour of the AutoscalerPolicy"
        ],
    ),
    (
        cluster("  limits: {nodes: 0}\n") + many(0),
        [
            "warning: 13:25: spec.limits.maxNodes: the limit of all pools is 0 nodes; "
            "raise limits.nodes of the AutoscalerPolicy"
        ],
    ),
]


@pytest.mark.parametrize(("text", "told"), MINIMUMS)
def test_minimums_and_single_nodes_fit_the_limits_over_all_pools(text: str, told: list[str]) -> None:
    assert linted(text) == told


def test_a_pool_without_weight_among_pools_with_one_is_told() -> None:
    weighed, other = pool("  weight: 5\n", name="a"), pool(name="b")

    assert linted(other) == linted(weighed) == []
    assert linted(weighed + "---\n" + pool("  weight: 0\n", name="b")) == []
    assert linted(weighed + "---\n" + other) == [
        "warning: 14:1: spec.weight: other pools have a weight and this has none: it counts as 0, "
        "and comes after them; set it"
    ]


CLUSTERS = [
    ("  acceleratorResources: [example.com/gpu]\n", []),
    (
        "  acceleratorResources: [example.com/*]\n",
        [
            "error: 5:26: spec.acceleratorResources[0]: example.com/* is no extended resource; "
            "patterns are not understood; write each name, such as example.com/gpu"
        ],
    ),
    (
        "  acceleratorResources: [gpu]\n",
        [
            "error: 5:26: spec.acceleratorResources[0]: gpu is no extended resource; "
            "write domain/name, such as example.com/gpu"
        ],
    ),
    (
        "  acceleratorResources: [Example.com/gpu]\n",
        [
            "error: 5:26: spec.acceleratorResources[0]: Example.com/gpu is no extended resource; "
            "write domain/name, such as example.com/gpu"
        ],
    ),
    ("  pods: {ignoreOwnerKinds: [DaemonSet, RayCluster]}\n", []),
    (
        "  pods: {ignoreOwnerKinds: [daemonset, Daemonset]}\n",
        [
            "error: 5:29: spec.pods.ignoreOwnerKinds[0]: daemonset is no kind; did you mean DaemonSet?",
            "error: 5:40: spec.pods.ignoreOwnerKinds[1]: Daemonset is no kind; did you mean DaemonSet?",
        ],
    ),
    (
        "  pods: {ignoreOwnerKinds: [rayCluster]}\n",
        ["error: 5:29: spec.pods.ignoreOwnerKinds[0]: rayCluster is no kind; kinds begin with a capital"],
    ),
    (
        "  pods: {ignoreLabels: {-a: b, c: d/e}}\n",
        [
            "error: 5:25: spec.pods.ignoreLabels.-a: is no label key; write name or domain/name",
            "error: 5:32: spec.pods.ignoreLabels.c: 'd/e' is no label value; a pod cannot have it",
        ],
    ),
    (
        "  disruption: {budgets: [{reasons: [Idle, Underutilized, CheaperReplacement, Expired, Idle]}]}\n",
        ["error: 5:87: spec.disruption.budgets[0].reasons[4]: Idle is given twice; keep one"],
    ),
    (
        "  disruption: {budgets: []}\n",
        [
            "warning: 5:16: spec.disruption.budgets: nothing limits removals for Idle and Underutilized and "
            "CheaperReplacement and Expired; add a budget without schedule that names them"
        ],
    ),
    (
        '  disruption: {budgets: [{reasons: [Idle], schedule: "0 8 * * *", duration: 1h}, '
        "{reasons: [Underutilized, CheaperReplacement, Expired]}]}\n",
        [
            "warning: 5:16: spec.disruption.budgets: nothing limits removals for Idle; "
            "add a budget without schedule that names them"
        ],
    ),
]


@pytest.mark.parametrize(("spec", "told"), CLUSTERS)
def test_the_autoscaler_policy_is_looked_at_too(spec: str, told: list[str]) -> None:
    assert linted(cluster(spec) + pool()) == told


def test_errors_come_before_warnings_and_each_in_the_order_of_the_file() -> None:
    text = spot("b", "b") + "---\n" + group("{simulated: {group: g}}, {simulated: {group: g}}")
    found = [line.split(": spec")[0] for line in linted(text)]

    assert found == ["error: 10:21", "error: 16:37", "warning: 16:12"]
