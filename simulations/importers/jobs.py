"""The project's own `jobs` format, as CSV or as JSON lines, read and written.

`id,submitted_at,duration_s,pods,gpus_per_pod` and, optional,
`gpu_model,gpu_share,cpu_per_pod,memory_per_pod,priority, team,spot_ok,checkpoint_every_s`. `submitted_at`: RFC
3339 or seconds since the epoch. `gpu_share`: the fraction of one GPU that each pod takes (0.25), with
`gpus_per_pod` 1. `cpu_per_pod`, `memory_per_pod`: Kubernetes quantities. An empty cell is "not given". Other
columns are refused, so that a misspelt one is not lost in silence.
"""

from __future__ import annotations

import csv
import datetime as dt
import difflib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from simulations.errors import InputError
from simulations.importers.cells import cpu_milli, memory_bytes
from simulations.importers.table import Row, RowError, instant, number, read_text, table, trace_of, whole
from simulations.jobs import WHOLE, Job, Trace

REQUIRED = ("id", "submitted_at", "duration_s", "pods", "gpus_per_pod")
OPTIONAL = (
    "gpu_model",
    "gpu_share",
    "cpu_per_pod",
    "memory_per_pod",
    "priority",
    "team",
    "spot_ok",
    "checkpoint_every_s",
)
COLUMNS = REQUIRED + OPTIONAL
YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read(path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """CSV, or JSON lines where the name ends in .jsonl, .ndjson or .json. Raises InputError."""
    lines = path.suffix in (".jsonl", ".ndjson", ".json")
    rows = _json_rows(path, skip_bad_rows=skip_bad_rows) if lines else table(path, REQUIRED)
    return trace_of(path, _known(path, rows), _job, skip_bad_rows=skip_bad_rows)


def _known(path: Path, rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """`rows`, after their columns were checked; equal sets of columns are checked once."""
    checked: set[tuple[str, ...]] = set()
    for line, row in rows:
        names = tuple(row)
        if names not in checked:
            for name in names:
                if name not in COLUMNS and not name.startswith("\0"):
                    near = difflib.get_close_matches(name, COLUMNS, 1)
                    hint = f'did you mean "{near[0]}"?' if near else f"the columns are {', '.join(COLUMNS)}"
                    at = 1 if path.suffix == ".csv" else line
                    raise InputError(path, at, f'the column "{name}" is unknown; {hint}')
            checked.add(names)
        yield line, row


def _json_rows(path: Path, *, skip_bad_rows: bool) -> Iterator[tuple[int, Row]]:
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        if not text.strip():
            continue
        try:
            found = json.loads(text)
            problem = "" if isinstance(found, dict) else "the line is no JSON object"
        except ValueError as error:
            found, problem = {}, f"the line is not JSON ({error})"
        if not problem:
            nested = sorted(k for k, v in found.items() if isinstance(v, list | dict))
            problem = f'"{nested[0]}" is no plain value' if nested else ""
        if problem and not skip_bad_rows:
            raise InputError(path, line, f"{problem}; write one job a line, as an object of plain values")
        yield line, {"\0problem": problem} if problem else {k: _text(v) for k, v in found.items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _job(row: Row) -> Iterable[Job]:
    if "\0problem" in row:
        raise RowError(row["\0problem"])
    for name in REQUIRED:
        if not row.get(name):
            raise RowError(f"{name} is missing; every job needs {', '.join(REQUIRED)}")
    gpus = whole(row, "gpus_per_pod")
    share = _share(row)
    if share and gpus > 1:
        raise RowError(f"gpu_share: a share is of one GPU, and gpus_per_pod is {gpus}; set gpus_per_pod to 1")
    yield Job(
        id=row["id"],
        submitted_at=instant(row["submitted_at"], "submitted_at"),
        duration_s=number(row, "duration_s"),
        pods=whole(row, "pods", least=1),
        gpus_per_pod=1 if share else gpus,
        gpu_milli=share,
        cpu_milli=cpu_milli(row, "cpu_per_pod"),
        memory_bytes=memory_bytes(row, "memory_per_pod"),
        gpu_model=row.get("gpu_model", ""),
        priority=_priority(row),
        team=row.get("team", ""),
        spot_ok=_yes_no(row, "spot_ok"),
        checkpoint_every_s=number(row, "checkpoint_every_s", least=1) if row.get("checkpoint_every_s") else None,
    )


def _share(row: Row) -> int:
    if not row.get("gpu_share"):
        return WHOLE
    share = number(row, "gpu_share")
    if share > 1:
        raise RowError(f"gpu_share: {row['gpu_share']} is above 1; it is a fraction of one GPU, as in 0.25")
    milli = round(share * 1000)
    return WHOLE if milli == 1000 else milli


def _priority(row: Row) -> int | None:
    if not row.get("priority"):
        return None
    return whole(row, "priority", least=-(2**31))


def _yes_no(row: Row, column: str) -> bool | None:
    text = row.get(column, "").lower()
    if not text:
        return None
    if text not in YES_NO:
        raise RowError(f'{column}: "{row[column]}" is neither true nor false; write one of them')
    return YES_NO[text]


def write(jobs: Iterable[Job], path: Path) -> None:
    """`jobs` as CSV of this format: `read` gives them back as they are. Times with a fraction are kept exactly."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for job in jobs:
            writer.writerow(_cells(job))


def _cells(job: Job) -> tuple[str, ...]:
    def given(value: object) -> str:
        return "" if value is None else _text(value)

    return (
        job.id,
        _instant(job.submitted_at),
        _plain(job.duration_s),
        str(job.pods),
        str(job.gpus_per_pod),
        job.gpu_model,
        _plain(job.gpu_milli / 1000) if job.gpu_milli else "",
        f"{job.cpu_milli}m" if job.cpu_milli is not None else "",
        given(job.memory_bytes),
        given(job.priority),
        job.team,
        given(job.spot_ok),
        _plain(job.checkpoint_every_s) if job.checkpoint_every_s is not None else "",
    )


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _instant(value: float) -> str:
    """RFC 3339 for whole seconds of this and the last decades, seconds otherwise (traces with a clock of their own)."""
    if value == int(value) and value >= 631152000:
        return dt.datetime.fromtimestamp(value, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return _plain(value)
