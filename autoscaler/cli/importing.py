"""`import`: a trace of others in the jobs format."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from autoscaler.cli.user_error import UserError


def run(trace: Path, kind: str, out: Path | None, skip_bad_rows: bool) -> int:
    """Write the jobs as CSV; counts and skipped rows on standard error."""
    from simulations.errors import InputError
    from simulations.importers import read_trace
    from simulations.importers.jobs import write

    try:
        found = read_trace(kind, trace, skip_bad_rows=skip_bad_rows)
        if out is not None:
            write(found.jobs, out)
        else:
            with tempfile.TemporaryDirectory() as scratch:
                path = Path(scratch) / "jobs.csv"
                write(found.jobs, path)
                sys.stdout.write(path.read_text())
    except InputError as wrong:
        raise UserError(str(wrong)) from None
    except OSError as wrong:
        raise UserError(f"{wrong.filename}: cannot be written: {wrong.strerror}") from None
    sys.stderr.write(f"{len(found.jobs):,} jobs from {trace}\n")
    for name, number in sorted(found.counts.items()):
        sys.stderr.write(f"  {name}: {number:,}\n")
    for bad in found.skipped:
        sys.stderr.write(f"skipped {trace}:{bad.line}: {bad.message}\n")
    return 0
