"""Traces of jobs: one module a format, all giving `Job`s."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from simulations.errors import InputError
from simulations.importers import jobs, kubectl, openb, philly, slurm
from simulations.jobs import Trace


class Read(Protocol):
    """An importer: the file in, jobs out; a row that cannot be read stops it, or is listed."""

    def __call__(self, path: Path, *, skip_bad_rows: bool = False) -> Trace: ...


FORMATS: dict[str, Read] = {
    "jobs": jobs.read,
    "kubectl": kubectl.read,
    "openb": openb.read,
    "philly": philly.read,
    "slurm": slurm.read,
}

write_jobs: Callable[..., None] = jobs.write


def read_trace(format_name: str, path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """The trace at `path`. Raises InputError: unknown format, unreadable file, a bad row (unless they are skipped)."""
    reader = FORMATS.get(format_name)
    if reader is None:
        near = difflib.get_close_matches(format_name, FORMATS, 1)
        hint = f'did you mean "{near[0]}"?' if near else f"it is one of {', '.join(FORMATS)}"
        raise InputError(path, None, f'the trace format "{format_name}" is unknown; {hint}')
    return reader(path, skip_bad_rows=skip_bad_rows)
