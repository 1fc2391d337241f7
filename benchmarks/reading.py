"""Time to read a cluster, and to start `plan` on an empty one. `python -m benchmarks.reading`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from autoscaler.model.decoding.objects import decode_objects

PODS = 20_000
STARTS = 7
POLICY = """\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {name: a10}
spec:
  groups: [{simulated: {group: a10}, zone: zone-a}]
  template: {instanceType: g5.xlarge, taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}
  limits: {maxNodes: 5}
"""


def main() -> int:
    """Print decode time a pod next to `json.loads`, and cold starts next to a bare interpreter."""
    data = json.dumps({"apiVersion": "v1", "kind": "List", "items": [_pod(n) for n in range(PODS)]}).encode()
    began = perf_counter()
    json.loads(data)
    plain = perf_counter() - began
    began = perf_counter()
    decode_objects(data, "pods.json").snapshot(None)
    ours = perf_counter() - began
    _say(
        f"decode: {PODS:,} pods of {len(data) // PODS:,} bytes: {ours / PODS * 1e6:.1f} us a pod, classes included; "
        f"json.loads alone {plain / PODS * 1e6:.1f} us ({plain / ours:.1f} times as long)"
    )
    with tempfile.TemporaryDirectory() as scratch:
        policy, cluster = Path(scratch) / "policy.yaml", Path(scratch) / "cluster.yaml"
        policy.write_text(POLICY)
        cluster.write_text("apiVersion: v1\nkind: List\nitems: []\n")
        program = [sys.executable, "-m", "autoscaler.cli.main"]
        ours = _started([*program, "plan", "--policy", str(policy), "--cluster", str(cluster), "--output", "json"])
        bare = _started([sys.executable, "-c", "pass"])
        numpy = _started([sys.executable, "-c", "import numpy"])
    _say(
        f"cold start of plan on an empty cluster: {ours:.3f} s (target 0.5); "
        f"python alone {bare:.3f} s, import numpy {numpy:.3f} s; medians of {STARTS}"
    )
    return 0


def _started(command: list[str]) -> float:
    times = []
    for _ in range(STARTS):
        began = perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        times.append(perf_counter() - began)
    return median(times)


def _pod(number: int) -> dict[str, Any]:
    """A pending pod of about 3 kB, as a server prints it: env, mounts, status, tolerations."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"train-{number}",
            "namespace": "ml",
            "uid": f"0000-{number}",
            "creationTimestamp": "2026-06-01T11:58:00Z",
            "labels": {"app": "train", "job-name": f"train-{number // 8}", "pod-template-hash": "5f6d"},
            "ownerReferences": [
                {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u", "controller": True}
            ],
        },
        "spec": {
            "schedulerName": "default-scheduler",
            "priority": 0,
            "restartPolicy": "Never",
            "containers": [
                {
                    "name": "main",
                    "image": "registry.example/train:1.2.3",
                    "args": ["--epochs", "10", "--data", "/data/imagenet"],
                    "env": [{"name": f"VARIABLE_{n}", "value": "x" * 40} for n in range(20)],
                    "resources": {
                        "requests": {"cpu": f"{1 + number % 50}", "memory": "64Gi", "nvidia.com/gpu": "1"},
                        "limits": {"nvidia.com/gpu": "1"},
                    },
                    "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}],
                }
            ],
            "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}],
            "tolerations": [
                {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
                {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"},
            ],
        },
        "status": {
            "phase": "Pending",
            "conditions": [
                {
                    "type": "PodScheduled",
                    "status": "False",
                    "reason": "Unschedulable",
                    "message": "0/12 nodes are available: 12 Insufficient nvidia.com/gpu.",
                    "lastTransitionTime": "2026-06-01T11:58:01Z",
                }
            ],
        },
    }


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
