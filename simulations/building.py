"""From a scenario to a virtual world that is ready to run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autoscaler.model.catalog import Catalog
from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.pods import Toleration
from autoscaler.model.resources import Axis
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import Policies
from policies.documents import Path as Keys
from policies.loading import PolicyFile
from policies.scalars import duration
from simulations import scenario as schema
from simulations.admission import Admission
from simulations.clock import Agenda, Grid
from simulations.cloud import Cloud
from simulations.cluster import World
from simulations.controller import Controller, Decide
from simulations.demand import (
    WHOLE_DEVICE,
    PodShape,
    Selection,
    Share,
    SpecMaker,
    WorkItem,
    mig_share,
    select_and_scale,
)
from simulations.engine import Engine
from simulations.errors import InputError
from simulations.gpu_models import places_of_model
from simulations.importers import read_trace
from simulations.importers.table import read_text
from simulations.jobs import Job, Trace
from simulations.market_traces import Market, Record, read_market
from simulations.oracle import Oracle
from simulations.room import Room
from simulations.runs import Run
from simulations.scenario_file import ScenarioFile
from simulations.scheduler import Queue, Scheduler
from simulations.starting_cluster import StartingPods, adopt_cluster, starting_pods
from simulations.supply import BootDelay, PoolSupply, Supply, Window, stream


@dataclass(frozen=True, slots=True)
class Parts:
    """What a scenario is built from."""

    source: ScenarioFile
    policy_file: PolicyFile
    policies: Policies
    catalog: Catalog
    cluster: Snapshot
    decide: Decide
    seed: int

    @property
    def spec(self) -> schema.Spec:
        """The scenario's spec."""
        return self.source.scenario.spec

    def file(self, name: str) -> Path:
        """A file that the scenario names."""
        return self.source.file(name)


def build(parts: Parts, note: Callable[[str], None]) -> tuple[Engine, tuple[Trace, ...]]:
    """The engine, ready to run, and the traces that were read. `note` is called with each file. Raises InputError."""
    spec = parts.spec
    traces, items = _work(parts, note)
    if not items:
        raise parts.source.problem(
            ("spec", "workload"), "has no jobs; check the traces and what `select` leaves of them"
        )
    runs = [Run(item, number) for number, item in enumerate(items)]
    start = runs[0].item.job.submitted_at
    pods = starting_pods(parts.cluster, len(runs), start)
    world = _world(parts.policies, parts.cluster, runs, pods)
    agenda, oracle = Agenda(), Oracle(parts.policies)
    scheduler = Scheduler(Queue(spec.scheduler.queue), world.room)
    cloud = Cloud(world, _supply(parts, start, note), agenda)
    controller = Controller(parts.policies, world, cloud, parts.decide, oracle, stream(parts.seed, "controller", ""))
    until = math.inf if spec.until is None else spec.until.instant(start)
    if until <= start:
        raise parts.source.problem(
            ("spec", "until"), "lies before the first submission; set a later instant, or a duration"
        )
    grid = Grid(start, parts.policies.cluster.loop_interval_s)
    engine = Engine(world, scheduler, cloud, controller, agenda, oracle, grid, runs, until)
    engine.connect()
    adopt_cluster(world, scheduler, parts.cluster, pods, start)
    return engine, traces


def _work(parts: Parts, note: Callable[[str], None]) -> tuple[tuple[Trace, ...], list[WorkItem]]:
    """The traces, and the jobs of all workloads in order of submission (equal instants in the order of the file)."""
    traces: list[Trace] = []
    chosen: list[list[Job]] = []
    for workload in parts.spec.workload:
        path = parts.file(workload.trace.path)
        note(workload.trace.path)
        trace = read_trace(workload.trace.format, path, skip_bad_rows=workload.trace.skip_bad_rows)
        traces.append(trace)
        selection = Selection(workload.select.start, workload.select.end, workload.select.users)
        chosen.append(select_and_scale(trace.jobs, selection, workload.scale.arrivals, workload.scale.duration))
    items: list[WorkItem] = []
    for number, (workload, jobs) in enumerate(zip(parts.spec.workload, _with_own_ids(chosen), strict=True)):
        named = {job.gpu_model for job in jobs if job.gpu_model}
        models = {model: places_of_model(model, parts.policy_file, parts.catalog) for model in sorted(named)}
        maker = SpecMaker(_pod_shape(workload, number, parts), models)
        items += [maker.item(job) for job in jobs]
    items.sort(key=lambda item: item.job.submitted_at)
    return tuple(traces), items


def _with_own_ids(workloads: list[list[Job]]) -> list[list[Job]]:
    """Where two workloads use one id, all ids get the number of their workload in front."""
    ids = [job.id for jobs in workloads for job in jobs]
    if len(set(ids)) == len(ids):
        return workloads
    return [[replace(job, id=f"{n}-{job.id}") for job in jobs] for n, jobs in enumerate(workloads, start=1)]


