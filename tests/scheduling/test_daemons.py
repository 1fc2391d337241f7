"""What DaemonSets will use of a node before they are there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.nodes import ZONE, Taint
from autoscaler.model.objects import DaemonSet
from autoscaler.model.pods import PodSpec, Toleration
from autoscaler.model.resources import Amounts, amounts
from autoscaler.scheduling.daemons import daemon_load, missing_daemons
from autoscaler.scheduling.rows import Row
from tests.scheduling.worlds import GI, GPU, bound, daemon, pod, row, term

ONE = amounts({"cpu": 1000, "pods": 1})


def agent(name: str = "agent", namespace: str = "kube-system", **spec: object) -> DaemonSet:
    return DaemonSet(namespace, name, PodSpec(**{"requests": amounts({"cpu": 1000}), **spec}))  # type: ignore[arg-type]


def tainted(*keys: str, effect: str = "NoSchedule") -> Row:
    return row("new/g/1", taints=tuple(Taint(key, "", effect) for key in keys))


CASES: dict[str, tuple[DaemonSet, Row, Amounts]] = {
    "a DaemonSet for all nodes takes its requests and one pod": (agent(), row(), ONE),
    "one without requests takes a pod's place": (agent(requests=()), row(), amounts({"pods": 1})),
    "a taint that it does not tolerate keeps it away": (agent(), tainted("gpu"), ()),
    "a taint that it tolerates does not": (agent(tolerations=(Toleration("gpu", "Exists"),)), tainted("gpu"), ONE),
    "a nodeSelector on labels that the node has": (agent(node_selector=((ZONE, "a"),)), row(), ONE),
    "a nodeSelector on labels that it does not have": (agent(node_selector=(("gpu", "yes"),)), row(), ()),
    "a required affinity that the node meets": (agent(node_affinity=(term((ZONE, "In", ("a", "b"))),)), row(), ONE),
    "a required affinity that it does not meet": (agent(node_affinity=(term(("gpu", "Exists", ())),)), row(), ()),
    "a DaemonSet for one node by name": (
        agent(node_affinity=(NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n7",)),)),)),
        row("n1"),
        (),
    ),
    "one that asks for a GPU on a node without": (agent(requests=((GPU, 1),)), row(offers={GPU: 0}), ()),
    "one that asks for more than the node has": (agent(requests=(("memory", 8 * GI),)), row(offers={"memory": GI}), ()),
    "one that asks for a GPU on a node with GPUs": (
        agent(requests=((GPU, 1),)),
        row(),
        amounts({GPU: 1, "pods": 1}),
    ),
    "pressure and cordon are tolerated by all": (
        agent(),
        tainted(
            *(
                f"node.kubernetes.io/{what}"
                for what in ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
            )
        ),
        ONE,
    ),
    "so are nodes that are not ready or cannot be reached": (
        agent(),
        tainted("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", effect="NoExecute"),
        ONE,
    ),
    "taints that go once the node has started keep nobody away": (
        agent(),
        tainted("node.kubernetes.io/network-unavailable", "node.cloudprovider.kubernetes.io/uninitialized"),
        ONE,
    ),
}


@pytest.mark.parametrize(("daemon_set", "node", "expected"), CASES.values(), ids=CASES)
def test_what_one_daemon_set_takes_of_a_new_node(daemon_set: DaemonSet, node: Row, expected: Amounts) -> None:
    assert daemon_load([daemon_set], node) == expected


def test_the_loads_of_all_that_run_there_add_up() -> None:
    sets = [
        agent("a"),
        agent("b", requests=amounts({"cpu": 500, "memory": GI})),
        agent("c", node_selector=(("x", "y"),)),
    ]

    assert daemon_load(sets, row(offers={"memory": 8 * GI})) == amounts({"cpu": 1500, "memory": GI, "pods": 2})


def test_those_that_have_landed_are_not_missing() -> None:
    sets = [agent("a"), agent("b"), agent("a", "other")]
    there = bound(pod("a-xyz", "kube-system", owner=daemon("a")), "n1")

    assert missing_daemons(sets, row("n1", pods=(there,))) == amounts({"cpu": 2000, "pods": 2})
    assert missing_daemons(sets, row("n1")) == daemon_load(sets, row("n1"))


def test_a_daemon_pod_that_has_failed_will_be_made_again() -> None:
    failed = replace(pod("a-xyz", "kube-system", owner=daemon("a"), node="n1"), phase="Failed")

    assert missing_daemons([agent("a")], row("n1", pods=(failed,))) == ONE
