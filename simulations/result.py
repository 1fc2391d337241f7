"""The SimulationResult: what a simulation cost, and who waited how long."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulations.engine import Engine
from simulations.machines import Machine

API_VERSION = "gpu-autoscaler.dev/v1alpha1"
QUANTILES = (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99))
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Span:
    """From the first submission to the last end of a job."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        """Its length; 0 where no job ended."""
        return max(0.0, self.end - self.start)

    def overlap(self, start: float, end: float) -> float:
        """Seconds of [`start`, `end`) inside."""
        return max(0.0, min(end, self.end) - max(start, self.start))


@dataclass(frozen=True, slots=True)
class Bill:
    """Hours and dollars of some machines. `*_gpu_h` in GPU-hours; a node that boots is neither busy nor idle."""

    node_h: float = 0.0
    paid_gpu_h: float = 0.0
    busy_gpu_h: float = 0.0
    booting_gpu_h: float = 0.0
    usd: float = 0.0
    idle_usd: float = 0.0
    booting_usd: float = 0.0

    def __add__(self, other: Bill) -> Bill:
        return Bill(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    @property
    def idle_gpu_h(self) -> float:
        """Paid for, ready, and not used."""
        return self.paid_gpu_h - self.busy_gpu_h - self.booting_gpu_h


def bill_of(machine: Machine, end: float) -> Bill:
    """What one machine cost up to its end, or to the end of the simulation. Paid from launch to termination."""
    until = machine.ended_at if machine.ended_at is not None else end
    hours = (until - machine.launched_at) / 3600
    boot_end = machine.ready_at if machine.booted else until
    boot_h = (min(boot_end, until) - machine.launched_at) / 3600
    price = machine.usd_per_hour
    return Bill(
        node_h=hours,
        paid_gpu_h=machine.gpus * hours,
        busy_gpu_h=machine.busy_gpu_s / 3600,
        booting_gpu_h=machine.gpus * boot_h,
        usd=price * hours,
        idle_usd=price * machine.idle_s / 3600,
        booting_usd=price * boot_h,
    )


def total(bills: Iterable[Bill]) -> Bill:
    """Their sum."""
    found = Bill()
    for bill in bills:
        found += bill
    return found


def machines_of(engine: Engine) -> list[Machine]:
    """All managed machines that ever were, in order of launch."""
    there = [*engine.world.past, *engine.world.machines.values()]
    return sorted((m for m in there if m.pool), key=lambda m: m.id)


def peak_nodes(machines: Sequence[Machine]) -> int:
    """The most machines at one time, booting ones included; an end comes before a launch of its instant."""
    changes = sorted(
        [(m.launched_at, 1, 1) for m in machines]
        + [(m.ended_at, 0, -1) for m in machines if m.ended_at is not None and m.ended_at > m.launched_at]
        + [(m.ended_at, 2, -1) for m in machines if m.ended_at is not None and m.ended_at == m.launched_at]
    )
    now = peak = 0
    for _, _, change in changes:
        now += change
        peak = max(peak, now)
    return peak


def percentile(ordered: Sequence[float], quantile: float) -> float:
    """`sorted[int(n * q)]`, 0.0 of nothing."""
    return ordered[min(len(ordered) - 1, int(len(ordered) * quantile))] if ordered else 0.0


def span_of(engine: Engine) -> Span:
    """The two instants between which utilization is counted."""
    first = min((r.item.job.submitted_at for r in engine.runs), default=engine.grid.start)
    last = max((r.ended_at for r in engine.runs if r.ended_at is not None), default=first)
    return Span(first, last)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that went into a simulation; `shown`: its path as the scenario has it."""

    shown: str
    path: Path


