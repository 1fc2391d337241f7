"""The files of `--out`: summary.json, jobs.csv, nodes.csv, ticks.csv, report.html."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autoscaler.model.instants import rfc3339
from simulations.engine import Engine
from simulations.html_report import report_of
from simulations.jobs import Trace
from simulations.result import bill_of, machines_of
from simulations.runs import Run
from simulations.ticks import Course, Tick

JOB_COLUMNS = (
    "id",
    "team",
    "submitted_at",
    "started_at",
    "ended_at",
    "wait_s",
    "run_s",
    "pods",
    "gpus",
    "priority",
    "pool",
    "interruptions",
    "lost_s",
    "usd",
    "state",
    "reason",
)
NODE_COLUMNS = (
    "instance",
    "node",
    "pool",
    "group",
    "zone",
    "instance_type",
    "capacity_type",
    "launched_at",
    "ready_at",
    "ended_at",
    "cause",
    "hours",
    "gpus",
    "busy_gpu_hours",
    "idle_gpu_hours",
    "booting_gpu_hours",
    "usd",
)
SKIPPED_SHOWN = 10
Table = tuple[tuple[str, ...], list[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What a simulation gave: the published document and the tables beside it.

    `document` has the keys of the contract; equal inputs and seed give equal values but for `wallSeconds`.
    `notes`: what was left out of the traces or taken for granted, a sentence each, for people.
    """

    document: dict[str, Any]
    jobs: Table
    nodes: Table
    ticks: tuple[Tick, ...]
    notes: tuple[str, ...] = ()

    def json(self) -> str:
        """The document as text, keys in the order of the contract."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"


def result_tables(
    engine: Engine, course: Course, document: dict[str, Any], traces: Sequence[Trace]
) -> SimulationResult:
    """The document with its tables."""
    notes = tuple(note for trace in traces for note in _notes(trace))
    return SimulationResult(document, _jobs(engine.runs), _nodes(engine), tuple(course.ticks), notes)


def _notes(trace: Trace) -> Iterator[str]:
    if trace.counts:
        yield f"{trace.path.name}: {', '.join(f'{name} {count:,}' for name, count in trace.counts.items())}"
    if trace.skipped:
        lines = ", ".join(str(row.line) for row in trace.skipped[:SKIPPED_SHOWN])
        more = ", …" if len(trace.skipped) > SKIPPED_SHOWN else ""
        yield (
            f"{trace.path.name}: {len(trace.skipped):,} rows could not be read and were skipped "
            f"(lines {lines}{more}); the first: {trace.skipped[0].message}"
        )


def write_outputs(result: SimulationResult, folder: Path) -> tuple[Path, ...]:
    """Write all files into `folder` (made if it is not there); their paths. Files of an earlier run are overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    summary, report = folder / "summary.json", folder / "report.html"
    summary.write_text(result.json(), encoding="utf-8")
    _write(folder / "jobs.csv", *result.jobs)
    _write(folder / "nodes.csv", *result.nodes)
    ticks = ((rfc3339(t.at), *t.state) for t in result.ticks)
    _write(folder / "ticks.csv", Tick.columns(), ticks)
    report.write_text(report_of(result.document, result.ticks, result.notes), encoding="utf-8")
    return (summary, folder / "jobs.csv", folder / "nodes.csv", folder / "ticks.csv", report)


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _jobs(runs: Sequence[Run]) -> Table:
    rows: list[tuple[object, ...]] = []
    for run in runs:
        job = run.item.job
        rows.append(
            (
                job.id,
                job.team,
                rfc3339(job.submitted_at),
                _instant(run.first_started_at),
                _instant(run.ended_at),
                _number(run.wait_s),
                _number(job.duration_s),
                len(run.item.specs),
                _number(job.gpus),
                run.item.specs[0].priority,
                run.pool,
                run.interruptions,
                _number(run.lost_s),
                _number(run.usd),
                _state(run),
                str(run.reason.code) if run.reason else "",
            )
        )
    return JOB_COLUMNS, rows


def _state(run: Run) -> str:
    if run.ended_at is not None:
        return "completed"
    if run.started_at is not None:
        return "running"
    return "waiting" if run.pods else "notSubmitted"


def _nodes(engine: Engine) -> Table:
    rows: list[tuple[object, ...]] = []
    for machine in machines_of(engine):
        bill, template = bill_of(machine, engine.now), machine.template
        rows.append(
            (
                machine.id,
                machine.name,
                machine.pool,
                template.group,
                machine.zone,
                template.instance_type,
                template.capacity_type,
                rfc3339(machine.launched_at),
                rfc3339(machine.ready_at) if machine.booted else "",
                _instant(machine.ended_at),
                machine.cause,
                _number(bill.node_h),
                machine.gpus,
                _number(bill.busy_gpu_h),
                _number(bill.idle_gpu_h),
                _number(bill.booting_gpu_h),
                _number(bill.usd),
            )
        )
    return NODE_COLUMNS, rows


def _instant(value: float | None) -> str:
    return "" if value is None else rfc3339(value)


def _number(value: float | None) -> str:
    """Up to six decimals, none where there are none."""
    if value is None:
        return ""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
