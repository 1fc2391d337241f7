"""Small scenarios for tests: a policy, jobs, and what to change, written to a folder and run."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from simulations.run import Simulation, prepare

API = "gpu-autoscaler.dev/v1alpha1"
GPU = "nvidia.com/gpu"
COLUMNS = ("id", "submitted_at", "duration_s", "pods", "gpus_per_pod")


def pool(
    name: str = "gpu", *, gpus: int = 8, price: float = 10.0, least: int = 0, most: int = 10, **spec: Any
) -> dict[str, Any]:
    """A NodePool; `spec` replaces blocks of its spec."""
    template = {"resources": {"cpu": "64", "memory": "512Gi", GPU: gpus}}
    return {
        "apiVersion": API,
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {
            "groups": [{"simulated": {"group": name}, "zone": "zone-a"}],
            "template": template,
            "price": {"usdPerHour": price},
            "limits": {"minNodes": least, "maxNodes": most},
            **spec,
        },
    }


def write(
    folder: Path,
    pools: Sequence[dict[str, Any]],
    jobs: Iterable[Sequence[object]],
    *,
    columns: Sequence[str] = (),
    cluster: dict[str, Any] | None = None,
    workload: dict[str, Any] | None = None,
    **spec: Any,
) -> Path:
    """The scenario's path. `jobs`: rows of COLUMNS and then of `columns`; `cluster`: spec of the AutoscalerPolicy."""
    documents = [*pools]
    if cluster is not None:
        documents.insert(
            0, {"apiVersion": API, "kind": "AutoscalerPolicy", "metadata": {"name": "default"}, "spec": cluster}
        )
    (folder / "policy.yaml").write_text(yaml.safe_dump_all(documents, sort_keys=False))
    with (folder / "jobs.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow((*COLUMNS, *columns))
        writer.writerows(jobs)
    document = {
        "apiVersion": API,
        "kind": "Scenario",
        "metadata": {"name": "small"},
        "spec": {
            "policy": "policy.yaml",
            "workload": [{"trace": {"format": "jobs", "path": "jobs.csv"}, **(workload or {})}],
            **spec,
        },
    }
    path = folder / "scenario.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def run(path: Path, **options: Any) -> Simulation:
    """The simulation at its end."""
    simulation = prepare(path, **options)
    for _ in simulation.steps():
        pass
    return simulation


def document(path: Path, **options: Any) -> dict[str, Any]:
    """The SimulationResult."""
    return run(path, **options).result(0.0).document
