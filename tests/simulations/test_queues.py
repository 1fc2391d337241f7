"""Who is served when room appears: first come first served, with and without stepping aside; gangs whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.nodes import Node
from autoscaler.model.pods import PodSpec
from autoscaler.model.resources import Axis, amounts
from simulations.demand import WorkItem
from simulations.jobs import Job
from simulations.room import Room
from simulations.runs import Run
from simulations.scheduler import Queue, Scheduler

GPU = "nvidia.com/gpu"


def run(number: int, *gpus: int, priority: int = 0, at: float = 0.0) -> Run:
    specs = tuple(PodSpec(requests=amounts({GPU: n}), priority=priority) for n in gpus)
    return Run(WorkItem(Job(f"j{number}", at, 60.0, len(gpus)), specs), number)


def scheduler(queue: str, *nodes: int) -> tuple[Scheduler, list[tuple[int, list[str]]]]:
    room = Room(Axis.of([GPU]), lambda _spec, _node: True)
    for i, gpus in enumerate(nodes):
        room.open(Node(f"n{i}", allocatable=amounts({GPU: gpus, "pods": 110})))
    bound: list[tuple[int, list[str]]] = []
    return Scheduler(Queue(queue), room, lambda r, names: bound.append((r.number, list(names)))), bound


@pytest.mark.parametrize(
    ("queue", "jobs", "served"),
    [
        ("strict-fifo", [(8,), (4,), (2,)], []),
        ("best-effort-fifo", [(8,), (4,), (2,)], [1]),
        ("strict-fifo", [(2,), (2,), (1,)], [0, 1]),
        ("best-effort-fifo", [(3,), (2,), (1,)], [0, 2]),
        ("strict-fifo", [(2, 2), (1,)], [0]),
        ("best-effort-fifo", [(3, 3), (2,), (2,)], [1, 2]),
    ],
)
def test_those_that_do_not_fit_block_or_step_aside(queue, jobs, served):
    made, bound = scheduler(queue, 4)
    for number, gpus in enumerate(jobs):
        made.add(run(number, *gpus))
    made.schedule()
    assert [number for number, _ in bound] == served
    assert [r.number for r in made.waiting] == [n for n in range(len(jobs)) if n not in served]


@pytest.mark.parametrize("queue", list(Queue))
def test_the_higher_priority_and_then_the_earlier_submission_goes_first(queue):
    made, bound = scheduler(queue, 1, 1, 1)
    made.add(run(0, 1, at=5))
    made.add(run(1, 1, at=9))
    made.add(run(2, 1, at=9, priority=10))
    made.add(run(3, 1, at=2))
    made.schedule()
    assert [number for number, _ in bound] == [2, 3, 0]


def test_a_gang_takes_nothing_unless_it_gets_everything():
    made, bound = scheduler("best-effort-fifo", 4, 3)
    made.add(run(0, 4, 4))
    made.schedule()
    assert bound == []
    made.add(run(1, 4))
    made.add(run(2, 3))
    made.schedule()
    assert bound == [(1, ["n0"]), (2, ["n1"])]


def test_a_pod_goes_where_the_fewest_gpus_are_left():
    made, bound = scheduler("best-effort-fifo", 8, 2, 4)
    for number in range(3):
        made.add(run(number, 1))
    made.schedule()
    assert [names for _, names in bound] == [["n1"], ["n1"], ["n2"]]


def test_those_who_wait_are_tried_again_only_when_room_has_grown():
    made, bound = scheduler("best-effort-fifo", 4)
    made.add(run(0, 8))
    made.schedule()
    made.room.open(Node("big", allocatable=amounts({GPU: 8, "pods": 110})))
    assert made.schedule() is False
    made.room_grew()
    assert made.schedule() is True
    assert bound == [(0, ["big"])]


def reference(queue: str, nodes: list[int], jobs: list[tuple[int, ...]]) -> list[int]:
    """The same in the plainest words: every job is tried in order."""
    free, served = list(nodes), []
    for number, pods in enumerate(jobs):
        after = list(free)
        for gpus in pods:
            fitting = [i for i, left in enumerate(after) if left >= gpus]
            if not fitting:
                break
            after[min(fitting, key=lambda i: (after[i], i))] -= gpus
        else:
            free, served = after, [*served, number]
            continue
        if queue == "strict-fifo":
            break
    return served


@settings(max_examples=100)
@given(
    st.sampled_from(["strict-fifo", "best-effort-fifo"]),
    st.lists(st.integers(1, 8), min_size=1, max_size=6),
    st.lists(st.lists(st.integers(1, 8), min_size=1, max_size=3).map(tuple), max_size=12),
)
def test_the_queue_serves_as_the_plain_rule_does(queue, nodes, jobs):
    made, bound = scheduler(queue, *nodes)
    for number, pods in enumerate(jobs):
        made.add(run(number, *pods))
    made.schedule()
    assert [number for number, _ in bound] == reference(queue, nodes, jobs)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(1, 8)), max_size=40))
def test_room_is_what_nodes_have_less_what_pods_hold(steps):
    room = Room(Axis.of([GPU]), lambda _spec, _node: True)
    for i in range(4):
        room.open(Node(f"n{i}", allocatable=amounts({GPU: 8, "pods": 4})))
    held: list[tuple[str, PodSpec]] = []
    for release, at, gpus in steps:
        if release and held:
            name, spec = held.pop(at % len(held))
            room.release(name, spec)
            continue
        spec = PodSpec(requests=amounts({GPU: gpus}))
        names = room.place([spec])
        if names:
            held.append((names[0], spec))
    for i in range(4):
        mine = [spec.request(GPU) for name, spec in held if name == f"n{i}"]
        assert room.free(f"n{i}") == amounts({GPU: 8 - sum(mine), "pods": 4 - len(mine)})
        assert sum(mine) <= 8
