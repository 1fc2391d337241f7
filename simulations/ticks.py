"""The course of a simulation: one line for each instant at which anything changed."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter

from simulations.engine import Engine


@dataclass(frozen=True, slots=True)
class Tick:
    """What there was after an instant. GPUs of jobs that wait and run are as requested, shares as fractions."""

    at: float
    waiting_jobs: int
    waiting_gpus: float
    running_gpus: float
    ready_nodes: int
    booting_nodes: int
    idle_nodes: int
    ready_gpus: int
    booting_gpus: int
    idle_gpus: float
    usd_per_hour: float

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """The names of the values."""
        return tuple(f.name for f in fields(cls))

    @property
    def state(self) -> tuple[object, ...]:
        """Everything but the instant."""
        found: tuple[object, ...] = _STATE(self)
        return found


_STATE = attrgetter(*Tick.columns()[1:])


@dataclass(slots=True)
class Course:
    """Ticks of one simulation, those that repeat the one before left out."""

    ticks: list[Tick] = field(default_factory=list)

    def observe(self, engine: Engine) -> None:
        """Called after each instant."""
        tick = tick_of(engine)
        if not self.ticks or self.ticks[-1].state != tick.state:
            self.ticks.append(tick)


def tick_of(engine: Engine) -> Tick:
    """What there is now."""
    gauges, waiting = engine.world.gauges, engine.scheduler.waiting
    used = gauges.busy_gpus
    return Tick(
        at=engine.now,
        waiting_jobs=len(waiting),
        waiting_gpus=round(sum(r.item.job.gpus for r in waiting), 6),
        running_gpus=used,
        ready_nodes=gauges.ready,
        booting_nodes=gauges.booting,
        idle_nodes=gauges.idle,
        ready_gpus=gauges.ready_gpus,
        booting_gpus=gauges.booting_gpus,
        idle_gpus=round(gauges.ready_gpus - used, 6),
        usd_per_hour=round(gauges.usd_per_hour, 6) + 0.0,
    )
