"""What the working set promises: where pods go, what is left, and the way back."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.nodes import ZONE, Taint
from autoscaler.model.pods import Pod
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.capacity import FEW_ROWS
from autoscaler.scheduling.fleet import Fleet
from tests.scheduling.worlds import GPU, bound, fleet_of, pod, row, worlds

EMPTY = Snapshot()
ONE_GPU = pod("gpu", asks={GPU: 1, "cpu": 500})


def fleet_with(rows: int, *pods: Pod) -> Fleet:
    return fleet_of(EMPTY, [row(f"n{n}") for n in range(rows)], pods)


@pytest.mark.parametrize("rows", [4, FEW_ROWS, FEW_ROWS + 1, 300])
def test_rows_are_filled_in_order_each_as_far_as_it_goes(rows: int) -> None:
    fleet = fleet_with(rows, ONE_GPU)

    assert fleet.fill(0, 5) == [(0, 2), (1, 2), (2, 1)]
    assert fleet.fill(0, 2) == [(2, 1), (3, 1)]
    assert fleet.room(0, 2) == 0
    assert fleet.room(0, 3) == 1
    gpu, cpu = fleet.axis.index[GPU], fleet.axis.index["cpu"]
    assert fleet.free[:4, gpu].tolist() == [0, 0, 0, 1]
    assert fleet.free[:4, cpu].tolist() == [3000, 3000, 3000, 3500]


@pytest.mark.parametrize("rows", [4, 300])
def test_more_pods_than_room_fill_what_there_is(rows: int) -> None:
    fleet = fleet_with(rows, ONE_GPU)

    assert fleet.fill(0, 10**9) == [(n, 2) for n in range(rows)]
    assert fleet.fill(0, 1) == []
    assert fleet.fill(0, 0) == []


@pytest.mark.parametrize("rows", [6, 300])
def test_rows_are_filled_in_the_order_that_is_asked_for(rows: int) -> None:
    fleet = fleet_with(rows, ONE_GPU)
    order = list(range(rows))[::-1]

    assert fleet.fill(0, 3, order) == [(rows - 1, 2), (rows - 2, 1)]
    assert fleet.fill(0, 3, [1]) == [(1, 2)]
    assert fleet.fill(0, 3, np.array(order)) == [(rows - 2, 1), (rows - 3, 2)]
    assert fleet.fill(0, 3, []) == []


def test_a_fleet_without_rows_takes_nothing() -> None:
    fleet = fleet_with(0, ONE_GPU)

    assert fleet.fill(0, 3) == []
    assert fleet.free.shape == (0, len(fleet.axis))


def test_a_pod_that_asks_for_nothing_takes_a_place() -> None:
    fleet = fleet_of(EMPTY, [row("n1", offers={"pods": 2}), row("n2")], [pod("nothing")])

    assert fleet.fill(0, 3) == [(0, 2), (1, 1)]


def test_pods_can_be_placed_by_hand_and_taken_off() -> None:
    fleet = fleet_with(2, ONE_GPU)
    before = fleet.free.copy()

    fleet.place(0, 1, 2)
    assert fleet.fill(0, 3) == [(0, 2)]
    fleet.remove(0, 1)
    assert fleet.fill(0, 3) == [(1, 1)]
    fleet.remove(0, 1, 2)
    fleet.remove(0, 0, 2)
    assert np.array_equal(fleet.free, before)


@pytest.mark.parametrize("rows", [3, FEW_ROWS, 300])
def test_marks_nest(rows: int) -> None:
    fleet = fleet_with(rows, ONE_GPU)
    before = fleet.free.copy()
    outer = fleet.mark()
    fleet.fill(0, 3)
    between = fleet.free.copy()
    inner = fleet.mark()
    fleet.add_many([row(f"new/g/{n}") for n in range(FEW_ROWS)])
    assert len(fleet.fill(0, 10**6)) == rows + FEW_ROWS - 1

    fleet.rollback(inner)
    assert np.array_equal(fleet.free, between)
    assert len(fleet) == rows
    fleet.rollback(outer)
    assert np.array_equal(fleet.free, before)
    fleet.rollback(outer)
    assert np.array_equal(fleet.free, before)


def test_rows_that_were_taken_back_make_way_for_others() -> None:
    fleet = fleet_with(2, replace(ONE_GPU, spec=replace(ONE_GPU.spec, node_selector=((ZONE, "b"),))))
    token = fleet.mark()
    assert fleet.add(row("new/b/1", labels={ZONE: "b"})) == 2
    assert fleet.static_mask(0).tolist() == [False, False, True]
    fleet.rollback(token)

    assert fleet.add(row("new/a/1")) == 2
    assert fleet.static_mask(0).tolist() == [False, False, False]
    assert fleet.names == ("n0", "n1", "new/a/1")


def test_bound_pods_and_reserves_are_taken_from_the_start() -> None:
    there = bound(pod("there", asks={GPU: 1, "cpu": 1000}), "n1")
    node = row("n1", pods=(there, replace(there, name="done", phase="Failed")), reserved=(("cpu", 200), ("pods", 2)))
    fleet = fleet_of(EMPTY, [node], [ONE_GPU])

    assert dict(zip(fleet.axis.names, fleet.free[0].tolist(), strict=True)) == {
        "cpu": 2800,
        "memory": 0,
        "pods": 7,
        GPU: 1,
    }


def test_room_is_nothing_where_the_pod_may_not_go() -> None:
    fleet = fleet_of(EMPTY, [row("n1", taints=(Taint("gpu"),)), row("n2")], [ONE_GPU])

    assert [fleet.room(0, n) for n in range(2)] == [0, 2]


SMALL = """
import sys
from autoscaler.model.labels import Labels
from autoscaler.model.pods import Pod, PodSpec, SpreadConstraint
from autoscaler.model.resources import Axis
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row

pods = [Pod("ns", "a", PodSpec((("cpu", 1),))), Pod("ns", "b", PodSpec((("cpu", 2),), spread=(SpreadConstraint("z"),)))]
table = ClassTable(Snapshot(), pods)
fleet = Fleet(Snapshot(), table, Axis.of(["cpu"]))
token = fleet.mark()
fleet.add_many([Row(f"n{n}", Labels({"z": "a"}), (), False, (("cpu", 2), ("pods", 9))) for n in range(5)])
print([fleet.fill(table.class_of(p), 2) for p in pods], fleet.takes_empty(0, fleet.rows[0]))
fleet.rollback(token)
print("numpy._core" in sys.modules)
"""


def test_a_small_fleet_does_without_numpy() -> None:
    # Its import would cost far more than all that a handful of nodes needs.
    done = subprocess.run([sys.executable, "-c", SMALL], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines() == ["[[(0, 2)], [(1, 1), (2, 1)]] True", "False"]


any_world = st.sampled_from(("spread affinity", "apart labels", "ports volumes", "room taints")).flatmap(worlds)


@settings(max_examples=60, deadline=None)
@given(any_world)
def test_a_pod_goes_to_the_first_row_that_does_not_refuse_it(world: object) -> None:
    fleet = fleet_of(world.snapshot, world.rows, [p for p, _ in world.waiting])  # type: ignore[attr-defined]
    for item, count in world.waiting:  # type: ignore[attr-defined]
        cls = fleet.table.class_of(item)
        for _ in range(count):
            open_ = [n for n in range(len(fleet)) if fleet.why_not(cls, n) is None]

            assert fleet.fill(cls, 1) == [(n, 1) for n in open_[:1]]
