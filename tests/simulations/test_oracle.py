"""The oracle sees what it is there to see."""

import pytest

from autoscaler.model.nodes import Node
from autoscaler.model.pods import Owner, Pod, PodSpec
from autoscaler.model.resources import amounts
from autoscaler.planning.pools import ClusterRules, Policies, Pool, Template
from policies.schema_cluster import Budget
from simulations.machines import Machine
from simulations.oracle import SHOWN, Oracle

GPU = "nvidia.com/gpu"
TEMPLATE = Template("gpu", "gpu", accelerators=frozenset({GPU}), gpus=8, usd_per_hour=10.0)
RULES = ClusterRules(
    max_nodes=3, max_gpus=20, max_usd_per_hour=25.0, budgets=(Budget(reasons=("Idle",), atMost=2, per="1m"),)
)
POLICIES = Policies.of(RULES, [Pool("gpu", (TEMPLATE,), ("gpu",), max_nodes=2)])


def machine(name, *gpus):
    allocatable = amounts({GPU: 8, "pods": 3})
    made = Machine(name, name, "gpu", TEMPLATE, "z", 0.0, 0.0, 10.0, Node(name, allocatable=allocatable), booted=True)
    for i, count in enumerate(gpus):
        made.add_pod(pod(f"{name}-{i}", count), 0.0)
    return made


def pod(name, gpus=1, owner="Job"):
    return Pod("default", name, PodSpec(requests=amounts({GPU: gpus})), owner=Owner(owner, "o"), node="n")


@pytest.mark.parametrize(("gpus", "over"), [((8,), ""), ((4, 4), ""), ((4, 5), GPU), ((1, 1, 1, 1), "pods"), ((), "")])
def test_a_node_that_holds_more_than_it_has_is_seen(gpus, over):
    oracle = Oracle(POLICIES)
    oracle.capacity([machine("n", *gpus)], 7.0)
    assert oracle.violated == ([f"capacity: at 7 node n is over its {over}"] if over else [])
    assert oracle.checked == 1


@pytest.mark.parametrize(
    ("nodes", "broken"),
    [(2, []), (3, ["pool gpu has 3 of 2 nodes", "24 of 20 GPUs", "30.00 of 25.0 USD/h"]), (4, ["4 of 3 nodes"])],
)
def test_limits_that_are_passed_are_seen(nodes, broken):
    oracle = Oracle(POLICIES)
    oracle.limits([machine(f"n{i}") for i in range(nodes)], 7.0)
    assert all(any(words in told for told in oracle.violated) for words in broken)
    assert bool(broken) == bool(oracle.violated)


@pytest.mark.parametrize(("owner", "seen"), [("Job", True), ("ReplicaSet", True), ("DaemonSet", False)])
def test_a_removed_node_that_still_runs_work_is_seen(owner, seen):
    oracle = Oracle(POLICIES)
    oracle.removal(machine("n"), [pod("p", owner=owner)], "Idle", 7.0)
    assert bool(oracle.violated) is seen


@pytest.mark.parametrize(
    ("times", "broken"), [((0, 1, 60), 0), ((0, 1, 59), 1), ((0, 0, 60, 60, 120), 0), ((0, 0, 0, 0), 2), ((0,), 0)]
)
def test_removals_above_a_rate_are_seen(times, broken):
    oracle = Oracle(POLICIES)
    for at in times:
        oracle.removal(machine("n"), [], "Idle", float(at))
        oracle.removal(machine("n"), [], "Interrupted", float(at))
    oracle.budgets()
    assert len(oracle.violated) == broken


def test_only_the_first_violations_are_told_and_all_are_counted():
    oracle = Oracle(POLICIES)
    for i in range(SHOWN + 5):
        oracle.expect(False, "promise", str(i))
    assert (len(oracle.violated), oracle.broken, oracle.checked) == (SHOWN, SHOWN + 5, SHOWN + 5)
