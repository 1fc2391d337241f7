"""The project's own format: what its cells mean, and that writing and reading are inverse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulations.importers import read_trace, write_jobs
from simulations.jobs import Job

GIB = 2**30


@pytest.mark.parametrize(
    ("column", "cell", "field", "value"),
    [
        ("gpu_share", "0.25", "gpu_milli", 250),
        ("gpu_share", "1", "gpu_milli", 0),
        ("gpu_share", "", "gpu_milli", 0),
        ("cpu_per_pod", "500m", "cpu_milli", 500),
        ("cpu_per_pod", "8", "cpu_milli", 8000),
        ("cpu_per_pod", "", "cpu_milli", None),
        ("memory_per_pod", "64Gi", "memory_bytes", 64 * GIB),
        ("priority", "-5", "priority", -5),
        ("spot_ok", "false", "spot_ok", False),
        ("spot_ok", "", "spot_ok", None),
        ("checkpoint_every_s", "1800", "checkpoint_every_s", 1800.0),
        ("gpu_model", "H100-80GB", "gpu_model", "H100-80GB"),
        ("team", "vision", "team", "vision"),
    ],
)
def test_an_optional_cell_means_what_it_says(tmp_path, column, cell, field, value):
    path = tmp_path / "jobs.csv"
    path.write_text(f"id,submitted_at,duration_s,pods,gpus_per_pod,{column}\na,0,60,1,1,{cell}\n")
    (job,) = read_trace("jobs", path).jobs
    assert getattr(job, field) == value


@pytest.mark.parametrize(
    ("cell", "seconds"),
    [("2026-06-01T12:00:00Z", 1780315200.0), ("2026-06-01T14:00:00+02:00", 1780315200.0), ("90.5", 90.5)],
)
def test_a_submission_is_a_time_or_seconds(tmp_path, cell, seconds):
    path = tmp_path / "jobs.csv"
    path.write_text(f"id,submitted_at,duration_s,pods,gpus_per_pod\na,{cell},60,1,1\n")
    assert read_trace("jobs", path).jobs[0].submitted_at == seconds


def test_csv_and_json_lines_mean_the_same(tmp_path):
    (tmp_path / "jobs.csv").write_text("id,submitted_at,duration_s,pods,gpus_per_pod,spot_ok\na,0,60,2,8,true\n")
    line = '{"id": "a", "submitted_at": 0, "duration_s": 60, "pods": 2, "gpus_per_pod": 8, "spot_ok": true}\n'
    (tmp_path / "jobs.jsonl").write_text(line)
    assert read_trace("jobs", tmp_path / "jobs.csv").jobs == read_trace("jobs", tmp_path / "jobs.jsonl").jobs


text = st.text(st.characters(codec="ascii", exclude_categories=["C"]), max_size=8).map(str.strip)
jobs = st.builds(
    Job,
    id=st.text("abc-9", min_size=1, max_size=6),
    submitted_at=st.floats(0, 2e9) | st.integers(0, 2**31).map(float),
    duration_s=st.floats(0, 1e7),
    pods=st.integers(1, 64),
    gpus_per_pod=st.just(1),
    gpu_milli=st.integers(0, 999),
    cpu_milli=st.none() | st.integers(0, 10**6),
    memory_bytes=st.none() | st.integers(0, 2**40),
    gpu_model=text,
    priority=st.none() | st.integers(-(2**31), 2**31),
    team=text,
    spot_ok=st.none() | st.booleans(),
    checkpoint_every_s=st.none() | st.floats(1, 1e6),
)


@given(st.lists(jobs, max_size=5, unique_by=lambda j: j.id))
def test_what_is_written_is_read_again(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("jobs") / "jobs.csv"
    write_jobs(found, path)
    assert list(read_trace("jobs", path).jobs) == found
