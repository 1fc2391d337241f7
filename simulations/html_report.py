"""A report on one simulation as a single HTML file that opens without a network: tables, and two drawings in SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from simulations.ticks import Tick

WIDTH, HEIGHT, LEFT, BOTTOM = 960, 220, 60, 24
POINTS = 1200
"""A drawing has at most so many steps; of those that fall on one, the largest value is shown."""
STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #66788a; --line: #d5dde5; --paper: #fff;
  --demand: #c2410c; --busy: #1d4ed8; --ready: #93b4f5; --booting: #d4a72c; --usd: #047857; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9fb0c0; --line: #34404c; --paper: #12181f; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1000px;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; margin: .5rem 0; } th, td { padding: .2rem .9rem .2rem 0; text-align: right; }
th { color: var(--soft); font-weight: 500; } th:first-child, td:first-child { text-align: left; }
tr + tr td { border-top: 1px solid var(--line); } .cards { display: flex; flex-wrap: wrap; gap: 1rem; }
.card { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 8rem; }
.card b { display: block; font-size: 1.4rem; } .card span, .note { color: var(--soft); }
svg { width: 100%; height: auto; } svg text { font-size: 11px; fill: var(--soft); }
.key::before { content: ""; display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 1em;
  background: var(--c); }
"""
Series = tuple[str, str, Callable[[Tick], float]]
GPUS: tuple[Series, ...] = (
    ("ready and booting", "--booting", lambda t: t.ready_gpus + t.booting_gpus),
    ("ready", "--ready", lambda t: t.ready_gpus),
    ("busy", "--busy", lambda t: t.running_gpus),
)
DEMAND: Series = ("asked for (running and waiting)", "--demand", lambda t: t.running_gpus + t.waiting_gpus)
MONEY: Series = ("dollars an hour", "--usd", lambda t: t.usd_per_hour)


def report_of(document: dict[str, Any], ticks: Sequence[Tick], notes: Sequence[str] = ()) -> str:
    """The report as HTML. Everything in it comes from the document, the ticks and the notes of one simulation."""
    name = escape(str(document["scenario"]))
    parts = [
        f"<h1>Simulation of {name}</h1>",
        f'<p class="note">Seed {document["seed"]}. Decided by the code that runs clusters, in virtual time.</p>',
        _cards(document),
        "<h2>GPUs over time</h2>",
        _legend((DEMAND, *GPUS)),
        _drawing(ticks, GPUS, DEMAND),
        "<h2>Dollars an hour over time</h2>",
        _drawing(ticks, (), MONEY),
        "<h2>Waiting</h2>",
        _table(("", "mean", "p50", "p90", "p95", "p99", "max"), [("until all pods ran", *_waits(document))]),
        "<h2>Pools</h2>",
        _pools(document),
        "<h2>Why jobs waited</h2>",
        _reasons(document),
        "<h2>What this rests on</h2>",
        _table(("file", "sha256"), [(i["path"], i["sha256"]) for i in document["inputs"]]),
        *(f'<p class="note">{escape(note)}</p>' for note in notes),
        _invariants(document),
    ]
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Simulation of {name}</title>'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def duration(seconds: float) -> str:
    """Two units at most: 2d 4h, 3h 20m, 4m 10s, 1.5s."""
    if seconds < 60:
        return f"{seconds:.3g}s"
    whole = round(seconds)
    for unit, size, lower, lower_size in (("d", 86400, "h", 3600), ("h", 3600, "m", 60), ("m", 60, "s", 1)):
        if whole >= size:
            rest = whole % size // lower_size
            return f"{whole // size}{unit} {rest}{lower}" if rest else f"{whole // size}{unit}"
    return f"{whole}s"


def _cards(document: dict[str, Any]) -> str:
    jobs, gpu, usd, nodes = document["jobs"], document["gpuHours"], document["usd"], document["nodes"]
    cards = [
        (f"${usd['total']:,.2f}", "paid in all"),
        (f"${usd['idle']:,.2f}", "of it for idle GPUs"),
        (duration(jobs["waitSeconds"]["mean"]), "mean wait"),
        (duration(jobs["waitSeconds"]["p95"]), "p95 wait"),
        (f"{100 * gpu['utilization']:.1f} %", "of paid GPU-hours used"),
        (f"{jobs['completed']:,} of {jobs['submitted']:,}", "jobs completed"),
        (f"{nodes['peak']:,}", "nodes at most"),
        (f"{jobs['interruptions']:,}", "jobs interrupted"),
    ]
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card"><b>{escape(value)}</b><span>{escape(label)}</span></div>' for value, label in cards
        )
        + "</div>"
    )