def result_of(engine: Engine, name: str, seed: int, inputs: Sequence[Source]) -> dict[str, Any]:
    """The SimulationResult as a JSON document (`docs/reference/simulate.md`), `wallSeconds` 0."""
    machines = machines_of(engine)
    bills = {m.id: bill_of(m, engine.now) for m in machines}
    span, bill = span_of(engine), total(bills.values())
    document: dict[str, Any] = _rounded(
        {
            "apiVersion": API_VERSION,
            "kind": "SimulationResult",
            "scenario": name,
            "seed": seed,
            "inputs": [{"path": source.shown, "sha256": sha256_of(source.path)} for source in inputs],
            "jobs": _jobs(engine, span),
            "gpuHours": {
                "requested": sum(r.item.job.gpu_hours for r in engine.runs if r.item.job.submitted_at <= engine.now),
                "paid": bill.paid_gpu_h,
                "busy": bill.busy_gpu_h,
                "idle": bill.idle_gpu_h,
                "booting": bill.booting_gpu_h,
                "utilization": utilization(engine, machines, span),
            },
            "nodes": {
                "added": sum(engine.cloud.launched.values()),
                "removed": sum(engine.cloud.removed.values()),
                "peak": peak_nodes(machines),
                "hours": bill.node_h,
            },
            "usd": _usd(machines, bills, bill),
            "pools": {pool.name: _pool(engine, pool.name, machines, bills) for pool in engine.world.policies.pools},
            "reasons": {code: len(held) for code, held in sorted(engine.controller.reasons.items()) if held},
            "invariants": {"checked": engine.oracle.checked, "violated": engine.oracle.violated},
            "wallSeconds": 0.0,
        }
    )
    return document


def utilization(engine: Engine, machines: Sequence[Machine], span: Span) -> float:
    """Requested GPU-hours of the work that was done over the paid ones, both between the first submission and the
    last end.

    Work done twice after an interruption is not requested twice, and a job that never started asks for nothing
    here.
    """
    paid = sum(m.gpus * span.overlap(m.launched_at, _end(m, engine.now)) for m in machines) / 3600
    done = sum(r.item.job.gpus * _work_s(r.item.job.duration_s, r, span) for r in engine.runs) / 3600
    return done / paid if paid else 0.0


def _work_s(duration_s: float, run: Any, span: Span) -> float:
    if run.ended_at is not None:
        return duration_s
    going = span.overlap(run.started_at, span.end) if run.started_at is not None else 0.0
    return float(run.done_s + going)


def _end(machine: Machine, end: float) -> float:
    return machine.ended_at if machine.ended_at is not None else end


def _jobs(engine: Engine, span: Span) -> dict[str, Any]:
    waits = sorted(r.wait_s for r in engine.runs if r.wait_s is not None)
    submitted = [r for r in engine.runs if r.item.job.submitted_at <= engine.now]
    return {
        "submitted": len(submitted),
        "completed": sum(1 for r in engine.runs if r.ended_at is not None),
        "neverStarted": sum(1 for r in submitted if r.first_started_at is None),
        "interruptions": sum(r.interruptions for r in engine.runs),
        "waitSeconds": {
            "mean": sum(waits) / len(waits) if waits else 0.0,
            **{key: percentile(waits, q) for key, q in QUANTILES},
            "max": waits[-1] if waits else 0.0,
        },
        "makespanSeconds": span.seconds,
    }


def _usd(machines: Sequence[Machine], bills: dict[str, Bill], bill: Bill) -> dict[str, Any]:
    kinds = {"on-demand": 0.0, "spot": 0.0, "reserved": 0.0}
    pools: dict[str, float] = {}
    for machine in machines:
        usd = bills[machine.id].usd
        kinds[machine.template.capacity_type] = kinds.get(machine.template.capacity_type, 0.0) + usd
        pools[machine.pool] = pools.get(machine.pool, 0.0) + usd
    return {
        "total": bill.usd,
        "onDemand": kinds["on-demand"],
        "spot": kinds["spot"],
        "reserved": kinds["reserved"],
        "idle": bill.idle_usd,
        "booting": bill.booting_usd,
        "perPool": dict(sorted(pools.items())),
    }


def _pool(engine: Engine, name: str, machines: Sequence[Machine], bills: dict[str, Bill]) -> dict[str, Any]:
    mine = [m for m in machines if m.pool == name]
    bill = total(bills[m.id] for m in mine)
    pool, cloud = engine.world.policies.by_name[name], engine.cloud
    return {
        "capacityType": pool.capacity_type,
        "usdPerHour": pool.templates[0].usd_per_hour if pool.templates else None,
        "nodes": {
            "added": cloud.launched[name],
            "removed": cloud.removed[name],
            "peak": peak_nodes(mine),
            "hours": bill.node_h,
        },
        "gpuHours": {
            "paid": bill.paid_gpu_h,
            "busy": bill.busy_gpu_h,
            "idle": bill.idle_gpu_h,
            "booting": bill.booting_gpu_h,
        },
        "usd": {"total": bill.usd, "idle": bill.idle_usd, "booting": bill.booting_usd},
        "interruptions": cloud.interruptions[name],
        "stockouts": cloud.stockouts[name],
    }


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _rounded(value: Any) -> Any:
    """Floats to a millionth, so that sums of binary fractions read well; counts stay whole."""
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return value
