"""One run of one world: the storm, then the calm, with every invariant judged at every step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autoscaler.control.config_hold import Decide
from autoscaler.planning.decide import decide as decide_now
from simulations.world.oracles.e02_same_plan import SamePlan
from simulations.world.oracles.judges import Judges
from simulations.world.oracles.violation import Violation
from simulations.world.processes import Alter, CrashPoint, Effects, Process
from simulations.world.setup import EventSetup, Setup
from simulations.world.site import START, Site

NAMES = ("a", "b", "c")


@dataclass(slots=True)
class Run:
    """What came of a run. `effects`: what the controllers did, in order, by number."""

    setup: Setup
    site: Site
    processes: list[Process]
    effects: Effects
    judges: Judges

    @property
    def violations(self) -> list[Violation]:
        """The broken promises, in the order in which they were found."""
        return self.judges.violations

    @property
    def passes(self) -> int:
        """Passes of all controllers."""
        return sum(process.passes for process in self.processes)


def prepare(
    setup: Setup,
    *,
    points: Iterable[CrashPoint] = (),
    decide: Decide = decide_now,
    alter: Sequence[Alter] = (),
) -> Run:
    """The world and its controllers, before anything has happened."""
    site = Site.of(setup)
    effects = Effects(frozenset(points))
    twice = SamePlan(decide, lambda invariant, what: judges.found(invariant, what))
    processes = [
        Process(site, NAMES[n], twice, effects, offset_s=n * setup.interval_s / setup.controllers, alter=alter)
        for n in range(setup.controllers)
    ]
    judges = Judges.of(site, processes)
    site.world.watchers.append(judges.watch)
    for process in processes:
        process.start()
    return Run(setup, site, processes, effects, judges)


def finish(run: Run) -> Run:
    """Let it happen: storm, calm, and the judgment of what must have settled."""
    world, setup = run.site.world, run.setup
    world.run_until(START + setup.storm_s)
    world.calm = True
    if run.site.is_paused():
        # Nothing settles under a pause; one may outlast the storm where a clock jumped back.
        run.site.people.do(EventSetup(setup.storm_s, "resume"))
    run.judges.calm_begins()
    world.run_until(START + setup.storm_s + setup.calm_s)
    run.judges.close()
    return run


def run(
    setup: Setup,
    *,
    points: Iterable[CrashPoint] = (),
    decide: Decide = decide_now,
    alter: Sequence[Alter] = (),
) -> Run:
    """One run from beginning to end."""
    return finish(prepare(setup, points=points, decide=decide, alter=alter))
