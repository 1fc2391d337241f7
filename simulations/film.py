"""What there is to see of a simulation at one instant, for a terminal, for logs and for the page."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from autoscaler.control.claims import is_marked
from autoscaler.model.instants import rfc3339
from autoscaler.planning.plan import PoolState
from autoscaler.reporting.sentences import say
from simulations.html_report import duration
from simulations.machines import Machine
from simulations.run import Simulation
from simulations.runs import Run
from simulations.story import WORDS, Story

EVENTS_SHOWN = 9
JOBS_SHOWN = 6
CELLS_SHOWN = 60
QUIET = (PoolState.HEALTHY, PoolState.AT_MAX)


@dataclass(slots=True)
class Film:
    """A simulation while it runs. `usd`: what was paid up to `shown_at`."""

    simulation: Simulation
    story: Story = field(default_factory=Story)
    shown_at: float = 0.0
    usd: float = 0.0
    events: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=EVENTS_SHOWN))
    _usd_at: float = 0.0
    _rate: float = 0.0

    def note(self, at: float, text: str) -> None:
        """A decision, or an event of the world."""
        self.events.append((at, text))

    def advance(self, now: float) -> bool:
        """The clock has moved; dollars are counted with it. True if a new chapter of the day begins."""
        self.usd += self._rate * max(0.0, now - self._usd_at) / 3600
        self._usd_at, self.shown_at = now, now
        self._rate = self.simulation.engine.world.gauges.usd_per_hour
        return self.story.observe(self.simulation.engine)

    @property
    def chapter(self) -> str:
        """Where the day stands: a name and a few words."""
        return f"{self.story.chapter}: {WORDS[self.story.chapter]}"

    @property
    def waiting(self) -> list[Run]:
        """The queue, in the order of service."""
        return self.simulation.engine.scheduler.waiting

    def pool_state(self, name: str) -> str:
        """What holds a pool back, "" for nothing."""
        plan = self.simulation.engine.controller.plan
        found = next((p.state for p in plan.pools if p.pool == name), None) if plan is not None else None
        return "" if found is None or found in QUIET else str(found)

    def waits(self, run: Run) -> str:
        """For how long a job has waited."""
        return duration(max(0.0, self.shown_at - run.created_at))

    def line(self) -> str:
        """The state in one line, for logs."""
        gauges = self.simulation.engine.world.gauges
        return (
            f"{clock(self.shown_at)}  nodes {gauges.ready} ready, {gauges.booting} booting, {gauges.idle} idle  "
            f"GPUs {gauges.busy_gpus:.4g} of {gauges.ready_gpus} busy  waiting {len(self.waiting)} jobs  "
            f"${gauges.usd_per_hour:,.2f}/h  ${self.usd:,.2f} so far"
        )

    def document(self) -> dict[str, Any]:
        """The state for the page; every name in it is text, not markup."""
        engine = self.simulation.engine
        gauges = engine.world.gauges
        return {
            "clock": clock(self.shown_at),
            "chapter": self.chapter,
            "usdPerHour": round(gauges.usd_per_hour, 2),
            "usdSoFar": round(self.usd, 2),
            "gpusBusy": gauges.busy_gpus,
            "gpusReady": gauges.ready_gpus,
            "jobsDone": sum(1 for r in engine.runs if r.ended_at is not None),
            "jobs": len(engine.runs),
            "pools": [self._pool(pool.name) for pool in engine.world.policies.pools],
            "coming": [self._coming(m) for m in engine.world.machines.values() if not m.booted],
            "waiting": [self._job(run) for run in self.waiting[:JOBS_SHOWN]],
            "waitingJobs": len(self.waiting),
            "decisions": [{"at": clock(at), "text": text} for at, text in reversed(self.events)],
        }

    def _pool(self, name: str) -> dict[str, Any]:
        world = self.simulation.engine.world
        rules, machines = world.policies.by_name[name], world.running(name)
        return {
            "name": name,
            "kind": rules.capacity_type,
            "nodes": len(machines),
            "most": rules.max_nodes,
            "state": self.pool_state(name),
            "cells": [kind_of(machine) for machine in machines[:CELLS_SHOWN]],
        }

    def _coming(self, machine: Machine) -> dict[str, str]:
        since = duration(max(0.0, self.shown_at - machine.launched_at))
        return {"node": machine.name, "pool": machine.pool, "since": since}

    def _job(self, run: Run) -> dict[str, Any]:
        reason = say(run.reason).message if run.reason else ""
        return {"id": run.item.job.id, "gpus": run.item.job.gpus, "waits": self.waits(run), "reason": reason}


def kind_of(machine: Machine) -> str:
    """What a node does: booting, draining, idle, busy, or partly busy."""
    if not machine.booted:
        return "booting"
    if machine.node is not None and is_marked(machine.node):
        return "draining"
    if not machine.working:
        return "idle"
    return "busy" if machine.used_gpus >= machine.gpus else "partly"


def clock(instant: float) -> str:
    """2026-06-01 12:00:00."""
    return rfc3339(instant).replace("T", " ").rstrip("Z").split(".")[0].split("+")[0]
