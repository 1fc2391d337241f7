"""The waits of a public trace on one big node, to every digit of a separate computation."""

from pathlib import Path

import pytest

from simulations.importers.philly import read
from tests.simulations.worlds import API, GPU, document

TRACE = Path(__file__).resolve().parents[2].parent / "shared" / "traces" / "philly" / "philly_vc_ee9e8c.csv"
needs_trace = pytest.mark.skipif(not TRACE.is_file(), reason="the public traces are not beside this checkout")

POLICY = f"""
apiVersion: {API}
kind: NodePool
metadata: {{name: big}}
spec:
  groups: [{{simulated: {{group: big}}, zone: zone-a}}]
  template: {{resources: {{cpu: "10000", memory: 100Ti, {GPU}: GPUS}}}}
  limits: {{minNodes: 1, maxNodes: 1}}
"""
SCENARIO = f"""
apiVersion: {API}
kind: Scenario
metadata: {{name: one-big-node}}
spec:
  policy: policy.yaml
  workload:
    - trace: {{format: philly, path: jobs.csv}}
      as: job-per-pod
      pod: {{cpuPerGpu: "8", memoryPerGpu: 64Gi}}
  scheduler: {{queue: best-effort-fifo}}
  supply: {{bootDelay: {{fixed: 0s}}}}
  until: drained
"""


@needs_trace
@pytest.mark.parametrize(
    ("gpus", "queue", "mean", "p90", "p95", "p99", "longest", "utilization"),
    [
        (192, "strict-fifo", 49_971.7, 201_889, 227_214, 261_956, 284_724, 60.52),
        (192, "best-effort-fifo", 27_498.1, 101_317, 161_249, 303_853, 1_189_299, 60.52),
        (256, "strict-fifo", 1_627.8, 0, 4_025, 43_857, 91_314, 45.39),
        (256, "best-effort-fifo", 935.5, 0, 0, 25_023, 96_865, 45.39),
        (320, "strict-fifo", 1.9, 0, 0, 0, 1_346, 36.31),
    ],
)
def test_philly_waits_as_published(tmp_path, gpus, queue, mean, p90, p95, p99, longest, utilization):
    (tmp_path / "policy.yaml").write_text(POLICY.replace("GPUS", str(gpus)))
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    (tmp_path / "jobs.csv").write_bytes(TRACE.read_bytes())
    found = document(tmp_path / "scenario.yaml", sets=[f"spec.scheduler.queue={queue}"])
    waits = found["jobs"]["waitSeconds"]
    assert round(waits["mean"], 1) == mean
    assert (waits["p90"], waits["p95"], waits["p99"], waits["max"]) == (p90, p95, p99, longest)
    assert round(found["jobs"]["makespanSeconds"] / 86400, 3) == 91.834
    assert round(100 * found["gpuHours"]["utilization"], 2) == utilization
    assert found["jobs"]["completed"] == 1511
    assert found["invariants"]["violated"] == []


@needs_trace
@pytest.mark.slow
def test_an_elastic_pool_pays_for_little_more_than_what_is_used(tmp_path):
    small = POLICY.replace("GPUS", "8").replace("minNodes: 1, maxNodes: 1", "minNodes: 0, maxNodes: 60")
    (tmp_path / "policy.yaml").write_text(small)
    (tmp_path / "scenario.yaml").write_text(SCENARIO.replace("job-per-pod", "gang"))
    (tmp_path / "jobs.csv").write_bytes(TRACE.read_bytes())
    sets = ["spec.supply.bootDelay={p50: 4m, p95: 9m}", "spec.workload[0].select.to=2017-10-15T00:00:00Z"]
    found = document(tmp_path / "scenario.yaml", sets=sets)
    assert found["jobs"]["completed"] == found["jobs"]["submitted"] > 100
    assert found["gpuHours"]["utilization"] > 0.9
    assert found["jobs"]["waitSeconds"]["max"] < 3600
    assert found["nodes"]["added"] == found["nodes"]["removed"] > 20
    assert found["invariants"]["violated"] == []
    jobs = [j for j in read(TRACE).jobs if j.submitted_at < 1_508_025_600]
    assert found["gpuHours"]["requested"] == pytest.approx(sum(j.gpu_hours for j in jobs), rel=1e-9)
    assert found["gpuHours"]["busy"] == pytest.approx(found["gpuHours"]["requested"], rel=1e-9)
