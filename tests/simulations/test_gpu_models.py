"""A job that names a GPU model runs on nodes that have it, however policy and trace call it."""

import pytest

from tests.simulations.worlds import pool, run, write

BY_TYPE = pool("typed", template={"instanceType": "p5.48xlarge"}, price=90.0)
BY_MODEL = pool("named", template={"gpu": {"model": "A100-80GB", "count": 8}, "resources": {"cpu": "64"}}, price=50.0)
BY_LABEL = pool(
    "labeled",
    price=20.0,
    template={"labels": {"nvidia.com/gpu.product": "G2"}, "resources": {"cpu": "64", "nvidia.com/gpu": 8}},
)
PLAIN = pool("plain", price=1.0)


@pytest.mark.parametrize(
    ("model", "spot_ok", "served_by"),
    [
        ("", "", "plain"),
        ("H100-80GB", "", "typed"),
        ("NVIDIA H100 80GB HBM3", "", "typed"),
        ("A100-80GB", "", "named"),
        ("A100-80GB", "false", "named"),
        ("NVIDIA A100-SXM4-80GB", "", "named"),
        ("G2", "", "labeled"),
        ("T4", "", ""),
    ],
)
def test_the_job_runs_where_its_model_is(tmp_path, model, spot_ok, served_by):
    jobs = [("a", 0, 60, 1, 1, model, spot_ok)]
    path = write(tmp_path, [BY_TYPE, BY_MODEL, BY_LABEL, PLAIN], jobs, columns=["gpu_model", "spot_ok"])
    simulation = run(path)
    (job,) = simulation.engine.runs
    assert job.pool == served_by
    assert (job.ended_at is not None) is bool(served_by)
    reasons = simulation.result(0.0).document["reasons"]
    assert reasons == ({} if served_by else {"NodeAffinityMismatch": 1})
