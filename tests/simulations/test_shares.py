"""What a share of a GPU asks for, by the scenario's rule."""

from collections import Counter
from pathlib import Path

import pytest

from providers.catalog.catalog import load_catalog
from simulations.demand import PodShape, Share, SpecMaker, mig_share
from simulations.importers import read_trace
from simulations.jobs import Job
from tests.simulations.worlds import GPU, document, run, write

OPENB = Path(__file__).resolve().parents[2].parent / "shared" / "traces" / "openb"
SLICED = Share("nvidia.com/gpu.shared", 4)
SAME_NAME = Share(GPU, 4)


def mig(model):
    found = load_catalog().gpu_model(model)
    assert found is not None
    return mig_share(found)


def asks(share, milli, gpus=1):
    spec = SpecMaker(PodShape(share=share), {}).item(Job("j", 0, 60, 1, gpus, milli)).specs[0]
    return dict(spec.requests)


@pytest.mark.parametrize(
    ("milli", "devices"),
    [(250, 1), (251, 2), (500, 2), (810, 4), (999, 4), (1, 1)],
)
def test_a_time_sliced_share_is_rounded_up_to_replicas(milli, devices):
    assert asks(SLICED, milli) == {"nvidia.com/gpu.shared": devices}
    assert asks(Share(), milli) == {GPU: 1}


def test_a_whole_gpu_is_all_replicas_where_both_have_one_name():
    assert asks(SLICED, 0, gpus=2) == {GPU: 2}
    assert asks(SAME_NAME, 0, gpus=2) == {GPU: 8}


@pytest.mark.parametrize(
    ("model", "milli", "resource"),
    [
        ("A100-40GB", 142, "mig-1g.5gb"),
        ("A100-40GB", 143, "mig-2g.10gb"),
        ("A100-40GB", 285, "mig-2g.10gb"),
        ("A100-40GB", 286, "mig-3g.20gb"),
        ("A100-40GB", 500, "mig-4g.20gb"),
        ("A100-40GB", 572, "mig-7g.40gb"),
        ("H100-80GB", 142, "mig-1g.10gb"),
        ("A30-24GB", 251, "mig-2g.12gb"),
    ],
)
def test_a_mig_share_is_the_smallest_profile_with_as_many_slices(model, milli, resource):
    assert asks(mig(model), milli) == {f"nvidia.com/{resource}": 1}


@pytest.mark.skipif(not OPENB.is_dir(), reason="the public traces are not beside this checkout")
def test_openb_shares_fall_into_the_known_profiles():
    trace = read_trace("openb", OPENB / "openb_pod_list_default.csv")
    maker = SpecMaker(PodShape(share=mig("A100-40GB")), {})
    found: Counter[str] = Counter()
    for job in trace.jobs:
        if job.gpu_milli:
            found.update(
                n.removeprefix("nvidia.com/mig-")[:2] for n, _ in maker.item(job).specs[0].requests if "/" in n
            )
    assert found == {"7g": 1406, "4g": 971, "3g": 389, "2g": 280, "1g": 32}


MIG_POOL = {
    "apiVersion": "gpu-autoscaler.dev/v1alpha1",
    "kind": "NodePool",
    "metadata": {"name": "mig"},
    "spec": {
        "groups": [{"simulated": {"group": "mig"}, "zone": "zone-a"}],
        "template": {
            "instanceType": "p4d.24xlarge",
            "gpu": {
                "model": "A100-40GB",
                "count": 8,
                "sharing": {"mig": {"strategy": "mixed", "layouts": ["all-1g.5gb", "all-3g.20gb"]}},
            },
        },
        "limits": {"minNodes": 0, "maxNodes": 1},
        "scaleDown": {"idleCooldown": "20m"},
    },
}


def test_an_idle_node_is_cut_anew_for_jobs_that_need_another_layout(tmp_path):
    small = [(f"s{i}", 0, 600, 1, 1, 0.14) for i in range(5)]
    large = [(f"l{i}", 1200, 600, 1, 1, 0.4) for i in range(5)]
    simulation = run(
        write(
            tmp_path,
            [MIG_POOL],
            [*small, *large],
            columns=["gpu_share"],
            workload={"share": {"mig": {"model": "A100-40GB"}}},
            supply={"bootDelay": {"fixed": "2m"}},
        )
    )
    found = simulation.result(0.0).document
    assert found["nodes"]["added"] == 1
    assert {job.wait_s for job in simulation.engine.runs} == {120, 60}
    # 5 of 56 slices of one seventh, then 5 devices of 3 of 48 compute slices in use, of 8 GPUs.
    assert found["gpuHours"]["busy"] == pytest.approx(8 * (5 / 56 + 5 / 16) * 600 / 3600, abs=1e-6)


def test_time_sliced_pools_serve_shares(tmp_path):
    sliced = {
        "apiVersion": "gpu-autoscaler.dev/v1alpha1",
        "kind": "NodePool",
        "metadata": {"name": "t4"},
        "spec": {
            "groups": [{"simulated": {"group": "t4"}, "zone": "zone-a"}],
            "template": {
                "instanceType": "g4dn.xlarge",
                "gpu": {"count": 1, "sharing": {"timeSlicing": {"replicas": 4, "renameByDefault": True}}},
            },
            "limits": {"maxNodes": 5},
        },
    }
    jobs = [(f"j{i}", 0, 600, 1, 1, 0.5) for i in range(4)]
    found = document(
        write(
            tmp_path,
            [sliced],
            jobs,
            columns=["gpu_share"],
            workload={"share": {"timeSlicing": {"replicas": 4}}},
        )
    )
    assert found["jobs"]["completed"] == 4
    assert found["nodes"]["added"] == 2
    assert found["gpuHours"]["busy"] == pytest.approx(2 * 600 / 3600, abs=1e-6)
