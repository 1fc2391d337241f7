"""Jobs, as every importer gives them and as the virtual world runs them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

WHOLE = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A unit of work: `pods` equal pods that all run for `duration_s` seconds from the moment that all are bound.

    `submitted_at`: seconds since the epoch (traces that count from an instant of their own start at 0).
    `gpus_per_pod`: devices of a pod; `gpu_milli`: WHOLE, or the thousandths of one device that each pod takes
    instead (`gpus_per_pod` is then 1). `cpu_milli`, `memory_bytes`: per pod, None where the trace does not say.
    `spot_ok` None: no wish. `checkpoint_every_s` None: an interruption loses all work.
    """

    id: str
    submitted_at: float
    duration_s: float
    pods: int = 1
    gpus_per_pod: int = 0
    gpu_milli: int = WHOLE
    cpu_milli: int | None = None
    memory_bytes: int | None = None
    gpu_model: str = ""
    priority: int | None = None
    team: str = ""
    spot_ok: bool | None = None
    checkpoint_every_s: float | None = None

    @property
    def gpus(self) -> float:
        """GPUs of the whole job, a share as its fraction."""
        return self.pods * (self.gpu_milli / 1000 if self.gpu_milli else self.gpus_per_pod)

    @property
    def gpu_hours(self) -> float:
        """GPU-hours that the job needs if nothing interrupts it."""
        return self.gpus * self.duration_s / 3600


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read: its line in the file and what is wrong with it."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Trace:
    """What an importer read: `jobs` in the order of the file, `skipped` rows (only where skipping was asked for).

    `counts` are facts of the file that are no jobs' business (phases, objects left out), for the import report.
    """

    path: Path
    jobs: tuple[Job, ...]
    skipped: tuple[BadRow, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def gpu_hours(self) -> float:
        """GPU-hours of all jobs."""
        return sum(j.gpu_hours for j in self.jobs)

    @property
    def peak_gpus(self) -> float:
        """GPUs in use at once if every job starts when it is submitted; an end comes before a start of its instant."""
        changes = sorted(
            [(j.submitted_at + j.duration_s, 0, -j.gpus) for j in self.jobs]
            + [(j.submitted_at, 1, j.gpus) for j in self.jobs]
        )
        now = peak = 0.0
        for _, _, change in changes:
            now += change
            peak = max(peak, now)
        return peak
