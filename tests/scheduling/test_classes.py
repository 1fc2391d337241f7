"""Which pods are one class."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autoscaler.model.labels import NodeSelectorTerm, Requirement
from autoscaler.model.nodes import HOSTNAME
from autoscaler.model.pods import Pod, PodAffinityTerm, SpreadConstraint
from autoscaler.model.resources import Axis
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet
from tests.scheduling.worlds import GPU, bound, daemon, fleet_of, pod, row, selects

EMPTY = Snapshot()
READS_APP = pod("reader", pod_affinity=(PodAffinityTerm("zone", selects(app="x")),))
READS_REV = pod("reader", spread=(SpreadConstraint("zone", selector=selects(), match_label_keys=("rev",)),))


def number_of_classes(*pods: Pod) -> int:
    table = ClassTable(EMPTY, pods)
    return len({table.class_of(p) for p in pods})


PAIRS = {
    "equal pods": ((pod("a"), pod("b")), 1),
    "other requests": ((pod("a"), pod("b", asks={"cpu": 1})), 2),
    "another priority": ((pod("a"), pod("b", priority=5)), 2),
    "labels that nobody reads": ((pod("a", labels={"app": "x"}), pod("b", labels={"app": "y"})), 1),
    "labels that somebody reads": ((pod("a", labels={"app": "x"}), pod("b", labels={"app": "y"}), READS_APP), 3),
    "labels that nobody reads beside those that somebody does": (
        (pod("a", labels={"app": "x", "hash": "1"}), pod("b", labels={"app": "x", "hash": "2"}), READS_APP),
        2,
    ),
    "labels that matchLabelKeys read": ((pod("a", labels={"rev": "1"}), pod("b", labels={"rev": "2"}), READS_REV), 3),
    "other namespaces": ((pod("a"), pod("b", "team")), 1),
    "other namespaces where pods select pods": ((pod("a"), pod("b", "team"), READS_APP), 3),
    "volumes of the same name in other namespaces": ((pod("a", volumes=("v",)), pod("b", "team", volumes=("v",))), 2),
    "a pending pod and a bound one": ((pod("a"), bound(pod("b"), "n1")), 1),
}


@pytest.mark.parametrize(("pods", "expected"), PAIRS.values(), ids=PAIRS)
def test_which_pods_are_one_class(pods: tuple[Pod, ...], expected: int) -> None:
    assert number_of_classes(*pods) == expected


def test_daemons_on_a_thousand_nodes_are_one_class() -> None:
    def pinned(to: str) -> Pod:
        terms = (NodeSelectorTerm((), (Requirement("metadata.name", "In", (to,)),)),)
        return bound(pod(f"agent-{to}", owner=daemon("agent"), node_affinity=terms, asks={"cpu": 100}), to)

    assert number_of_classes(*(pinned(f"n{n}") for n in range(1000))) == 1
    # One that is still pending is for its own node alone.
    waiting = replace(pinned("n2"), node="")
    fleet = fleet_of(EMPTY, [row("n1"), row("n2")], [pinned("n1"), waiting])
    assert fleet.fill(fleet.table.class_of(waiting), 2) == [(1, 2)]


def test_a_copy_of_a_pod_is_of_its_class() -> None:
    table = ClassTable(EMPTY, [pod("a", labels={"app": "x"}), READS_APP])

    assert table.class_of(pod("b", labels={"app": "x"})) == table.class_of(pod("a", labels={"app": "x"}))


def test_a_pod_unlike_all_others_is_of_no_class() -> None:
    with pytest.raises(LookupError, match="default/stranger is of no class"):
        ClassTable(EMPTY, [pod("a")]).class_of(pod("stranger", asks={"cpu": 1}))


def test_a_class_asks_for_what_one_pod_asks_for_and_one_place() -> None:
    table = ClassTable(EMPTY, [pod(asks={"cpu": 500, GPU: 2})])
    axis = Axis.of([GPU, "memory"])

    assert table.classes[0].vector(axis).tolist() == [500, 0, 1, 2]
    assert table.classes[0].needs(axis) == ((0, 500), (2, 1), (3, 2))


def test_a_resource_that_the_axis_lacks_is_refused() -> None:
    item = pod(asks={GPU: 1})
    table = ClassTable(EMPTY, [item])

    with pytest.raises(ValueError, match=r"nvidia\.com/gpu, which the axis lacks"):
        Fleet(EMPTY, table, Axis.of([]))


def test_empty_nodes_of_one_kind_are_told_apart_by_name_where_a_pod_asks_for_it() -> None:
    item = pod(node_selector=((HOSTNAME, "n2"),))
    fleet = fleet_of(EMPTY, [], [item])

    assert [fleet.why_not_empty(0, row(name)) is None for name in ("n1", "n2", "n1")] == [False, True, False]


def test_pods_pinned_to_nodes_are_told_where_they_fit_among_many() -> None:
    rows = [row(f"n{n}") for n in range(200)]
    hosts = pod("hosts", node_selector=((HOSTNAME, "n150"),))
    names = pod("names", node_name="n160")
    away = pod("away", node_affinity=(NodeSelectorTerm((Requirement(HOSTNAME, "NotIn", ("n0",)),)),))
    fleet = fleet_of(EMPTY, rows, [hosts, names, away])

    assert fleet.fill(fleet.table.class_of(hosts), 1) == [(150, 1)]
    assert fleet.fill(fleet.table.class_of(names), 1) == [(160, 1)]
    assert fleet.fill(fleet.table.class_of(away), 1) == [(1, 1)]
    token = fleet.mark()
    added = fleet.add(row("n150"))
    assert fleet.static_mask(fleet.table.class_of(hosts)).nonzero()[0].tolist() == [150, added]
    fleet.rollback(token)
    assert fleet.static_mask(fleet.table.class_of(hosts)).nonzero()[0].tolist() == [150]
