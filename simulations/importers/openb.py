"""Pods and nodes of Alibaba's openb cluster (2023), as published with FGD (USENIX ATC '23); Apache-2.0.

Pods: `name,cpu_milli,memory_mib,num_gpu,gpu_milli,…,pod_phase,creation_time,deletion_time,scheduled_time`, times in
seconds from the start of the trace. A pod is a job of one pod.

* `gpu_milli` below 1000 is a share of one GPU; what a share asks of a node is the scenario's choice (`share`).
* It ran from `scheduled_time` to `deletion_time`. A pod that was never scheduled (phase Pending) asks for as long as it
  existed, from creation to deletion: its run time is not known, this is a stand-in and is counted as `neverScheduled`.
* `gpu_spec` names the models that would do, separated by `|`; a job carries it only where it names a single one,
  the others are counted as `severalModels`. It is empty in the default list.

By its own times the trace is small: at most 66 GPUs are in use at once. It fills a cluster only if times are ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from simulations.importers.table import Row, RowError, number, table, trace_of, whole
from simulations.jobs import WHOLE, Job, Trace

COLUMNS = (
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "pod_phase",
    "creation_time",
    "deletion_time",
    "scheduled_time",
)
NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
PHASES = ("Running", "Failed", "Pending", "Succeeded")


def read(path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """One job a pod. `counts` has the phases, `neverScheduled` and `severalModels`. Raises InputError."""
    counts: Counter[str] = Counter()

    def job(row: Row) -> Iterable[Job]:
        found = _job(row)
        counts[row["pod_phase"]] += 1
        counts["neverScheduled"] += not row["scheduled_time"]
        counts["severalModels"] += "|" in row.get("gpu_spec", "")
        yield found

    trace = trace_of(path, table(path, COLUMNS), job, skip_bad_rows=skip_bad_rows)
    return Trace(trace.path, trace.jobs, trace.skipped, dict(sorted(counts.items())))


def _job(row: Row) -> Job:
    if row["pod_phase"] not in PHASES:
        raise RowError(f'pod_phase: "{row["pod_phase"]}" is none of {", ".join(PHASES)}; correct the row')
    created, deleted = number(row, "creation_time"), number(row, "deletion_time")
    started = number(row, "scheduled_time") if row["scheduled_time"] else created
    if deleted < started:
        raise RowError(f"deletion_time: {deleted:.0f} lies before the start at {started:.0f}; correct the row")
    gpus, milli = whole(row, "num_gpu"), whole(row, "gpu_milli")
    if milli > 1000 or (gpus > 1 and milli != 1000) or (gpus > 0 and milli == 0):
        raise RowError(f"gpu_milli: {milli} does not go with num_gpu {gpus}; a share is 1 to 999 of one GPU")
    models = row.get("gpu_spec", "")
    return Job(
        id=row["name"],
        submitted_at=created,
        duration_s=deleted - started,
        gpus_per_pod=gpus,
        gpu_milli=milli if gpus == 1 and milli < 1000 else WHOLE,
        cpu_milli=whole(row, "cpu_milli"),
        memory_bytes=whole(row, "memory_mib") << 20,
        gpu_model="" if "|" in models else models,
        team=row.get("qos", ""),
    )


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """Equal nodes of the list: cpu in thousandths, memory in MiB, GPUs, GPU model."""

    model: str
    gpus: int
    cpu_milli: int
    memory_mib: int


def read_nodes(path: Path) -> dict[Shape, int]:
    """How many nodes of each shape the node list has, sorted by shape. Raises InputError."""
    found: Counter[Shape] = Counter()

    def shape(row: Row) -> Iterable[Job]:
        found[
            Shape(row["model"], whole(row, "gpu"), whole(row, "cpu_milli", least=1), whole(row, "memory_mib", least=1))
        ] += 1
        return ()

    trace_of(path, table(path, NODE_COLUMNS), shape, skip_bad_rows=False)
    return dict(sorted(found.items()))
