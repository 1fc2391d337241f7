"""What a simulation says was paid, used and waited for, checked by hand on small worlds."""

import pytest

from tests.simulations.worlds import document, pool, run, write

FIVE_MINUTES = {"bootDelay": {"fixed": "5m"}}


def test_one_job_pays_for_its_boot_its_work_and_the_cooldown(tmp_path):
    path = write(tmp_path, [pool(price=36.0)], [("a", 0, 3600, 1, 4)], supply=FIVE_MINUTES)
    found = document(path)
    assert found["jobs"]["waitSeconds"]["max"] == 300
    # Launched at 0, ready at 300, busy to 3900, seen idle at the look of that instant, tainted 10 minutes later, gone
    # at the look after that.
    assert found["nodes"] == {"added": 1, "removed": 1, "peak": 1, "hours": pytest.approx(4510 / 3600, abs=1e-6)}
    assert found["gpuHours"] == {
        "requested": 4.0,
        "paid": pytest.approx(8 * 4510 / 3600, abs=1e-6),
        "busy": 4.0,
        "idle": pytest.approx((4 * 3600 + 8 * 610) / 3600, abs=1e-6),
        "booting": pytest.approx(0.666667),
        "utilization": pytest.approx(4 / (8 * 3900 / 3600), abs=1e-6),
    }
    usd = found["usd"]
    assert (usd["total"], usd["onDemand"], usd["spot"], usd["perPool"]) == (45.1, 45.1, 0.0, {"gpu": 45.1})
    assert (usd["booting"], usd["idle"]) == (3.0, pytest.approx(36 * (0.5 * 3600 + 610) / 3600))


def test_every_gpu_hour_that_is_paid_is_busy_idle_or_booting(tmp_path):
    jobs = [(f"j{i}", 60 * i, 200 + 37 * (i * i % 17), 1 + i % 2, 1 + i % 8) for i in range(30)]
    found = document(write(tmp_path, [pool()], jobs, supply={"bootDelay": {"p50": "2m", "p95": "4m"}}))
    gpu = found["gpuHours"]
    assert gpu["busy"] + gpu["idle"] + gpu["booting"] == pytest.approx(gpu["paid"], abs=1e-5)
    assert gpu["busy"] == pytest.approx(gpu["requested"], abs=1e-5)
    assert sum(found["usd"]["perPool"].values()) == pytest.approx(found["usd"]["total"], abs=1e-5)
    assert found["pools"]["gpu"]["nodes"] == found["nodes"]


def test_a_percentile_is_the_element_at_its_rank(tmp_path):
    jobs = [(f"j{i}", 0, 100, 1, 8) for i in range(10)]
    found = document(write(tmp_path, [pool(least=1, most=1)], jobs))
    assert found["jobs"]["waitSeconds"] == {
        "mean": 450.0,
        "p50": 500.0,
        "p90": 900.0,
        "p95": 900.0,
        "p99": 900.0,
        "max": 900.0,
    }
    assert found["jobs"]["makespanSeconds"] == 1000.0
    assert found["gpuHours"]["utilization"] == 1.0


def test_the_cheaper_pool_is_bought_and_billed_as_what_it_is(tmp_path):
    pools = [pool("dear", price=20.0), pool("spot", price=5.0, capacityType="spot"), pool("own", price=9.0)]
    found = document(write(tmp_path, pools, [("a", 0, 600, 1, 8)]))
    assert found["usd"]["spot"] == found["usd"]["total"] > 0
    assert list(found["usd"]["perPool"]) == ["spot"]
    assert {name: p["nodes"]["added"] for name, p in found["pools"].items()} == {"dear": 0, "own": 0, "spot": 1}


def test_a_job_no_pool_can_serve_never_starts_and_says_why(tmp_path):
    found = document(write(tmp_path, [pool()], [("a", 0, 60, 1, 16), ("b", 5, 60, 1, 8)]))
    assert (found["jobs"]["submitted"], found["jobs"]["completed"], found["jobs"]["neverStarted"]) == (2, 1, 1)
    assert found["reasons"] == {"InsufficientResource": 1}


def test_jobs_of_no_length_and_jobs_without_gpus_are_jobs_too(tmp_path):
    jobs = [("quick", 0, 0, 1, 8), ("plain", 0, 60, 3, 0)]
    found = document(write(tmp_path, [pool(least=1)], jobs, workload={"pod": {"cpuPerGpu": "1"}}))
    assert found["jobs"]["completed"] == 2
    assert found["jobs"]["waitSeconds"]["max"] == 0


@pytest.mark.parametrize(
    ("until", "submitted", "completed", "never", "hours"),
    [("drained", 2, 2, 0, None), ("10m", 1, 1, 0, 10 / 60), ("1970-01-01T00:30:00Z", 2, 1, 0, 0.5)],
)
def test_a_simulation_ends_drained_or_at_its_instant(tmp_path, until, submitted, completed, never, hours):
    jobs = [("a", 0, 60, 1, 8), ("b", 1200, 3600, 1, 8)]
    found = document(write(tmp_path, [pool(least=1)], jobs, until=until))
    counts = found["jobs"]
    assert (counts["submitted"], counts["completed"], counts["neverStarted"]) == (submitted, completed, never)
    assert hours is None or found["nodes"]["hours"] == pytest.approx(hours, abs=1e-6)


def test_the_observe_mode_of_a_policy_is_simulated_as_acting(tmp_path):
    found = document(write(tmp_path, [pool()], [("a", 0, 60, 1, 8)], cluster={"mode": "observe"}))
    assert found["jobs"]["completed"] == 1


def test_ticks_follow_the_demand(tmp_path):
    simulation = run(write(tmp_path, [pool()], [("a", 0, 600, 1, 4)], supply=FIVE_MINUTES))
    course = [(t.at, t.waiting_gpus, t.running_gpus, t.ready_nodes, t.booting_nodes) for t in simulation.course.ticks]
    assert course == [(0, 4, 0, 0, 1), (300, 0, 4, 1, 0), (900, 0, 0, 1, 0), (1510, 0, 0, 0, 0)]
