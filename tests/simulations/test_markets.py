"""Spot capacity that goes, launches that fail, nodes that never come: what it does to jobs, and what is done."""

import pytest

from simulations.market_traces import Market, read_market
from simulations.supply import BootDelay, stream
from tests.simulations.worlds import document, pool, run, write

SPOT = pool("spot", price=3.0, capacityType="spot", spot={"fallback": ["base"]})
BASE = pool("base", price=9.0)


def market(tmp_path, *rows):
    (tmp_path / "market.csv").write_text("".join(f"2026-06-01, 00:{at:02}:00, {count}\n" for at, count in rows))
    return [{"pool": "spot", "trace": {"format": "bamboo", "path": "market.csv"}}]


@pytest.mark.parametrize(
    ("checkpoint", "lost", "end"),
    [("", 1800, 1800 + 3600), ("600", 0, 3600), ("1000", 800, 1800 + 2600), ("7200", 1800, 1800 + 3600)],
)
def test_a_lost_node_costs_the_work_since_the_last_checkpoint(tmp_path, checkpoint, lost, end):
    jobs = [("a", 0, 3600, 1, 8, checkpoint)]
    supply = {"spot": market(tmp_path, (0, 4), (30, 0))}
    path = write(tmp_path, [SPOT, BASE], jobs, columns=["checkpoint_every_s"], supply=supply)
    simulation = run(path)
    (job,) = simulation.engine.runs
    # The market refuses at once, and the same pass buys the fallback.
    assert (job.interruptions, job.lost_s, job.ended_at) == (1, lost, end)
    found = simulation.result(0.0).document
    assert (found["jobs"]["interruptions"], found["pools"]["spot"]["interruptions"]) == (1, 1)
    assert found["gpuHours"]["busy"] == pytest.approx(8 * (3600 + lost) / 3600)
    assert found["gpuHours"]["requested"] == 8.0
    assert found["jobs"]["waitSeconds"]["max"] == 0


def test_where_spot_has_none_the_fallback_is_bought(tmp_path):
    supply = {"stockouts": [{"pool": "spot", "from": "0s", "to": "1h"}]}
    found = document(write(tmp_path, [SPOT, BASE], [("a", 0, 600, 1, 8)], supply=supply))
    assert found["pools"]["spot"]["stockouts"] >= 1
    assert found["pools"]["base"]["nodes"]["added"] == 1
    assert found["jobs"]["waitSeconds"]["max"] == 0


def test_a_gang_that_loses_one_node_starts_again_as_a_whole(tmp_path):
    supply = {"spot": market(tmp_path, (0, 4), (10, 1), (15, 4)), "bootDelay": {"fixed": "1m"}}
    simulation = run(write(tmp_path, [SPOT], [("g", 0, 1200, 2, 8)], supply=supply))
    (job,) = simulation.engine.runs
    assert (job.interruptions, job.lost_s) == (1, 540)
    assert job.ended_at is not None
    assert job.ended_at >= 15 * 60 + 60 + 1200
    assert simulation.engine.oracle.violated == []


def test_a_job_that_must_not_run_on_spot_does_not(tmp_path):
    jobs = [("a", 0, 600, 1, 8, "false"), ("b", 0, 600, 1, 8, "true"), ("c", 0, 600, 1, 8, "")]
    simulation = run(write(tmp_path, [SPOT, BASE], jobs, columns=["spot_ok"]))
    assert [job.pool for job in simulation.engine.runs] == ["base", "spot", "spot"]


def test_interruptions_come_at_their_rate_and_repeat_with_the_seed(tmp_path):
    jobs = [(f"j{i}", 0, 100 * 3600, 1, 8, 600) for i in range(10)]
    supply = {"spot": [{"pool": "spot", "interruptionsPerHour": 0.1}]}
    path = write(tmp_path, [SPOT], jobs, columns=["checkpoint_every_s"], supply=supply)
    first, again, other = (document(path, seed=seed) for seed in (1, 1, 2))
    hours = first["nodes"]["hours"]
    assert first["jobs"]["interruptions"] == pytest.approx(0.1 * hours, rel=0.3)
    assert first == again
    assert first["jobs"]["interruptions"] != other["jobs"]["interruptions"]


