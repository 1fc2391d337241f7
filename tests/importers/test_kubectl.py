"""Pods as kubectl prints them become jobs: when they were asked for, how long they ran, what they held."""

import json

import pytest

from simulations.errors import InputError
from simulations.importers import read_trace

T = "2026-06-01T1{}:00Z"


def pod(name, *, gpus=1, created="2:00", start="2:05", end="2:35", owner="Job", resource="nvidia.com/gpu", **meta):
    requests = {"cpu": "4", "memory": "16Gi", resource: str(gpus)}
    state = {}
    if start:
        moment = {"startedAt": T.format(start)}
        state = {"terminated": {**moment, "finishedAt": T.format(end)}} if end else {"running": moment}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "vision",
            "creationTimestamp": T.format(created),
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": owner, "name": name, "uid": f"u-{name}", "controller": True}
            ],
            **meta,
        },
        "spec": {
            "nodeName": "n1" if start else None,
            "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-L4"},
            "containers": [{"name": "c", "resources": {"requests": requests, "limits": {resource: str(gpus)}}}],
        },
        "status": {"phase": "Running", "containerStatuses": [{"name": "c", "state": state}] if start else []},
    }


def trace(tmp_path, *items, **options):
    path = tmp_path / "pods.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    return read_trace("kubectl", path, **options)


def test_a_finished_pod_is_a_job_with_its_times_and_requests(tmp_path):
    (job,) = trace(tmp_path, pod("train", gpus=2)).jobs
    assert (job.id, job.team, job.gpus_per_pod, job.gpu_model) == ("vision/train", "vision", 2, "NVIDIA-L4")
    assert (job.duration_s, job.cpu_milli, job.memory_bytes) == (1800, 4000, 16 << 30)


def test_a_pod_that_still_runs_counts_up_to_the_newest_instant(tmp_path):
    found = trace(tmp_path, pod("done", end="4:00"), pod("going", start="3:00", end=None))
    assert {job.id: job.duration_s for job in found.jobs} == {"vision/done": 6900, "vision/going": 3600}
    assert found.counts == {"stillRunning": 1}


def test_what_is_no_work_or_never_ran_is_counted(tmp_path):
    found = trace(
        tmp_path,
        pod("agent", owner="DaemonSet"),
        pod("pending", start=None),
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},
    )
    assert (found.jobs, found.counts) == ((), {"daemonPods": 1, "neverStarted": 1, "otherObjects": 1})


def test_pods_of_a_gang_are_one_job(tmp_path):
    labels = {"gpu-autoscaler.dev/pod-group": "big", "gpu-autoscaler.dev/pod-group-size": "2"}
    found = trace(tmp_path, pod("a", gpus=8, labels=labels), pod("b", gpus=8, labels=labels, start="2:10", end="2:40"))
    (job,) = found.jobs
    assert (job.id, job.pods, job.gpus_per_pod, job.duration_s) == ("vision/big", 2, 8, 1800)


@pytest.mark.parametrize(("profile", "milli"), [("1g.5gb", 143), ("3g.20gb", 429), ("7g.40gb", 0)])
def test_a_mig_device_is_a_share_by_its_compute_slices(tmp_path, profile, milli):
    (job,) = trace(tmp_path, pod("p", resource=f"nvidia.com/mig-{profile}")).jobs
    assert (job.gpus_per_pod, job.gpu_milli) == (1, milli)


def test_a_pod_that_cannot_be_read_is_named_or_listed(tmp_path):
    broken = pod("broken")
    broken["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "four"
    with pytest.raises(
        InputError, match=r"object 2: spec\.containers\[0\]\.resources\.requests\.cpu.*correct the object"
    ):
        trace(tmp_path, pod("fine"), broken)
    found = trace(tmp_path, pod("fine"), broken, skip_bad_rows=True)
    assert (len(found.jobs), [row.line for row in found.skipped]) == (1, [2])
