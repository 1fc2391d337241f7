"""A simulation until drained ends, whatever can never be done."""

import pytest

from tests.simulations.worlds import document, pool, run, write

SPOT = pool("spot", capacityType="spot", most=2, scaleUp={"backoff": {"initial": "1h", "max": "4h"}})
MONTH = 30 * 86400


def test_a_market_that_never_delivers_is_given_up(tmp_path):
    supply = {"stockouts": [{"pool": "spot", "from": "0s", "to": "365d"}]}
    simulation = run(write(tmp_path, [SPOT], [("a", 0, 600, 1, 8)], supply=supply))
    found = simulation.result(0.0).document
    assert (found["jobs"]["completed"], found["jobs"]["neverStarted"]) == (0, 1)
    assert found["pools"]["spot"]["stockouts"] > 100
    assert found["reasons"] == {"PoolInBackoff": 1}
    assert MONTH - 86400 < simulation.engine.now < MONTH + 86400


def test_a_job_that_is_always_interrupted_is_given_up(tmp_path):
    supply = {"spot": [{"pool": "spot", "interruptionsPerHour": 1.0}]}
    jobs = [("endless", 0, 60 * 3600, 1, 8), ("short", 60, 60, 1, 8)]
    found = document(write(tmp_path, [SPOT], jobs, supply=supply))
    assert (found["jobs"]["completed"], found["jobs"]["neverStarted"]) == (1, 0)
    assert found["jobs"]["interruptions"] > 300


def test_a_stock_out_that_ends_is_waited_for(tmp_path):
    supply = {"stockouts": [{"pool": "spot", "from": "0s", "to": "5d"}]}
    found = document(write(tmp_path, [SPOT], [("a", 0, 600, 1, 8)], supply=supply))
    assert found["jobs"]["completed"] == 1
    assert 5 * 86400 <= found["jobs"]["waitSeconds"]["max"] < 5 * 86400 + 5 * 3600


@pytest.mark.parametrize(("least", "buffer"), [(2, None), (0, {"nodes": 1}), (1, {"nodes": 2})])
def test_nodes_that_are_to_stay_do_not_keep_it_from_ending(tmp_path, least, buffer):
    kept = pool(least=least, **({"warmBuffer": buffer} if buffer else {}))
    simulation = run(write(tmp_path, [kept], [("a", 0, 600, 2, 8)]))
    assert simulation.engine.now < 3600
    assert len(simulation.engine.world.machines) == max(least, buffer["nodes"] if buffer else 0)


def test_a_gap_of_months_between_jobs_is_no_end(tmp_path):
    found = document(write(tmp_path, [pool()], [("a", 0, 60, 1, 8), ("b", 100 * 86400, 60, 1, 8)]))
    assert found["jobs"]["completed"] == 2
    assert found["nodes"]["added"] == found["nodes"]["removed"] == 2
