"""Slurm accounting, as `sacct --allusers --duplicates --parsable2 --format=JobID,Submit,Start,End,ElapsedRaw,State,
NNodes,ReqTRES,AllocTRES,Account` prints it (cells separated by `|`, the first line names them).

* GPUs, CPUs and memory come from AllocTRES, else from ReqTRES (`gres/gpu=16`, one `gres/gpu:a100=16`). A job
  over N nodes is N pods if its GPUs divide by N, else one pod.
* It ran for ElapsedRaw seconds, else Elapsed, else from Start to End. Jobs that never started have no run time:
  they are left out and counted as `neverStarted`.
* Steps (`123.batch`) belong to their job: counted as `steps`. Times without a zone are taken as UTC: run sacct
  with TZ=UTC.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from simulations.errors import InputError
from simulations.importers.table import Row, RowError, instant, number, table, trace_of, whole
from simulations.jobs import Job, Trace

COLUMNS = ("Submit", "State")
NOT_KNOWN = ("", "Unknown", "None", "N/A")
ELAPSED = re.compile(r"(?:(?P<days>\d+)-)?(?:(?P<hours>\d+):)?(?P<minutes>\d+):(?P<seconds>\d+)(?:\.\d+)?")
MEMORY = re.compile(r"(\d+(?:\.\d+)?)([KMGTP]?)[nc]?")
SHIFT = {"": 20, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50}


def read(path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """One job a row. `counts` has the states, `steps` and `neverStarted`. Raises InputError."""
    counts: Counter[str] = Counter()

    def jobs(row: Row) -> Iterable[Job]:
        job_id = row.get("JobIDRaw") or row.get("JobID", "")
        if not job_id:
            raise RowError("JobID is empty; print the columns JobID,Submit,Start,End,ElapsedRaw,State,NNodes,ReqTRES")
        if "." in job_id:
            counts["steps"] += 1
            return ()
        seconds = _elapsed(row)
        counts[row["State"].split(" ")[0].rstrip("+")] += 1
        if seconds is None:
            counts["neverStarted"] += 1
            return ()
        return (_job(job_id, seconds, row),)

    rows = table(path, COLUMNS, delimiter="|")
    trace = trace_of(path, _with_resources(path, rows), jobs, skip_bad_rows=skip_bad_rows)
    return Trace(trace.path, trace.jobs, trace.skipped, dict(sorted(counts.items())))


def _with_resources(path: Path, rows: Iterable[tuple[int, Row]]) -> Iterable[tuple[int, Row]]:
    first = True
    for line, row in rows:
        if first and not {"ReqTRES", "AllocTRES"} & set(row):
            raise InputError(path, 1, "neither AllocTRES nor ReqTRES is among the columns; add one to sacct --format")
        first = False
        yield line, row


def _elapsed(row: Row) -> float | None:
    """Seconds of run time; None for a job that never started."""
    if row.get("Start", "x") in NOT_KNOWN:
        return None
    if row.get("ElapsedRaw", "") not in NOT_KNOWN:
        return number(row, "ElapsedRaw")
    if row.get("Elapsed", "") not in NOT_KNOWN:
        found = ELAPSED.fullmatch(row["Elapsed"])
        if not found:
            raise RowError(f'Elapsed: "{row["Elapsed"]}" is not of the form 1-02:03:04; add ElapsedRaw to --format')
        days, hours, minutes, seconds = (int(found[name] or 0) for name in ("days", "hours", "minutes", "seconds"))
        return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
    if row.get("Start", "") in NOT_KNOWN or row.get("End", "") in NOT_KNOWN:
        raise RowError("the run time is not known; add ElapsedRaw, or Start and End, to sacct --format")
    seconds_run = instant(row["End"], "End") - instant(row["Start"], "Start")
    if seconds_run < 0:
        raise RowError("End lies before Start; correct the row")
    return seconds_run


def _job(job_id: str, seconds: float, row: Row) -> Job:
    tres = _tres(row.get("AllocTRES") or row.get("ReqTRES", ""))
    nodes = whole(row, "NNodes", least=1) if row.get("NNodes") else int(tres.get("node", "1"))
    models = sorted({key.partition(":")[2] for key in tres if key.startswith("gres/gpu:")})
    typed = sum(_count(tres, key) for key in tres if key.startswith("gres/gpu:"))
    gpus = _count(tres, "gres/gpu") if "gres/gpu" in tres else typed
    pods = nodes if gpus % nodes == 0 and nodes > 0 else 1
    cpus, memory = _count(tres, "cpu"), _memory(tres.get("mem", ""))
    return Job(
        id=job_id,
        submitted_at=instant(row["Submit"], "Submit"),
        duration_s=seconds,
        pods=pods,
        gpus_per_pod=gpus // pods,
        cpu_milli=cpus * 1000 // pods if cpus else None,
        memory_bytes=memory // pods if memory else None,
        gpu_model=models[0] if len(models) == 1 else "",
        team=row.get("Account", ""),
    )


def _tres(text: str) -> dict[str, str]:
    found = {}
    for item in filter(None, text.split(",")):
        key, sign, value = item.partition("=")
        if not sign:
            raise RowError(f'"{item}" in AllocTRES or ReqTRES is not of the form name=value; correct the row')
        found[key] = value
    return found


def _count(tres: dict[str, str], key: str) -> int:
    text = tres.get(key, "0")
    if not text.isdigit():
        raise RowError(f'{key}: "{text}" is no whole number; correct the row')
    return int(text)


def _memory(text: str) -> int:
    """Bytes of `64G`; a number without a unit is in MiB, as Slurm has it."""
    if not text:
        return 0
    found = MEMORY.fullmatch(text)
    if not found:
        raise RowError(f'mem: "{text}" is not a size such as 64G; correct the row')
    return int(float(found[1]) * (1 << SHIFT[found[2]]))
