"""Jobs of Microsoft's Philly cluster in the form that the authors of Pollux published.

Columns `timestamp,duration,num_gpus`: the submission ("2017-09-21 08:12:29", no zone given, taken as UTC), the run time
in seconds and the GPUs of the whole job. More GPUs than a node has are a gang. The file has no ids: a job is named
`philly-LINE`, by its line. CPU and memory are not recorded. Source: petuum/adaptdl, branch osdi21-artifact; CC BY 4.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from simulations.importers.table import Row, instant, number, table, trace_of, whole
from simulations.jobs import Job, Trace

COLUMNS = ("timestamp", "duration", "num_gpus")


def read(path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """One job a row, one pod a job. Raises InputError."""
    rows = ((line, {**row, "line": str(line)}) for line, row in table(path, COLUMNS))
    return trace_of(path, rows, _job, skip_bad_rows=skip_bad_rows)


def _job(row: Row) -> Iterable[Job]:
    yield Job(
        id=f"philly-{row['line']}",
        submitted_at=instant(row["timestamp"], "timestamp"),
        duration_s=number(row, "duration"),
        gpus_per_pod=whole(row, "num_gpus", least=1),
        team=row.get("cluster", ""),
    )
