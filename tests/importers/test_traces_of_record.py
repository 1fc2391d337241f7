"""The public traces come out with the counts that their authors and the capacity-planning facts give."""

from collections import Counter
from pathlib import Path

import pytest

from simulations.importers import read_trace
from simulations.importers.openb import read_nodes
from simulations.importers.table import table
from simulations.market_traces import Market, read_market

TRACES = Path(__file__).resolve().parents[2].parent / "shared" / "traces"
needs_traces = pytest.mark.skipif(not TRACES.is_dir(), reason="the public traces are not beside this checkout")


@needs_traces
@pytest.mark.parametrize(
    ("cluster", "jobs", "gpu_hours", "peak", "largest"),
    [("ee9e8c", 1511, 256_112, 367, 128), ("7f04ca", 723, None, 232, 16)],
)
def test_a_philly_cluster_has_its_known_size(cluster, jobs, gpu_hours, peak, largest):
    trace = read_trace("philly", TRACES / "philly" / f"philly_vc_{cluster}.csv")
    assert len(trace.jobs) == jobs
    assert gpu_hours is None or int(trace.gpu_hours) == gpu_hours
    assert trace.peak_gpus == peak
    assert max(job.gpus for job in trace.jobs) == largest
    assert trace.skipped == ()


@needs_traces
def test_openb_has_its_known_phases_and_shares():
    trace = read_trace("openb", TRACES / "openb" / "openb_pod_list_default.csv")
    assert len(trace.jobs) == 8152
    assert {p: trace.counts[p] for p in ("Running", "Failed", "Pending", "Succeeded")} == {
        "Running": 5193,
        "Failed": 1870,
        "Pending": 897,
        "Succeeded": 192,
    }
    assert sum(1 for j in trace.jobs if j.gpus_per_pod) == 7064
    shares = Counter(j.gpu_milli for j in trace.jobs if j.gpu_milli)
    assert shares.total() == 3078
    assert {milli: shares[milli] for milli in (810, 470, 320, 650)} == {810: 1078, 470: 750, 320: 328, 650: 253}


@needs_traces
def test_openb_waits_for_the_scheduler_as_known():
    rows = [row for _, row in table(TRACES / "openb" / "openb_pod_list_default.csv", ("scheduled_time",))]
    delays = sorted(int(r["scheduled_time"]) - int(r["creation_time"]) for r in rows if r["scheduled_time"])
    found = [delays[int(len(delays) * q)] for q in (0.5, 0.9, 0.99)]
    assert (len(delays), *found, delays[-1]) == (7255, 2, 106, 908, 14_330)


@needs_traces
def test_openb_is_small_by_its_own_times():
    trace = read_trace("openb", TRACES / "openb" / "openb_pod_list_default.csv")
    assert 64 < trace.peak_gpus < 67
    assert 51_000 < trace.gpu_hours < 52_000


@needs_traces
def test_openb_nodes_have_their_known_models():
    shapes = read_nodes(TRACES / "openb" / "openb_node_list_gpu_node.csv")
    gpus: Counter[str] = Counter()
    for shape, count in shapes.items():
        gpus[shape.model] += shape.gpus * count
    assert sum(shapes.values()) == 1213
    assert dict(gpus) == {"G2": 4392, "T4": 842, "G3": 312, "P100": 265, "V100M32": 204, "V100M16": 195, "A10": 2}


@needs_traces
def test_the_bamboo_market_never_has_more_than_32_nodes():
    capacity = read_market("bamboo", TRACES / "spot" / "bamboo_p3-trace.csv", start=0.0).capacity
    assert max(capacity.counts) == 32
    assert 11.3 < capacity.instants[-1] / 3600 < 11.5


@needs_traces
def test_the_bamboo_counts_run_from_17_to_64():
    capacity = read_market("bamboo", TRACES / "spot" / "bamboo_gcp_a100x1-us-east1-b.txt", start=0.0).capacity
    assert (min(capacity.counts), max(capacity.counts)) == (17, 64)


@needs_traces
@pytest.mark.parametrize(
    ("gpu_type", "gpus", "failed", "created"),
    [("k80", 8, 240, 10), ("k80", 1, 50, 25), ("v100", 1, 0, None), ("v100", 8, 0, None)],
)
def test_a_probed_market_is_out_of_stock_exactly_while_creations_fail(gpu_type, gpus, failed, created):
    path = TRACES / "spot" / "toad_aws_availability_2020-03-15.csv"
    mine = (gpu_type, str(gpus))
    rows = [row for _, row in table(path, ("event",)) if (row["gpu_type"], row["gpus"]) == mine]
    found = Counter(row["event"] for row in rows)
    assert found["create_failed"] == failed
    assert created is None or found["created"] == created
    record = read_market("toad", path, 0.0, Market(gpu_type, gpus))
    assert bool(record.stockouts) is (failed > 0)
    assert len(record.losses) <= found["not_running"]
