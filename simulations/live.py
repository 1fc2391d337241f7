"""A simulation as a film: nodes come, work and go on a terminal, with the reasons and the dollars.

On a terminal it plays at an even speed, so that the whole takes about `seconds` of real time. Elsewhere (a pipe,
a dumb terminal) it does not wait: it prints a line an hour of virtual time, and each event as it happens. Both
end with a summary.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from autoscaler.model.instants import rfc3339
from autoscaler.reporting.sentences import say
from simulations.html_report import duration
from simulations.machines import Machine
from simulations.outputs import SimulationResult
from simulations.run import Simulation, prepare

SAMPLE = Path(__file__).with_name("samples") / "demo" / "scenario.yaml"
FRAME_S = 0.1
EVENTS_SHOWN = 9
JOBS_SHOWN = 6
CELLS_SHOWN = 60
Clock = Callable[[], float]
Sleep = Callable[[float], None]


@dataclass(slots=True)
class Film:
    """What has been seen so far. `unicode` False: plain letters for the cells."""

    simulation: Simulation
    unicode: bool = True
    shown_at: float = 0.0
    events: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=EVENTS_SHOWN))
    usd: float = 0.0
    _usd_at: float = 0.0
    _rate: float = 0.0

    def note(self, at: float, text: str) -> None:
        """An event of the world."""
        self.events.append((at, text))

    def advance(self, now: float) -> None:
        """The clock has moved; dollars are counted with it."""
        self.usd += self._rate * max(0.0, now - self._usd_at) / 3600
        self._usd_at, self.shown_at = now, now
        self._rate = self.simulation.engine.world.gauges.usd_per_hour

    def picture(self) -> Group:
        """The whole screen."""
        return Group(self._head(), self._pools(), self._queue(), self._events())

    def line(self) -> str:
        """The state in one line, for logs."""
        world, waiting = self.simulation.engine.world, self.simulation.engine.scheduler.waiting
        gauges = world.gauges
        return (
            f"{clock(self.shown_at)}  nodes {gauges.ready} ready, {gauges.booting} booting, {gauges.idle} idle  "
            f"GPUs {gauges.busy_gpus:.4g} of {gauges.ready_gpus} busy  waiting {len(waiting)} jobs  "
            f"${gauges.usd_per_hour:,.2f}/h  ${self.usd:,.2f} so far"
        )

    def _head(self) -> Text:
        gauges, engine = self.simulation.engine.world.gauges, self.simulation.engine
        used = 100 * gauges.used_gpus / gauges.ready_gpus if gauges.ready_gpus else 0.0
        done = sum(1 for r in engine.runs if r.ended_at is not None)
        head = Text()
        head.append(f" {clock(self.shown_at)} ", "bold reverse")
        head.append(f"  ${gauges.usd_per_hour:,.2f}/h", "bold green")
        head.append(f"  ${self.usd:,.2f} so far", "green")
        head.append(f"   GPUs {gauges.busy_gpus:.4g}/{gauges.ready_gpus} busy ({used:.0f} %)")
        head.append(f"   jobs {done}/{len(engine.runs)} done", "dim")
        return head

    def _pools(self) -> Panel:
        table = Table.grid(padding=(0, 2))
        for name, style in (("pool", "bold"), ("kind", "dim"), ("nodes", ""), ("count", "dim")):
            table.add_column(name, style=style)
        engine = self.simulation.engine
        health = {p.pool: p for p in engine.controller.plan.pools} if engine.controller.plan else {}
        for pool in engine.world.policies.pools:
            machines = engine.world.running(pool.name)
            cells = Text()
            for machine in machines[:CELLS_SHOWN]:
                sign, style = self._cell(machine)
                cells.append(sign + " ", style)
            state = health.get(pool.name)
            told = "" if state is None or state.state.value in ("Healthy", "AtMax") else state.state.value
            table.add_row(pool.name, pool.capacity_type, cells, f"{len(machines)}/{pool.max_nodes} {told}")
        signs = [self._sign(kind) for kind in ("busy", "part", "idle", "booting")]
        key = "  ".join(
            f"{sign} {kind}" for (sign, _), kind in zip(signs, ("busy", "partly", "idle", "booting"), strict=True)
        )
        return Panel(table, title="nodes", subtitle=key, border_style="dim")

    def _cell(self, machine: Machine) -> tuple[str, str]:
        if not machine.booted:
            return self._sign("booting")
        if not machine.working:
            return self._sign("idle")
        return self._sign("busy" if machine.used_gpus >= machine.gpus else "part")

    def _sign(self, kind: str) -> tuple[str, str]:
        signs = {
            "busy": ("■", "#", "bold blue"),
            "part": ("▣", "+", "blue"),
            "idle": ("□", ".", "yellow"),
            "booting": ("◌", "~", "magenta"),
        }
        rich, plain, style = signs[kind]
        return (rich if self.unicode else plain), style

    def _queue(self) -> Panel:
        table = Table.grid(padding=(0, 2))
        waiting = self.simulation.engine.scheduler.waiting
        for run in waiting[:JOBS_SHOWN]:
            job = run.item.job
            table.add_row(
                Text(job.id, "bold"),
                f"{job.gpus:.4g} GPUs",
                f"waits {duration(max(0.0, self.shown_at - run.created_at))}",
                Text(say(run.reason).message if run.reason else "", "dim"),
            )
        for _ in range(JOBS_SHOWN - len(waiting)):
            table.add_row("")
        more = f" ({len(waiting) - JOBS_SHOWN} more)" if len(waiting) > JOBS_SHOWN else ""
        return Panel(table, title=f"waiting: {len(waiting)}{more}", border_style="dim")

    def _events(self) -> Panel:
        lines = [Text.assemble((f"{clock(at)[-8:]} ", "dim"), text) for at, text in self.events]
        lines += [Text("")] * (EVENTS_SHOWN - len(lines))
        return Panel(Group(*lines), title="what happened, and why", border_style="dim")


def clock(instant: float) -> str:
    """2026-06-01 12:00:00."""
    return rfc3339(instant).replace("T", " ").rstrip("Z").split(".")[0].split("+")[0]


def play(
    path: Path = SAMPLE,
    *,
    seconds: float = 45.0,
    seed: int | None = None,
    console: Console | None = None,
    monotonic: Clock = time.monotonic,
    sleep: Sleep = time.sleep,
) -> SimulationResult:
    """Play a scenario and print its summary. Raises InputError where the scenario cannot be read."""
    console = console or Console()
    simulation = prepare(path, seed=seed)
    film = Film(simulation, unicode=(console.encoding or "").lower().startswith("utf"))
    began = monotonic()
    if console.is_terminal and os.environ.get("TERM", "") not in ("dumb", ""):
        simulation.engine.tell = film.note
        _play_live(film, console, seconds, monotonic, sleep)
    else:
        _play_plain(film, console)
    result = simulation.result(monotonic() - began)
    console.print(summary(result), highlight=False, soft_wrap=True)
    return result


def _play_live(film: Film, console: Console, seconds: float, monotonic: Clock, sleep: Sleep) -> None:
    simulation = film.simulation
    start, begin = simulation.engine.grid.start, monotonic()
    rate = max(1.0, simulation.span_s) / seconds
    with Live(film.picture(), console=console, auto_refresh=False, screen=False) as live:

        def move_to(at: float) -> None:
            """Let the clock run to `at` in its own time."""
            while (left := begin + (at - start) / rate - monotonic()) > 0:
                film.shown_at = at - left * rate
                live.update(film.picture(), refresh=True)
                sleep(min(left, FRAME_S))
            film.advance(at)

        film.advance(start)
        drawn = begin
        for at in simulation.steps():
            move_to(at)
            if monotonic() - drawn >= FRAME_S:
                live.update(film.picture(), refresh=True)
                drawn = monotonic()
        move_to(simulation.engine.now)
        live.update(film.picture(), refresh=True)


def _play_plain(film: Film, console: Console) -> None:
    def say(text: str) -> None:
        console.print(text, highlight=False, soft_wrap=True, markup=False)

    engine = film.simulation.engine
    engine.tell = lambda at, text: say(f"{clock(at)}  {text}")
    film.advance(engine.grid.start)
    next_line = engine.grid.start
    for at in film.simulation.steps():
        film.advance(at)
        if at >= next_line:
            say(film.line())
            next_line = at - (at - engine.grid.start) % 3600 + 3600
    film.advance(engine.now)
    say(film.line())


def summary(result: SimulationResult) -> str:
    """What it cost and who waited, in a few lines."""
    doc = result.document
    jobs, usd, gpu, waits = doc["jobs"], doc["usd"], doc["gpuHours"], doc["jobs"]["waitSeconds"]
    lines = [
        f"{jobs['completed']} of {jobs['submitted']} jobs completed, {jobs['interruptions']} interruptions, "
        f"{doc['nodes']['added']} nodes added, {doc['nodes']['removed']} removed, {doc['nodes']['peak']} at most",
        f"${usd['total']:,.2f} paid: ${usd['spot']:,.2f} spot, ${usd['onDemand']:,.2f} on-demand, "
        f"${usd['reserved']:,.2f} reserved; of it ${usd['idle']:,.2f} idle, ${usd['booting']:,.2f} booting",
        f"waits: mean {duration(waits['mean'])}, p50 {duration(waits['p50'])}, p95 {duration(waits['p95'])}, "
        f"max {duration(waits['max'])}; {100 * gpu['utilization']:.1f} % of the paid GPU-hours used",
        f"{doc['invariants']['checked']:,} checks of invariants, {len(doc['invariants']['violated'])} broken",
    ]
    unpriced = [name for name, p in doc["pools"].items() if p["usdPerHour"] is None and p["nodes"]["hours"]]
    if unpriced:
        lines.insert(2, f"prices are not known, and left out, of {', '.join(unpriced)}: set price.usdPerHour")
    return "\n".join([*lines, *result.notes])
