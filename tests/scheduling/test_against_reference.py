"""`Fleet` places exactly what a plain scheduler would place, pod by pod."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import HOSTNAME, ZONE
from autoscaler.model.pods import Pod, SpreadConstraint
from autoscaler.model.resources import Axis
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.capacity import FEW_ROWS
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row
from tests.scheduling.reference import Cluster
from tests.scheduling.worlds import THEMES, World, bound, pod, row, selects, worlds
from tests.scheduling.worlds import fleet_of as fleet_with


def fleet_of(world: World) -> Fleet:
    table = ClassTable(world.snapshot, world.everyone())
    fleet = Fleet(world.snapshot, table, Axis.of(name for c in table.classes for name, _ in c.spec.requests))
    for aside in world.aside:
        fleet.add_aside(aside)
    fleet.add_many(world.rows)
    return fleet


def cluster_of(world: World) -> Cluster:
    return Cluster(world.snapshot, list(world.rows), aside=list(world.aside))


def copies(item: Pod, count: int) -> list[Pod]:
    return [replace(item, name=f"{item.name}-{n}") for n in range(count)]


def answers(fleet: Fleet) -> list[list[bool]]:
    """Whether each class fits on each row now."""
    return [[fleet.why_not(c.id, n) is None for n in range(len(fleet))] for c in fleet.table.classes]


def spread_out(found: list[tuple[int, int]]) -> dict[int, int]:
    return {at: sum(k for r, k in found if r == at) for at, _ in found}


def check_fills(world: World) -> None:
    fleet, cluster = fleet_of(world), cluster_of(world)
    for item, count in world.waiting:
        cls = fleet.table.class_of(item)
        expected = [at for at in cluster.place(copies(item, count)) if at is not None]

        placed = fleet.fill(cls, count)

        assert spread_out(placed) == {at: expected.count(at) for at in expected}
        for other, _ in world.waiting:
            for at in range(len(fleet)):
                reason = fleet.why_not(fleet.table.class_of(other), at)
                assert (reason is None) == cluster.fits(other, at), (other, at, reason)


@pytest.mark.parametrize("theme", THEMES)
@settings(max_examples=16, deadline=None)
@given(data=st.data())
def test_filling_a_small_fleet_is_first_fit_pod_by_pod(theme: str, data: st.DataObject) -> None:
    check_fills(data.draw(worlds(theme)))


def many(world: World) -> World:
    """The rows over and over, each with a name of its own, so that the fleet is past the size of the plain lists."""
    rows: list[Row] = []
    while len(rows) <= FEW_ROWS:
        for source in world.rows:
            name = f"n{len(rows) + 1}"
            pods = tuple(replace(p, name=f"{p.name}-{len(rows)}", node=name) for p in source.pods)
            labels = Labels({**source.labels, HOSTNAME: name})
            rows.append(replace(source, name=name, labels=labels, pods=pods))
    return replace(world, rows=tuple(rows))


@pytest.mark.parametrize("theme", THEMES)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_filling_a_large_fleet_is_first_fit_pod_by_pod(theme: str, data: st.DataObject) -> None:
    big = many(data.draw(worlds(theme, most_rows=12)))
    fleet, cluster = fleet_of(big), cluster_of(big)
    for item, count in big.waiting:
        expected = [at for at in cluster.place(copies(item, 3 * count)) if at is not None]

        placed = fleet.fill(fleet.table.class_of(item), 3 * count)

        assert spread_out(placed) == {at: expected.count(at) for at in expected}


@st.composite
def zones_to_fill(draw: st.DrawFn) -> tuple[list[Row], Pod, int]:
    """Rows of very different room in three zones, and many pods that are to be spread over them."""
    skew, least = draw(st.integers(1, 3)), draw(st.sampled_from([None, None, 2, 3, 4]))
    constraint = SpreadConstraint(ZONE, skew, selects(app="x"), least)
    item = pod("p", labels={"app": "x"}, asks={"cpu": 100}, spread=(constraint,))
    rows = []
    for n in range(draw(st.integers(2, 7))):
        room, there = draw(st.integers(0, 15)), draw(st.integers(0, 2))
        pods = tuple(replace(bound(item, f"n{n}"), name=f"there-{n}-{m}") for m in range(there))
        labels = {ZONE: draw(st.sampled_from("abc"))}
        rows.append(row(f"n{n}", labels=labels, offers={"cpu": 100 * (room + there), "pods": 50}, pods=pods))
    return rows, item, draw(st.integers(1, 60))


@settings(max_examples=100, deadline=None)
@given(zones_to_fill(), st.booleans())
def test_many_pods_are_spread_as_if_one_by_one(case: tuple[list[Row], Pod, int], potential: bool) -> None:
    rows, item, count = case
    snapshot = Snapshot()
    fleet, cluster = fleet_with(snapshot, rows, [item]), Cluster(snapshot, rows)
    if potential:  # an empty zone that no row of the fleet is in: to the plain scheduler, a node without room
        fleet.add_potential(row("new/d/potential", labels={ZONE: "d"}))
        cluster.aside.append(row("d", labels={ZONE: "d"}))

    placed = fleet.fill(fleet.table.class_of(item), count)

    expected = [at for at in cluster.place(copies(item, count)) if at is not None]
    assert spread_out(placed) == {at: expected.count(at) for at in expected}


any_world = st.sampled_from(THEMES).flatmap(worlds)


@pytest.mark.parametrize("large", [False, True])
@settings(max_examples=25, deadline=None)
@given(any_world, st.randoms(use_true_random=False))
def test_filling_keeps_to_the_order_of_rows_that_is_asked_for(large: bool, world: World, chance: object) -> None:
    world = many(world) if large else world
    fleet, cluster = fleet_of(world), cluster_of(world)
    order = list(range(len(fleet)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    order = order[: max(1, len(order) - 1)]
    for n, (item, count) in enumerate(world.waiting):
        expected = [at for at in cluster.place(copies(item, count), order) if at is not None]

        given_order = np.array(order) if n % 2 else order

        assert spread_out(fleet.fill(fleet.table.class_of(item), count, given_order)) == {
            at: expected.count(at) for at in expected
        }


@pytest.mark.parametrize("theme", THEMES)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_rolling_back_restores_everything(theme: str, data: st.DataObject) -> None:
    world = data.draw(worlds(theme))
    fleet = fleet_of(world)
    if data.draw(st.booleans()):
        answers(fleet)  # counters exist before the mark, or are made after it
    free, names, before = fleet.free.copy(), fleet.names, None
    if data.draw(st.booleans()):
        before = answers(fleet)
    token = fleet.mark()
    for number in range(data.draw(st.integers(1, 5))):
        item, count = data.draw(st.sampled_from(world.waiting))
        cls = fleet.table.class_of(item)
        match data.draw(st.sampled_from(["fill", "add", "remove", "nested", "again"])):
            case "fill":
                fleet.fill(cls, count)
            case "add":
                source = data.draw(st.sampled_from(world.rows + world.aside))
                name = data.draw(st.sampled_from([source.name, f"new/g/{number}"]))
                fleet.add(replace(source, name=name, labels=Labels({**source.labels, HOSTNAME: name})))
            case "remove":
                at = data.draw(st.integers(0, len(world.rows) - 1))
                for there in world.rows[at].pods:
                    if not there.finished:
                        fleet.remove(fleet.table.class_of(there), at)
                break
            case "nested":
                inner = fleet.mark()
                fleet.fill(cls, count)
                fleet.rollback(inner)
            case _:
                answers(fleet)

    fleet.rollback(token)

    assert fleet.names == names
    assert np.array_equal(fleet.free, free)
    fresh = fleet_of(world)
    assert answers(fleet) == (answers(fresh) if before is None else before)
    for item, count in world.waiting:
        assert fleet.fill(fleet.table.class_of(item), count) == fresh.fill(fresh.table.class_of(item), count)


@settings(max_examples=30, deadline=None)
@given(any_world)
def test_a_pod_that_is_taken_off_leaves_no_trace(world: World) -> None:
    fleet = fleet_of(world)
    placed = [
        (fleet.table.class_of(p), at, k) for p, n in world.waiting for at, k in fleet.fill(fleet.table.class_of(p), n)
    ]
    for cls, at, count in placed:
        fleet.remove(cls, at, count)

    assert answers(fleet) == answers(fleet_of(world))
    assert np.array_equal(fleet.free, fleet_of(world).free)


@settings(max_examples=40, deadline=None)
@given(any_world, st.randoms(use_true_random=False))
def test_classes_do_not_depend_on_the_order_of_the_pods(world: World, chance: object) -> None:
    pods = world.everyone()
    shuffled = list(pods)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]

    first, second = ClassTable(world.snapshot, pods), ClassTable(world.snapshot, shuffled)

    assert [(c.spec, c.labels, c.namespace) for c in first.classes] == [
        (c.spec, c.labels, c.namespace) for c in second.classes
    ]
    assert [first.class_of(p) for p in pods] == [second.class_of(p) for p in pods]


@pytest.mark.parametrize("theme", ["labels", "taints", "volumes", "claims shares", "spread affinity"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_masks_over_many_shapes_agree_with_single_verdicts(theme: str, data: st.DataObject) -> None:
    big = many(data.draw(worlds(theme, most_rows=10)))
    table = ClassTable(big.snapshot, big.everyone())
    for each in big.rows:
        table.verdicts.shape(each)
    for c in table.classes:
        at_once = table.verdicts._all(table.verdicts.asks(c.id)).tolist()

        assert at_once == [table.verdicts.ok(c.id, shape) for shape in range(len(at_once))]


@pytest.mark.parametrize("theme", ["labels", "taints", "volumes", "claims shares", "spread affinity"])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_what_an_empty_node_takes_is_what_no_filter_refuses_there(theme: str, data: st.DataObject) -> None:
    world = data.draw(worlds(theme))
    rows = tuple(replace(each, pods=()) for each in (*world.rows, *world.aside))
    table = ClassTable(world.snapshot, world.everyone())
    axis = Axis.of(name for c in table.classes for name, _ in c.spec.requests)
    for c in table.classes:
        fleet = Fleet(world.snapshot, table, axis)
        reasons = [fleet.why_not_empty(c.id, each) for each in rows]

        assert [fleet.takes_empty(c.id, each) for each in rows] == [r is None for r in reasons]
        assert fleet.takes_all_empty(c.id, rows).tolist() == [r is None for r in reasons]
    assert fleet.takes_all_empty(0, ()).tolist() == []