def _pod_shape(workload: schema.Workload, number: int, parts: Parts) -> PodShape:
    pod = workload.pod
    sizes = {None: None, "job-per-pod": 0, "gang": workload.gpus_per_pod}
    return PodShape(
        gpus_per_pod=sizes[workload.shape],
        resource=pod.gpu_resource,
        cpu_milli_per_gpu=pod.cpu_per_gpu,
        memory_bytes_per_gpu=pod.memory_per_gpu,
        node_selector=tuple(sorted(pod.node_selector.items())),
        tolerations=tuple(Toleration(t.key, t.operator, t.value, t.effect) for t in pod.tolerations),
        labels=Labels(pod.labels) if pod.labels else NO_LABELS,
        priority=pod.priority,
        checkpoint_every_s=pod.checkpoint_every,
        share=_share(workload, number, parts),
    )


def _share(workload: schema.Workload, number: int, parts: Parts) -> Share:
    sharing = workload.share
    if isinstance(sharing, str):
        return WHOLE_DEVICE
    if sharing.time_slicing is not None:
        return Share(sharing.time_slicing.resource, sharing.time_slicing.replicas)
    assert sharing.mig is not None
    model = parts.catalog.gpu_model(sharing.mig.model)
    if model is None or not model.profiles:
        known = [name for name in parts.catalog.gpu_model_names() if _has_mig(name, parts.catalog)]
        keys = ("spec", "workload", number, "share", "mig", "model")
        raise parts.source.problem(keys, f'"{sharing.mig.model}" has no MIG profiles; it is one of {", ".join(known)}')
    return mig_share(model)


def _has_mig(name: str, catalog: Catalog) -> bool:
    model = catalog.gpu_model(name)
    return model is not None and bool(model.profiles)


def _world(policies: Policies, cluster: Snapshot, runs: Sequence[Run], pods: StartingPods) -> World:
    names = {name for run in (*runs, *pods.runs) for spec in run.item.specs for name, _ in spec.requests}
    names |= {name for pod, _ in pods.daemons for name, _ in pod.spec.requests}
    refuses = {p.name: frozenset().union(*(t.refuses_above_one for t in p.templates)) for p in policies.pools}
    return World(policies, Room(Axis.of(names), Admission(refuses)), replace(cluster, nodes=(), pods=()))


def _supply(parts: Parts, start: float, note: Callable[[str], None]) -> Supply:
    settings = parts.spec.supply
    known = [pool.name for pool in parts.policies.pools]
    named: list[tuple[Keys, str]] = [
        *((("bootDelay", "pools", name), name) for name in settings.boot_delay.pools),
        *((("pools", name), name) for name in settings.pools),
        *((("spot", i, "pool"), item.pool) for i, item in enumerate(settings.spot)),
        *((("stockouts", i, "pool"), item.pool) for i, item in enumerate(settings.stockouts)),
    ]
    for keys, name in named:
        if name not in known:
            told = f'the policy has no pool "{name}"; it has {", ".join(known)}'
            raise parts.source.problem(("spec", "supply", *keys), told)
    return Supply({name: _market(parts, name, start, note) for name in known})


def _market(parts: Parts, name: str, start: float, note: Callable[[str], None]) -> PoolSupply:
    settings = parts.spec.supply
    own = settings.pools[name].boot_delay if name in settings.pools else settings.boot_delay.pools.get(name)
    delay = own if own is not None else settings.boot_delay
    spot = [item for item in settings.spot if item.pool == name]
    records = [_record(item.trace, parts, start, note) for item in spot if item.trace is not None]
    windows = (
        Window(w.start.instant(start), w.end.instant(start), w.zone) for w in settings.stockouts if w.pool == name
    )
    return PoolSupply(
        boot=_boot_delay(delay, parts, note),
        boots=stream(parts.seed, "boot", name),
        losses=stream(parts.seed, "loss", name),
        interruptions_per_hour=sum(item.interruptions_per_hour or 0.0 for item in spot),
        stockouts=(*windows, *(w for record in records for w in record.stockouts)),
        capacity=tuple(record.capacity for record in records if record.capacity is not None),
        losses_at=tuple(at for record in records for at in record.losses),
    )


def _record(trace: schema.MarketTrace, parts: Parts, start: float, note: Callable[[str], None]) -> Record:
    path = parts.file(trace.path)
    note(trace.path)
    return read_market(trace.format, path, start, Market(trace.gpu_type, trace.gpus, trace.zone))


def _boot_delay(delay: schema.Delay, parts: Parts, note: Callable[[str], None]) -> BootDelay:
    if delay.samples is None:
        return BootDelay(delay.fixed or 0.0, delay.p50, delay.p95)
    path = parts.file(delay.samples)
    note(delay.samples)
    return BootDelay(samples=tuple(_samples(path)))


def _samples(path: Path) -> Iterable[float]:
    """A delay a line: seconds, or a duration such as 4m10s."""
    found = []
    for line, text in enumerate(read_text(path).splitlines(), start=1):
        word = text.strip()
        if not word or word.startswith("#"):
            continue
        try:
            found.append(float(word) if word.replace(".", "", 1).isdigit() else duration(word))
        except ValueError as wrong:
            raise InputError(path, line, f"{wrong}; write a delay a line, as in 4m10s or 250") from None
    if not found:
        raise InputError(path, None, "the file has no delays; write one a line, as in 4m10s or 250")
    return found
