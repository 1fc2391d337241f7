"""A simulation as a film: nodes come, work and go on a terminal, with the reasons and the dollars.

On a terminal it plays at an even speed, so that the whole takes about `seconds` of real time. Elsewhere (a pipe,
a dumb terminal) it does not wait: it prints a line an hour of virtual time, and each event as it happens. Both
end with a summary. `serve` plays it at the same speed on a page of this machine.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from autoscaler.reporting.sentences import say
from simulations.film import CELLS_SHOWN, EVENTS_SHOWN, JOBS_SHOWN, Film, clock, kind_of
from simulations.html_report import duration
from simulations.outputs import SimulationResult
from simulations.page.server import PageServer
from simulations.run import prepare

SAMPLE = Path(__file__).with_name("samples") / "demo" / "scenario.yaml"
FRAME_S = 0.1
Clock = Callable[[], float]
Sleep = Callable[[float], None]
SIGNS = {
    "busy": ("■", "#", "bold blue"),
    "partly": ("▣", "+", "blue"),
    "idle": ("□", ".", "yellow"),
    "draining": ("▽", "v", "red"),
    "booting": ("◌", "~", "magenta"),
}


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
    film = Film(prepare(path, seed=seed))
    began = monotonic()
    if console.is_terminal and os.environ.get("TERM", "") not in ("dumb", ""):
        _play_live(film, console, seconds, monotonic, sleep)
    else:
        _play_plain(film, console)
    result = film.simulation.result(monotonic() - began)
    console.print(summary(result), highlight=False, soft_wrap=True)
    return result


def serve(
    server: PageServer,
    path: Path = SAMPLE,
    *,
    seconds: float = 45.0,
    seed: int | None = None,
    console: Console | None = None,
    monotonic: Clock = time.monotonic,
    sleep: Sleep = time.sleep,
) -> SimulationResult:
    """Play a scenario on the page of the server, which goes on showing the end; print the summary here."""
    console = console or Console()
    film = Film(prepare(path, seed=seed))
    film.simulation.engine.tell = film.note
    began = monotonic()
    _pace(film, seconds, monotonic, sleep, lambda: server.show(film.document()))
    result = film.simulation.result(monotonic() - began)
    server.show({**film.document(), "summary": summary(result)})
    console.print(summary(result), highlight=False, soft_wrap=True)
    return result


def _pace(film: Film, seconds: float, monotonic: Clock, sleep: Sleep, draw: Callable[[], None]) -> None:
    """Run the simulation at an even speed; `draw` shows the state, ten times a second."""
    simulation = film.simulation
    start, begin = simulation.engine.grid.start, monotonic()
    rate = max(1.0, simulation.span_s) / seconds

    def move_to(at: float) -> None:
        """Let the clock run to `at` in its own time."""
        while (left := begin + (at - start) / rate - monotonic()) > 0:
            film.shown_at = at - left * rate
            draw()
            sleep(min(left, FRAME_S))
        film.advance(at)

    film.advance(start)
    drawn = begin
    for at in simulation.steps():
        move_to(at)
        if monotonic() - drawn >= FRAME_S:
            draw()
            drawn = monotonic()
    move_to(simulation.engine.now)
    draw()


def _play_live(film: Film, console: Console, seconds: float, monotonic: Clock, sleep: Sleep) -> None:
    film.simulation.engine.tell = film.note
    unicode = (console.encoding or "").lower().startswith("utf")
    film.shown_at = film.simulation.engine.grid.start
    with Live(picture(film, unicode=unicode), console=console, auto_refresh=False, screen=False) as live:

        def draw() -> None:
            live.update(picture(film, unicode=unicode), refresh=True)

        _pace(film, seconds, monotonic, sleep, draw)


def _play_plain(film: Film, console: Console) -> None:
    def tell(text: str) -> None:
        console.print(text, highlight=False, soft_wrap=True, markup=False)

    engine = film.simulation.engine
    engine.tell = lambda at, text: tell(f"{clock(at)}  {text}")
    film.advance(engine.grid.start)
    next_line = engine.grid.start
    for at in film.simulation.steps():
        if film.advance(at):
            tell(f"{clock(at)}  == {film.chapter}")
        if at >= next_line:
            tell(film.line())
            next_line = at - (at - engine.grid.start) % 3600 + 3600
    film.advance(engine.now)
    tell(film.line())


# The screen


def picture(film: Film, *, unicode: bool) -> Group:
    """The whole screen; `unicode` False: plain letters for the nodes."""
    return Group(_head(film), _pools(film, unicode=unicode), _queue(film), _events(film))


def _head(film: Film) -> Text:
    engine = film.simulation.engine
    gauges = engine.world.gauges
    used = 100 * gauges.used_gpus / gauges.ready_gpus if gauges.ready_gpus else 0.0
    done = sum(1 for r in engine.runs if r.ended_at is not None)
    head = Text()
    head.append(f" {clock(film.shown_at)} ", "bold reverse")
    head.append(f"  ${gauges.usd_per_hour:,.2f}/h", "bold green")
    head.append(f"  ${film.usd:,.2f} so far", "green")
    head.append(f"   GPUs {gauges.busy_gpus:.4g}/{gauges.ready_gpus} busy ({used:.0f} %)")
    head.append(f"   jobs {done}/{len(engine.runs)} done", "dim")
    head.append(f"\n {film.chapter}", "bold")
    return head


def _pools(film: Film, *, unicode: bool) -> Panel:
    table = Table.grid(padding=(0, 2))
    for name, style in (("pool", "bold"), ("kind", "dim"), ("nodes", ""), ("count", "dim"), ("coming", "magenta")):
        table.add_column(name, style=style)
    world = film.simulation.engine.world
    for pool in world.policies.pools:
        machines = world.running(pool.name)
        cells = Text()
        for machine in machines[:CELLS_SHOWN]:
            sign, style = _sign(kind_of(machine), unicode=unicode)
            cells.append(sign + " ", style)
        coming = sum(1 for m in machines if not m.booted)
        told = f"{coming} on their way" if coming else ""
        count = f"{len(machines)}/{pool.max_nodes} {film.pool_state(pool.name)}"
        table.add_row(pool.name, pool.capacity_type, cells, count, told)
    key = "  ".join(f"{_sign(kind, unicode=unicode)[0]} {kind}" for kind in SIGNS)
    return Panel(table, title="nodes", subtitle=key, border_style="dim")


def _sign(kind: str, *, unicode: bool) -> tuple[str, str]:
    rich, plain, style = SIGNS[kind]
    return (rich if unicode else plain), style


def _queue(film: Film) -> Panel:
    table = Table.grid(padding=(0, 2))
    waiting = film.waiting
    for run in waiting[:JOBS_SHOWN]:
        job = run.item.job
        table.add_row(
            Text(job.id, "bold"),
            f"{job.gpus:.4g} GPUs",
            f"waits {film.waits(run)}",
            Text(say(run.reason).message if run.reason else "", "dim"),
        )
    for _ in range(JOBS_SHOWN - len(waiting)):
        table.add_row("")
    more = f" ({len(waiting) - JOBS_SHOWN} more)" if len(waiting) > JOBS_SHOWN else ""
    return Panel(table, title=f"waiting: {len(waiting)}{more}", border_style="dim")


def _events(film: Film) -> Panel:
    lines = [Text.assemble((f"{clock(at)[-8:]} ", "dim"), text) for at, text in film.events]
    lines += [Text("")] * (EVENTS_SHOWN - len(lines))
    return Panel(Group(*lines), title="what happened, and why", border_style="dim")


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
