"""The virtual world in motion: events, the scheduler, and the controller's own decision, on one clock.

At every instant at which something happens: first what happens (ends, losses, boots, arrivals, in that order),
then the scheduler, then, on the controller's grid of `loopInterval`, one pass of the real loop. A node that boots in no
time is there at that same instant. Passes that could only repeat the last one are left out (`simulations.timers`), so
that months take thousands of looks and not millions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autoscaler.reporting.sentences import duration
from simulations.clock import Agenda, Grid, Rank
from simulations.cloud import Cloud
from simulations.cluster import World
from simulations.controller import Controller
from simulations.oracle import Oracle
from simulations.runs import Run
from simulations.scheduler import Scheduler

STUCK_S = 30 * 86400.0
"""Without progress for so long, and as long again as the longest job runs, what is left will never be done: a job that
no node can take, or one that is interrupted more often than it takes to finish. Progress is an arrival, a first start,
an end, or work saved by a checkpoint."""


@dataclass(slots=True)
class Engine:
    """One simulation. `runs`: the jobs in order of submission. `until`: the last instant, infinity for "drained"."""

    world: World
    scheduler: Scheduler
    cloud: Cloud
    controller: Controller
    agenda: Agenda
    oracle: Oracle
    grid: Grid
    runs: Sequence[Run]
    until: float = math.inf
    now: float = 0.0
    open_jobs: int = 0
    tell: Callable[[float, str], None] | None = None
    _look_at: float = 0.0
    _looked_at: float = -math.inf
    _progress_at: float = 0.0
    _longest_s: float = 0.0
    _seen: tuple[int, int] = (-1, -1)
    _fixed: bool = False

    def connect(self) -> None:
        """Make the parts call one another through the engine."""
        self.scheduler.bind = self.bind
        self.cloud.told, self.cloud.on_room, self.cloud.on_loss = self.told, self.scheduler.room_grew, self.lost
        self.now = self.cloud.now = self.grid.start

    def begin(self) -> None:
        """Enter the jobs; the first look is at the start."""
        self.now = self._look_at = self._progress_at = self.cloud.now = self.grid.start
        self.open_jobs = len(self.runs)
        self._longest_s = max((r.item.job.duration_s for r in self.runs), default=0.0)
        for run in self.runs:
            at = max(run.item.job.submitted_at, self.grid.start)
            self.agenda.add(at, Rank.ARRIVAL, lambda run=run: self._arrive(run))  # type: ignore[misc]
        self.cloud.begin()

    def steps(self) -> Iterator[float]:
        """Run; gives every instant at which something happened or the controller looked, after all of it."""
        self.begin()
        while True:
            at = min(self.agenda.next_at, self._look_at)
            if at > self.until or (math.isinf(self.until) and self._over(at)):
                break
            self.now = self.cloud.now = at
            self._events()
            if at == self._look_at:
                self._look()
                self._events()
            yield at
        self._finish()

    def _events(self) -> None:
        """Everything that happens now, and what the scheduler makes of it."""
        happened = False
        while True:
            action = self.agenda.take(self.now)
            if action is not None:
                action()
                happened = True
            elif not self.scheduler.schedule():
                break
            else:
                happened = True
        if happened and self._matters():
            self._want_look(self.now)

    def _matters(self) -> bool:
        """Could what happened since the last look change the plan? (See `simulations.timers`.)"""
        world = self.world
        if self.scheduler.waiting or world.machine_changes != self._seen[0]:
            return True
        if self._fixed:
            return False
        return self.controller.consolidates or world.idle_flips != self._seen[1]

    def _look(self) -> None:
        self._looked_at = self.now
        self._seen = (self.world.machine_changes, self.world.idle_flips)
        self._fixed = self.controller.is_fixed()
        due = self.controller.look(self.now)
        self._look_at = math.inf
        if due < math.inf:
            self._want_look(due)

    def _want_look(self, instant: float) -> None:
        at = self.grid.at_or_after(instant)
        if at <= self._looked_at:
            at = self.grid.after(self._looked_at)
        self._look_at = min(self._look_at, at)

    def _over(self, at: float) -> bool:
        """Drained: no job is to come, runs, or can still start, and no node is on its way out."""
        if self.agenda.count(Rank.ARRIVAL):
            return False
        if math.isinf(at) or at - self._progress_at > STUCK_S + self._longest_s:
            return True
        if self.agenda.count(Rank.POD_END, Rank.NODE) or self.open_jobs:
            return False  # what runs will end; for what waits, a timer of the controller or the market may still help
        plan = self.controller.plan
        leaving = plan is None or plan.changes or any(n.removable_at is not None for n in plan.nodes)
        leaving = leaving or self.world.is_draining
        fresh = self._look_at <= self.grid.after(self.now)  # what happened last was not looked at yet
        return not (leaving or fresh)

    def _finish(self) -> None:
        if not math.isinf(self.until):
            self.now = self.until
        for machine in self.world.machines.values():
            machine.count_to(self.now)
        self.oracle.capacity(self.world.machines.values(), self.now)
        self.oracle.budgets()

    # What happens to jobs

    def _arrive(self, run: Run) -> None:
        self._progress_at = self.now
        self.world.submit(run, self.now)
        self.scheduler.add(run)

    def bind(self, run: Run, names: Sequence[str]) -> None:
        """The scheduler has found room for a job."""
        if run.first_started_at is None:
            self._progress_at = self.now
        self.world.bind(run, names, self.now)
        self.oracle.capacity(run.machines, self.now)
        if run.origin is None:
            run.end_entry = self.agenda.add(self.now + run.left_s, Rank.POD_END, lambda: self._end(run))

    def _end(self, run: Run) -> None:
        self._progress_at = self.now
        self.world.finish(run, self.now)
        run.done_s = run.item.job.duration_s
        run.ended_at = self.now
        self.open_jobs -= 1
        self.scheduler.room_grew()

    def lost(self, runs: Sequence[Run]) -> None:
        """Jobs have lost their nodes: back into the queue."""
        for run in runs:
            self.agenda.cancel(run.end_entry)
            lost, done = run.lost_s, run.done_s
            run.interrupt(self.now)
            if run.done_s > done:
                self._progress_at = self.now
            self.told(f"{run.item.job.id} has lost its nodes and {duration(run.lost_s - lost)} of work")
            self.world.submit(run, self.now)
            self.scheduler.add(run)
        self.scheduler.room_grew()

    def told(self, text: str) -> None:
        """Something happened that a person may want to read."""
        if self.tell is not None:
            self.tell(self.now, text)
