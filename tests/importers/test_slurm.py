"""Slurm accounting: which rows are jobs, and what they asked for."""

import pytest

from simulations.importers import read_trace

HEADER = "JobID|Submit|Start|End|ElapsedRaw|State|NNodes|ReqTRES|AllocTRES|Account\n"
TIMES = "2026-06-01T12:00:00|2026-06-01T12:05:00|2026-06-01T13:05:00|3600"


def jobs(tmp_path, *rows, header=HEADER):
    path = tmp_path / "sacct.txt"
    path.write_text(header + "".join(f"{row}\n" for row in rows))
    return read_trace("slurm", path)


@pytest.mark.parametrize(
    ("nodes", "tres", "pods", "gpus", "model", "cpu", "gib"),
    [
        ("1", "billing=8,cpu=8,gres/gpu=1,mem=64G,node=1", 1, 1, "", 8000, 64),
        ("2", "cpu=128,gres/gpu=16,gres/gpu:h100=16,mem=2048G,node=2", 2, 8, "h100", 64000, 1024),
        ("2", "cpu=4,gres/gpu=3,mem=4G", 1, 3, "", 4000, 4),
        ("1", "cpu=2,gres/gpu:a100=2,mem=1024M", 1, 2, "a100", 2000, 1),
        ("1", "cpu=2,mem=1G", 1, 0, "", 2000, 1),
    ],
)
def test_a_job_asks_for_what_it_was_given(tmp_path, nodes, tres, pods, gpus, model, cpu, gib):
    (job,) = jobs(tmp_path, f"7|{TIMES}|COMPLETED|{nodes}||{tres}|vision").jobs
    assert (job.pods, job.gpus_per_pod, job.gpu_model) == (pods, gpus, model)
    assert (job.cpu_milli, job.memory_bytes) == (cpu, gib * 2**30)
    assert (job.duration_s, job.team) == (3600, "vision")


def test_steps_and_jobs_that_never_started_are_counted_and_left_out(tmp_path):
    trace = jobs(
        tmp_path,
        f"7|{TIMES}|COMPLETED|1||gres/gpu=1|a",
        f"7.batch|{TIMES}|COMPLETED|1||gres/gpu=1|a",
        "8|2026-06-01T12:00:00|Unknown|Unknown|0|PENDING|1|gres/gpu=4||a",
        "9|2026-06-01T12:00:00|None|2026-06-01T12:00:09|0|CANCELLED by 7|1|gres/gpu=4||a",
    )
    assert [job.id for job in trace.jobs] == ["7"]
    assert trace.counts == {"CANCELLED": 1, "COMPLETED": 1, "PENDING": 1, "neverStarted": 2, "steps": 1}


@pytest.mark.parametrize(("elapsed", "seconds"), [("1-02:03:04", 93784), ("00:10:00", 600), ("05:30", 330)])
def test_elapsed_is_read_where_the_raw_seconds_are_not_there(tmp_path, elapsed, seconds):
    header = "JobID|Submit|Elapsed|State|AllocTRES\n"
    (job,) = jobs(tmp_path, f"7|2026-06-01T12:00:00|{elapsed}|COMPLETED|gres/gpu=1", header=header).jobs
    assert job.duration_s == seconds