def _waits(document: dict[str, Any]) -> list[str]:
    return [duration(document["jobs"]["waitSeconds"][key]) for key in ("mean", "p50", "p90", "p95", "p99", "max")]


def _pools(document: dict[str, Any]) -> str:
    rows = [
        (
            name,
            pool["capacityType"],
            f"{pool['nodes']['peak']:,}",
            f"{pool['nodes']['hours']:,.1f}",
            f"{pool['gpuHours']['busy']:,.1f}",
            f"{pool['gpuHours']['idle']:,.1f}",
            f"{pool['gpuHours']['booting']:,.1f}",
            f"{pool['interruptions']:,}",
            f"{pool['stockouts']:,}",
            f"{pool['usd']['total']:,.2f}" if pool["usdPerHour"] is not None else "price not known",
        )
        for name, pool in document["pools"].items()
    ]
    header = ("pool", "", "peak", "node hours", "GPU-h busy", "idle", "booting", "lost", "stock-outs", "USD")
    return _table(header, rows)


def _reasons(document: dict[str, Any]) -> str:
    rows = sorted(document["reasons"].items(), key=lambda item: (-item[1], item[0]))
    return _table(("reason", "jobs"), rows) if rows else '<p class="note">No job was held back.</p>'


def _invariants(document: dict[str, Any]) -> str:
    found = document["invariants"]
    if not found["violated"]:
        return f'<p class="note">{found["checked"]:,} checks of the promised invariants, none broken.</p>'
    items = "".join(f"<li>{escape(text)}</li>" for text in found["violated"])
    return f"<p><b>Broken invariants</b> ({found['checked']:,} checks)</p><ul>{items}</ul>"


def _table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _legend(series: Sequence[Series]) -> str:
    keys = "".join(f'<span class="key" style="--c: var({color})">{escape(name)}</span>' for name, color, _ in series)
    return f"<p>{keys}</p>"


def _drawing(ticks: Sequence[Tick], areas: Sequence[Series], line: Series) -> str:
    """Areas behind one another, a line on top, time from left to right, from the first tick to the last."""
    if len(ticks) < 2:
        return '<p class="note">Nothing happened over time.</p>'
    start, end = ticks[0].at, ticks[-1].at
    top = max(max(value(t) for _, _, value in (*areas, line)) for t in ticks) or 1.0
    shapes = []
    for _, color, value in areas:
        outline = _outline(ticks, value, start, end, top)
        shapes.append(f'<path d="{outline} V{HEIGHT} H{LEFT} Z" fill="var({color})"/>')
    _, color, value = line
    outline = _outline(ticks, value, start, end, top)
    shapes.append(f'<path d="{outline}" fill="none" stroke="var({color})" stroke-width="1.5"/>')
    labels = (
        f'<text x="{LEFT - 6}" y="12" text-anchor="end">{top:,.4g}</text>'
        f'<text x="{LEFT - 6}" y="{HEIGHT}" text-anchor="end">0</text>'
        f'<text x="{LEFT}" y="{HEIGHT + 16}">0</text>'
        f'<text x="{WIDTH}" y="{HEIGHT + 16}" text-anchor="end">{duration(end - start)}</text>'
    )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT + BOTTOM}" role="img">{"".join(shapes)}{labels}</svg>'


def _outline(ticks: Sequence[Tick], value: Callable[[Tick], float], start: float, end: float, top: float) -> str:
    """Steps as a path; each tick's value holds until the next."""
    slots: dict[int, list[float]] = {}
    for tick in ticks:
        slots.setdefault(int((tick.at - start) / (end - start) * POINTS), []).append(value(tick))
    commands: list[str] = []
    last = 0.0
    for slot, values in sorted(slots.items()):
        x = LEFT + slot / POINTS * (WIDTH - LEFT)
        height = HEIGHT - max(values) / top * (HEIGHT - 10)
        commands.append(f"M{x:.1f} {height:.1f}" if not commands else f"H{x:.1f} V{height:.1f}")
        if values[-1] != max(values):
            commands.append(f"V{HEIGHT - values[-1] / top * (HEIGHT - 10):.1f}")
        last = x
    if last < WIDTH:
        commands.append(f"H{WIDTH}")
    return " ".join(commands)
