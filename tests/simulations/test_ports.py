"""The ports of the fast world say no where the real ones do, and change what the scheduler sees."""

import pytest

from autoscaler.control.claims import Claim, claiming, releasing
from autoscaler.model.failures import Conflict, LaunchRefused, NotFound, WouldLower
from autoscaler.model.memory import Writer
from autoscaler.model.nodes import ErrorClass
from autoscaler.model.ports import DocumentName, LeaseRecord, NodePatch
from simulations.cloud import REFUSED_AFTER_S
from simulations.run import prepare
from simulations.supply import Capacity
from tests.simulations.worlds import pool, write

CLAIM = Claim(Writer(1, "me"), 0.0, "Idle", "i-000001", "p", cordoned=True)
ANNOTATED = NodePatch(annotations=(("a", "1"), ("b", None)))


@pytest.fixture
def world(tmp_path):
    """A pool of two nodes, one of them with work for an hour; the clock stands."""
    path = write(tmp_path, [pool(least=2, most=9)], [("a", 0, 3600, 1, 8), ("b", 7200, 60, 1, 8)])
    simulation = prepare(path)
    next(simulation.steps())
    return simulation.engine


@pytest.fixture
def cluster(world):
    return world.controller.loop.cluster


@pytest.fixture
def cloud(world):
    return world.controller.loop.cloud


def node(world, number=1):
    return world.world.machines[f"i-00000{number}"].node


def test_the_snapshot_is_the_same_value_as_long_as_nothing_changes(world, cluster):
    first = cluster.observe()
    assert cluster.observe().snapshot is first.snapshot
    assert first.at == world.now
    cluster.patch_node(node(world), ANNOTATED)
    assert cluster.observe().snapshot is not first.snapshot


def test_a_write_takes_hold_only_on_the_node_that_was_read(world, cluster):
    read = node(world)
    cluster.patch_node(read, claiming(CLAIM))
    with pytest.raises(Conflict):
        cluster.patch_node(read, NodePatch(unschedulable=False))
    cluster.patch_node(read, ANNOTATED)
    assert node(world).annotations["a"] == "1"
    assert int(node(world).resource_version) > int(read.resource_version) + 1


def test_a_tainted_node_takes_no_pods_until_the_drain_is_undone(world, cluster):
    room, spec = world.world.room, world.runs[0].item.specs[0]
    free = next(m for m in world.world.machines.values() if not m.working)
    tainted = cluster.patch_node(free.node, claiming(CLAIM))
    assert world.world.is_draining
    assert room.place([spec]) is None
    cluster.patch_node(tainted, releasing(tainted, idle_since=None))
    assert not world.world.is_draining
    assert room.place([spec]) == [free.name]


def test_an_evicted_pod_waits_again_and_cannot_be_evicted_twice(world, cluster):
    (run,) = [r for r in world.runs if r.started_at is not None]
    (pod,) = run.pods
    cluster.evict(pod)
    assert world.scheduler.waiting == [run]
    assert run.interruptions == 1
    with pytest.raises(Conflict):
        cluster.evict(pod)


def test_pods_that_ran_to_their_end_are_listed_once_more_as_finished(world):
    (run,) = [r for r in world.runs if r.started_at is not None]
    world.world.finish(run, world.now)
    assert [pod.phase for pod in world.world.snapshot().pods] == ["Succeeded"]
    world.world.submit(world.runs[1], world.now)
    assert [pod.phase for pod in world.world.snapshot().pods] == ["Pending"]


def test_a_live_read_shows_the_node_and_the_pods_on_it(world, cluster):
    busy = next(m for m in world.world.machines.values() if m.working)
    live = cluster.read_node(busy.name)
    assert (live.node, [p.name for p in live.pods]) == (busy.node, ["a"])
    assert cluster.read_node("nobody") is None
    assert (cluster.find_node(busy.id), cluster.find_node("i-9")) == (busy.name, None)


def test_documents_and_the_lease_are_replaced_by_version_only(cluster):
    version = cluster.write_document(DocumentName.SWITCH, {"paused": "true"}, None)
    with pytest.raises(Conflict):
        cluster.write_document(DocumentName.SWITCH, {}, None)
    assert cluster.write_document(DocumentName.SWITCH, {}, version) != version
    record, version = cluster.read_lease()
    assert record.holder == "simulator"
    with pytest.raises(Conflict):
        cluster.write_lease(LeaseRecord("other"), "0")
    assert cluster.write_lease(LeaseRecord("other"), version) != version


def test_a_group_is_never_lowered_and_knows_its_instances(cloud):
    with pytest.raises(WouldLower):
        cloud.raise_to("gpu", 1)
    cloud.raise_to("gpu", 2)
    with pytest.raises(NotFound):
        cloud.terminate("gpu", ("i-9",))


@pytest.mark.parametrize(("stock", "added", "refused"), [(2, 0, True), (3, 1, False), (9, 3, False)])
def test_a_market_that_gives_a_part_reports_the_rest_a_moment_later(world, cloud, stock, added, refused):
    cloud.order = lambda _group, _size: (world.controller.policies.pools[0].templates[0], "zone-a")
    world.cloud.supply.pools["gpu"].capacity = (Capacity((0.0,), (stock,)),)
    if refused:
        with pytest.raises(LaunchRefused) as said:
            cloud.raise_to("gpu", 5)
        assert said.value.error_class is ErrorClass.STOCKOUT
    else:
        cloud.raise_to("gpu", 5)
    assert len(world.world.groups["gpu"].machines) == 2 + added
    while (action := world.agenda.take(world.now + REFUSED_AFTER_S)) is not None:
        action()
    errors = cloud.observe().groups["gpu"].errors
    assert [e.code for e in errors] == ([] if added == 3 else [ErrorClass.STOCKOUT])
