"""Recorded spot markets, as capacity of a pool over time.

A trace is laid onto the scenario's start: its first instant is the first instant of the scenario. After its end
the last value holds.

* bamboo (NSDI '23), two forms. Events `milliseconds,add|remove,node` (AWS p3): the number of nodes that are
  there. Counts `date, time, n` (GCP): that number.
* toad (Training on a Dime): probes `ts,slot,gpu_type,gpus,zone,event` of single instances; a probe stands for its
  market. From `create_failed` to the next `created` nothing can be launched; what runs stays. At `not_running` the
  probe was lost, and so is every node of the pool (losses within a zone and type come together). `gpuType`, `gpus`
  and `zone` choose the market where the file has several; failed creations name no zone and count for every one.
* skypilot (spot-traces): JSON `{"metadata": {"gap_seconds": s}, "data": [counts]}`: a count every gap. In the
  sets of one node the counts are 0 and 1. The files carry no license and are read from a path of yours.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulations.errors import InputError
from simulations.importers.table import Row, RowError, instant, number, read_text, table, whole
from simulations.supply import Capacity, Window

FORMATS = ("bamboo", "toad", "skypilot")
Steps = list[tuple[float, float]]
"""(seconds from the start of the trace, count)."""


@dataclass(frozen=True, slots=True)
class Market:
    """Which market of a toad file: "" and 0 for any."""

    gpu_type: str = ""
    gpus: int = 0
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What a market did: the nodes it gave over time, when it had none to launch, when it took all away."""

    capacity: Capacity | None = None
    stockouts: tuple[Window, ...] = ()
    losses: tuple[float, ...] = ()


ANY = Market()


def read_market(format_name: str, path: Path, start: float, market: Market = ANY) -> Record:
    """The record of a market, its first instant at `start`. Raises InputError."""
    match format_name:
        case "bamboo":
            steps = _bamboo(path)
        case "skypilot":
            steps = _skypilot(path)
        case "toad":
            return _toad(path, start, market)
        case _:
            formats = ", ".join(FORMATS)
            raise InputError(path, None, f'the market format "{format_name}" is unknown; it is one of {formats}')
    if not steps:
        raise InputError(path, None, "the trace has no rows; check the file")
    kept = _changes(steps)
    return Record(Capacity(tuple(start + at for at, _ in kept), tuple(count for _, count in kept)))


def _changes(steps: Steps) -> Steps:
    """The last value of each instant, where it differs from the one before."""
    last = dict(sorted(steps, key=lambda step: step[0]))
    kept: Steps = []
    for at, count in last.items():
        if not kept or kept[-1][1] != count:
            kept.append((at, count))
    return kept


def _bamboo(path: Path) -> Steps:
    rows = [(line, [c.strip() for c in text.split(",")]) for line, text in _lines(path)]
    events = bool(rows) and len(rows[0][1]) == 3 and rows[0][1][1] in ("add", "remove")
    steps: Steps = []
    nodes: set[str] = set()
    first: float | None = None
    for line, cells in rows:
        try:
            if len(cells) != 3:
                raise RowError(f"{len(cells)} cells; a row is milliseconds,add|remove,node or date, time, count")
            if events:
                at = number({"milliseconds": cells[0]}, "milliseconds") / 1000
                if cells[1] not in ("add", "remove"):
                    raise RowError(f'"{cells[1]}" is neither add nor remove; correct the row')
                (nodes.add if cells[1] == "add" else nodes.discard)(cells[2])
                count = float(len(nodes))
            else:
                at, count = instant(f"{cells[0]} {cells[1]}", "time"), float(whole({"count": cells[2]}, "count"))
        except RowError as error:
            raise InputError(path, line, str(error)) from None
        first = at if first is None else first
        steps.append((at - first, count))
    return steps


def _lines(path: Path) -> Iterable[tuple[int, str]]:
    return ((n, text) for n, text in enumerate(read_text(path).splitlines(), 1) if text.strip())


def _toad(path: Path, start: float, market: Market) -> Record:
    first: float | None = None
    failed_at: float | None = None
    windows: list[Window] = []
    losses: list[float] = []
    found = False
    for line, row in table(path, ("ts", "gpu_type", "gpus", "zone", "event")):
        try:
            at = instant(row["ts"], "ts")
            mine = _is_of(market, row)
        except RowError as error:
            raise InputError(path, line, str(error)) from None
        first = at if first is None else first
        if not mine:
            continue
        found, now = True, start + at - first
        match row["event"]:
            case "create_failed":
                failed_at = now if failed_at is None else failed_at
            case "created":
                windows += [Window(failed_at, now)] if failed_at is not None else []
                failed_at = None
            case "not_running":
                losses.append(now)
            case "running" | "deleted":
                pass
            case other:
                known = "created, create_failed, running, not_running, deleted"
                raise InputError(path, line, f'the event "{other}" is unknown; it is one of {known}')
    if not found:
        raise InputError(path, None, "the trace has no rows for this market; check gpuType, gpus and zone")
    windows += [Window(failed_at, math.inf)] if failed_at is not None else []
    return Record(None, tuple(windows), tuple(dict.fromkeys(losses)))


def _is_of(market: Market, row: Row) -> bool:
    return (
        (not market.gpu_type or row["gpu_type"] == market.gpu_type)
        and (not market.gpus or whole(row, "gpus") == market.gpus)
        and (not market.zone or row["zone"] in ("", market.zone))
    )


def _skypilot(path: Path) -> Steps:
    try:
        found: Any = json.loads(read_text(path))
        gap, counts = float(found["metadata"]["gap_seconds"]), [float(c) for c in found["data"]]
    except (ValueError, TypeError, KeyError):
        form = '{"metadata": {"gap_seconds": 600}, "data": [1, 0, …]}'
        raise InputError(path, None, f"the file is not of the form {form}; check that it is a spot trace") from None
    if gap <= 0 or any(c < 0 for c in counts):
        raise InputError(path, None, "gap_seconds and all counts have to be positive; correct the file")
    return [(i * gap, count) for i, count in enumerate(counts)]
