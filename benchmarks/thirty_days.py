"""Thirty simulated days of a cluster with spot interruptions, by the real loop. `python -m benchmarks.thirty_days`.

The jobs are those of a Philly virtual cluster (`../shared/traces`, where that folder is there); elsewhere the training
jobs of the demo, every day again. Told for each seed: broken invariants, the largest ledger of the run, and the memory
of the process after 5 and after 30 days. 1 if an invariant was broken, the ledger passed its bound, or memory grew.
"""

from __future__ import annotations

import csv
import gc
import resource
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import yaml

from autoscaler.control.ledger import STATE
from autoscaler.model.instants import rfc3339
from autoscaler.model.ports import DocumentName
from simulations.importers import read_trace
from simulations.run import Simulation, prepare

ROOT = Path(__file__).resolve().parents[1]
PHILLY = ROOT.parent / "shared" / "traces" / "philly" / "philly_vc_ee9e8c.csv"
SAMPLE = ROOT / "simulations" / "samples" / "demo" / "training.csv"
API = "gpu-autoscaler.dev/v1alpha1"
SEEDS = (1, 2, 3)
DAYS, EARLY = 30, 5
DAY_S = 86400.0
LEDGER_MOST = 256 * 1024
"""Bytes; a ConfigMap takes a mebibyte."""
GROWTH_MOST = 8.0
"""MiB between the two readings, for jobs and machines that are over and are kept for the result."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one run came to. Memory in MiB, the ledger in bytes."""

    seed: int
    seconds: float
    looks: int
    jobs: str
    interruptions: int
    nodes: int
    ledger: int
    early: float
    late: float
    checked: int
    broken: int

    @property
    def kept(self) -> bool:
        """True if everything that is promised was kept."""
        return not self.broken and self.ledger <= LEDGER_MOST and self.late - self.early <= GROWTH_MOST


def scenario(folder: Path) -> Path:
    """The scenario, its policy and its jobs, written to a folder."""
    trace = {"format": "philly", "path": str(PHILLY)} if PHILLY.is_file() else _sample_days(folder / "jobs.csv")
    (folder / "policy.yaml").write_text(
        yaml.safe_dump_all(
            [
                _pool("spot", 10.0, capacityType="spot", spot={"fallback": ["on-demand"]}),
                _pool("on-demand", 30.0),
            ]
        )
    )
    document = {
        "apiVersion": API,
        "kind": "Scenario",
        "metadata": {"name": "thirty-days"},
        "spec": {
            "policy": "policy.yaml",
            "workload": [
                {"trace": trace, "pod": {"cpuPerGpu": "7", "memoryPerGpu": "50Gi", "checkpointEvery": "1h"}}
                | ({"as": "gang"} if PHILLY.is_file() else {})
            ],
            "supply": {
                "bootDelay": {"p50": "4m", "p95": "9m"},
                "spot": [{"pool": "spot", "interruptionsPerHour": 0.05}],
                "stockouts": [
                    {"pool": "spot", "from": f"{24 * day + 9}h", "to": f"{24 * day + 11}h"} for day in range(DAYS)
                ],
            },
            "until": f"{DAYS}d",
        },
    }
    path = folder / "scenario.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


def _pool(name: str, price: float, **spec: object) -> dict[str, object]:
    resources = {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": 8}
    return {
        "apiVersion": API,
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {
            "groups": [{"simulated": {"group": name}, "zone": "zone-a"}],
            "template": {"resources": resources},
            "price": {"usdPerHour": price},
            "limits": {"minNodes": 0, "maxNodes": 60},
            **spec,
        },
    }


def _sample_days(path: Path) -> dict[str, str]:
    jobs = read_trace("jobs", SAMPLE).jobs
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(("id", "submitted_at", "duration_s", "pods", "gpus_per_pod"))
        for day in range(DAYS):
            for job in jobs:
                at = rfc3339(job.submitted_at + day * DAY_S)
                writer.writerow((f"{job.id}-{day}", at, job.duration_s, job.pods, job.gpus_per_pod))
    return {"format": "jobs", "path": str(path)}


def run(path: Path, seed: int) -> Figures:
    """One run, measured. The ticks of the report are left out: they grow with the days, as they should."""
    simulation = prepare(path, seed=seed)
    engine = simulation.engine
    began, start = perf_counter(), engine.grid.start
    ledger, early = 0, 0.0
    for at in engine.steps():
        ledger = max(ledger, _ledger_bytes(simulation))
        if not early and at - start >= EARLY * DAY_S:
            early = _memory_mib()
    late = _memory_mib()
    done = sum(1 for r in engine.runs if r.ended_at is not None)
    return Figures(
        seed=seed,
        seconds=perf_counter() - began,
        looks=engine.controller.looks,
        jobs=f"{done}/{sum(1 for r in engine.runs if r.item.job.submitted_at <= engine.now)}",
        interruptions=sum(r.interruptions for r in engine.runs),
        nodes=engine.cloud.launched.total(),
        ledger=ledger,
        early=early,
        late=late,
        checked=engine.oracle.checked,
        broken=engine.oracle.broken,
    )


def _ledger_bytes(simulation: Simulation) -> int:
    stored = simulation.engine.controller.loop.cluster.read_document(DocumentName.LEDGER)
    return len(stored.data[STATE].encode()) if stored is not None else 0


def _memory_mib() -> float:
    """What the process holds now; where the system does not tell, the most it ever held."""
    gc.collect()
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> int:
    """Run all seeds and print the table."""
    source = PHILLY.name if PHILLY.is_file() else f"{SAMPLE.name}, every day"
    _say(f"{DAYS} days of {source}, spot at 0.05 interruptions an hour, a stock-out a day")
    _say("seed  seconds  passes     jobs  interruptions  nodes  ledger B  MiB day 5  MiB day 30   checks  broken")
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = scenario(Path(folder))
        for seed in SEEDS:
            f = run(path, seed)
            found.append(f)
            _say(
                f"{f.seed:>4} {f.seconds:>8.1f} {f.looks:>7,} {f.jobs:>8} {f.interruptions:>14,} {f.nodes:>6,} "
                f"{f.ledger:>9,} {f.early:>10.1f} {f.late:>11.1f} {f.checked:>8,} {f.broken:>7}"
            )
    return 0 if all(f.kept for f in found) else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
