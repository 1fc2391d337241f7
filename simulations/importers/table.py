"""Reading tables row by row: typed cells, errors that name the line and the fix, or a list of skipped rows."""

from __future__ import annotations

import csv
import datetime as dt
import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from simulations.errors import InputError
from simulations.jobs import BadRow, Job, Trace

Row = Mapping[str, str]
MAX_BYTES = 2 << 30
"""A larger trace is refused; split it first (rows are held in memory)."""


class RowError(ValueError):
    """A row that cannot be read: one sentence with the fix."""


def read_text(path: Path) -> str:
    """The file as text; raises InputError where it is missing, too large or not UTF-8."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(path, None, f"the file is larger than {MAX_BYTES >> 30} GiB; split it and name the parts")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise InputError(path, None, f"{reason}; check the path") from None
    except UnicodeDecodeError as error:
        raise InputError(path, None, f"byte {error.start} is not UTF-8; save the file as UTF-8 text") from None


def table(path: Path, required: Sequence[str], delimiter: str = ",") -> Iterator[tuple[int, Row]]:
    """The rows of a CSV file with its header as keys, each with its line number.

    Raises InputError for a missing column. A row of another length than the header is given as it is: `cells`
    are missing then, and reading one raises RowError.
    """
    reader = csv.reader(read_text(path).splitlines(), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
        if header is None:
            raise InputError(
                path, 1, f"the file is empty; its first line has to name the columns {', '.join(required)}"
            )
        names = [name.strip() for name in header]
        _check_header(path, names, required)
        for cells in reader:
            if cells:
                yield reader.line_num, _as_row(names, cells)
    except csv.Error as error:
        raise InputError(path, reader.line_num, f"not a CSV row ({error}); check its quotes") from None


def _as_row(names: list[str], cells: list[str]) -> Row:
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=False)}
    if len(cells) != len(names):
        row["\0cells"] = f"{len(cells)} cells where the header names {len(names)} columns"
    return row


def _check_header(path: Path, names: list[str], required: Sequence[str]) -> None:
    for name in required:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            hint = f'; rename "{near[0]}"' if near else f"; the header has {', '.join(names)}"
            raise InputError(path, 1, f'the column "{name}" is missing{hint}')
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise InputError(path, 1, f'the column "{twice[0]}" stands there twice; remove one')


def collect(
    path: Path,
    rows: Iterable[tuple[int, Row]],
    read: Callable[[Row], Iterable[Job]],
    *,
    skip_bad_rows: bool,
) -> tuple[tuple[Job, ...], tuple[BadRow, ...]]:
    """The jobs of all rows, and the rows that could not be read.

    A bad row raises InputError with its line, or, with `skip_bad_rows`, is listed. So is a second job of the same id.
    """
    jobs: list[Job] = []
    bad: list[BadRow] = []
    seen: dict[str, int] = {}
    for line, row in rows:
        try:
            if "\0cells" in row:
                raise RowError(f"the row has {row[chr(0) + 'cells']}; add or remove cells")
            for job in read(row):
                if job.id in seen:
                    raise RowError(f'the id "{job.id}" was used on line {seen[job.id]} already; ids have to be unique')
                seen[job.id] = line
                jobs.append(job)
        except RowError as error:
            if not skip_bad_rows:
                raise InputError(path, line, str(error)) from None
            bad.append(BadRow(line, str(error)))
    return tuple(jobs), tuple(bad)


def trace_of(
    path: Path,
    rows: Iterable[tuple[int, Row]],
    read: Callable[[Row], Iterable[Job]],
    *,
    skip_bad_rows: bool,
    counts: dict[str, int] | None = None,
) -> Trace:
    """`collect` as a Trace. `counts` may be filled by `read` while the rows are read."""
    jobs, bad = collect(path, rows, read, skip_bad_rows=skip_bad_rows)
    return Trace(path, jobs, bad, counts if counts is not None else {})


def number(row: Row, column: str, *, least: float = 0.0) -> float:
    """A finite decimal number of at least `least`."""
    text = row.get(column, "")
    try:
        value = float(text)
    except ValueError:
        raise RowError(f'{column}: "{text}" is not a number; write one, as in 3600') from None
    if not math.isfinite(value):
        raise RowError(f'{column}: "{text}" is not finite; write a number')
    if value < least:
        raise RowError(f"{column}: {text} is below {least:g}; correct the row")
    return value


def whole(row: Row, column: str, *, least: int = 0) -> int:
    """A whole number of at least `least`; `8.0` counts as 8."""
    value = number(row, column, least=least)
    if value != int(value):
        raise RowError(f"{column}: {row[column]} is not a whole number; correct the row")
    return int(value)


def instant(text: str, column: str) -> float:
    """RFC 3339, a plain `2017-09-21 08:12:29` (taken as UTC), or seconds since the epoch."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        found = dt.datetime.fromisoformat(text.replace("Z", "+00:00").replace("z", "+00:00"))
    except ValueError:
        raise RowError(
            f'{column}: "{text}" is no time; write RFC 3339, as in 2026-06-01T12:00:00Z, or seconds'
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=dt.UTC)).timestamp()
