"""Run a scenario from its file: the entry point of `simulate`, `sweep` and `demo`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autoscaler.model.catalog import Catalog
from autoscaler.model.decoding.errors import InputError as DecodingError
from autoscaler.model.decoding.objects import decode_objects
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.compile import compile_policies
from autoscaler.planning.decide import decide
from autoscaler.planning.pools import Policies
from policies.loading import PolicyError, PolicyFile, load
from providers.catalog.catalog import load_catalog
from simulations.building import Parts, build
from simulations.engine import Engine
from simulations.errors import InputError
from simulations.jobs import Trace
from simulations.outputs import SimulationResult, result_tables, write_outputs
from simulations.result import Source, result_of
from simulations.scenario_file import ScenarioFile, load_scenario
from simulations.ticks import Course

__all__ = ["Simulation", "prepare", "run_scenario", "write_outputs"]

PROGRESS_S = 0.5
Progress = Callable[[float, str], None]
"""Called now and then with the part that is done (0 to 1) and a word on where it stands."""
Event = Callable[[float, str], None]
"""Called with the virtual instant and what happened."""


@dataclass(slots=True)
class Simulation:
    """A scenario that is ready to run, once. `traces`: what was read, with the rows that were skipped."""

    source: ScenarioFile
    seed: int
    engine: Engine
    traces: tuple[Trace, ...]
    inputs: tuple[Source, ...]
    course: Course

    @property
    def span_s(self) -> float:
        """About how long it is in virtual time: to `until`, or to the last end if every job starts at once."""
        engine = self.engine
        if engine.until != float("inf"):
            return engine.until - engine.grid.start
        ends = (r.item.job.submitted_at + r.item.job.duration_s for r in engine.runs)
        return max(ends, default=engine.grid.start) - engine.grid.start

    def steps(self) -> Iterator[float]:
        """Run; gives the virtual instants at which something happened."""
        for at in self.engine.steps():
            self.course.observe(self.engine)
            yield at

    def result(self, wall_s: float) -> SimulationResult:
        """The result, once `steps` is over."""
        name = self.source.scenario.metadata.name
        document = result_of(self.engine, name, self.seed, self.inputs)
        document["wallSeconds"] = round(wall_s, 3)
        return result_tables(self.engine, self.course, document, self.traces)


def prepare(path: Path, *, seed: int | None = None, sets: Sequence[str] = ()) -> Simulation:
    """Read a scenario and all that it names. Raises PolicyError or InputError, with the place and the fix."""
    source = load_scenario(path, sets)
    spec = source.scenario.spec
    used = seed if seed is not None else spec.seed
    inputs = [Source(path.name, path)]

    def note(name: str) -> None:
        file = source.file(name)
        files = sorted(p for p in file.iterdir() if p.suffix in (".yaml", ".yml")) if file.is_dir() else [file]
        for one in files:
            shown = name if one == file else f"{name.rstrip('/')}/{one.name}"
            if one.is_file() and all(known.path != one for known in inputs):
                inputs.append(Source(shown, one))

    catalog = load_catalog()
    file, policies = _policies(source.file(spec.policy), catalog)
    note(spec.policy)
    parts = Parts(source, file, policies, catalog, _cluster(source, note), decide, used)
    engine, traces = build(parts, note)
    return Simulation(source, used, engine, traces, tuple(inputs), Course())


def run_scenario(
    path: Path,
    *,
    seed: int | None = None,
    sets: Sequence[str] = (),
    progress: Progress | None = None,
    on_event: Event | None = None,
) -> SimulationResult:
    """Run a scenario to its end. Raises PolicyError or InputError for bad input.

    `seed` overrides the scenario's; `sets` are `spec.path=value`. `progress` is called about twice a second.
    """
    began = told = time.monotonic()
    simulation = prepare(path, seed=seed, sets=sets)
    simulation.engine.tell = on_event
    span = max(1.0, simulation.span_s)
    for at in simulation.steps():
        if progress is not None and time.monotonic() - told >= PROGRESS_S:
            told = time.monotonic()
            left = simulation.engine.open_jobs
            progress(min(1.0, (at - simulation.engine.grid.start) / span), f"{left} jobs left")
    return simulation.result(time.monotonic() - began)


def _cluster(source: ScenarioFile, note: Callable[[str], None]) -> Snapshot:
    name = source.scenario.spec.cluster
    if name is None:
        return Snapshot()
    path = source.file(name)
    note(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(path, None, f"{error.strerror}; check spec.cluster") from None
    try:
        return decode_objects(data, str(path)).snapshot()
    except DecodingError as error:
        raise InputError(path, None, str(error).removeprefix(f"{path}: ")) from None


def _policies(path: Path, catalog: Catalog) -> tuple[PolicyFile, Policies]:
    """The policy, compiled, its plans to be carried out whatever the mode. A pool that cannot be used is an error."""
    file = load(path)
    policies = compile_policies(file, catalog)
    problems = [file.problem(p.name, ("spec", "template"), p.problem) for p in policies.pools if p.problem]
    if problems:
        raise PolicyError(*problems)
    return file, replace(policies, cluster=replace(policies.cluster, mode="act"))