def test_a_node_that_never_comes_is_given_up_and_bought_again(tmp_path):
    slow = pool(scaleUp={"registrationTimeout": "5m", "failureLimit": 2})
    path = write(tmp_path, [slow], [("a", 0, 60, 1, 8)], supply={"bootDelay": {"fixed": "1h"}}, until="2h")
    simulation = run(path)
    causes = [m.cause for m in simulation.engine.world.past]
    assert causes == ["NeverRegistered", "NeverRegistered"]
    assert simulation.result(0.0).document["jobs"]["neverStarted"] == 1


@pytest.mark.parametrize(
    ("delay", "low", "high"),
    [
        (BootDelay(fixed_s=240.0), 240.0, 240.0),
        (BootDelay(p50_s=240.0, p95_s=540.0), 225.0, 255.0),
        (BootDelay(samples=(10.0, 20.0, 30.0)), 20.0, 20.0),
    ],
)
def test_boot_delays_have_the_median_they_are_given(delay, low, high):
    rng = stream(1, "boot", "gpu")
    draws = sorted(delay.draw(rng) for _ in range(4001))
    assert low <= draws[2000] <= high
    if delay.p95_s:
        assert draws[3800] == pytest.approx(540.0, rel=0.06)


def test_the_draws_of_one_pool_do_not_depend_on_another(tmp_path):
    supply = {"bootDelay": {"p50": "3m", "p95": "9m"}}
    jobs = [("a", 0, 60, 1, 8)]
    alone = run(write(tmp_path, [BASE], jobs, supply=supply)).engine.runs[0].wait_s
    beside = run(write(tmp_path, [BASE, pool("dear", price=99.0)], jobs, supply=supply)).engine.runs[0].wait_s
    assert alone == beside


@pytest.mark.parametrize("key", ["bootDelay", "pools"])
def test_pools_may_boot_at_their_own_pace(tmp_path, key):
    own = {"bootDelay": {"fixed": "1m", "pools": {"base": {"fixed": "9m"}}}}
    if key == "pools":
        own = {"bootDelay": {"fixed": "1m"}, "pools": {"base": {"bootDelay": {"fixed": "9m"}}}}
    jobs = [("a", 0, 60, 1, 8, "false"), ("b", 0, 60, 1, 8, "true")]
    simulation = run(write(tmp_path, [SPOT, BASE], jobs, columns=["spot_ok"], supply=own))
    assert [(job.pool, job.wait_s) for job in simulation.engine.runs] == [("base", 540), ("spot", 60)]


@pytest.mark.parametrize(
    ("format_name", "text", "instants", "counts"),
    [
        ("bamboo", "0,add,n1\n0,add,n2\n60000,remove,n1\n90000,add,n3\n", (100, 160, 190), (2, 1, 2)),
        ("bamboo", "2026-06-01, 00:00:00, 5\n2026-06-01, 00:01:00, 5\n2026-06-01, 00:02:00, 0\n", (100, 220), (5, 0)),
        ("skypilot", '{"metadata": {"gap_seconds": 600}, "data": [1, 1, 0, 4]}', (100, 1300, 1900), (1, 0, 4)),
    ],
)
def test_a_market_is_read_as_counts_from_the_start(tmp_path, format_name, text, instants, counts):
    path = tmp_path / "market"
    path.write_text(text)
    capacity = read_market(format_name, path, 100.0).capacity
    assert (capacity.instants, capacity.counts) == (instants, counts)
    assert capacity.at(99.0) == float("inf")
    assert capacity.at(1e9) == counts[-1]


def test_probes_are_read_as_stock_outs_and_losses(tmp_path):
    path = tmp_path / "probes.csv"
    rows = [
        "0,i-1,k80,8,us-east-1b,created",
        "60,,k80,8,,create_failed",
        "120,,k80,8,,create_failed",
        "130,i-9,v100,8,us-east-1b,not_running",
        "180,i-2,k80,8,us-east-1c,created",
        "240,i-1,k80,8,us-east-1b,not_running",
        "300,,k80,8,,create_failed",
    ]
    path.write_text("ts,slot,gpu_type,gpus,zone,event\n" + "\n".join(rows) + "\n")
    record = read_market("toad", path, 1000.0, Market("k80", 8))
    assert [(w.start, w.end) for w in record.stockouts] == [(1060, 1180), (1300, float("inf"))]
    assert record.losses == (1240,)
