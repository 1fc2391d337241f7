"""A job on its way through the virtual world: waiting, running, interrupted, ended."""

from __future__ import annotations

from dataclasses import dataclass, replace

from autoscaler.model.gangs import OWN, gang_key
from autoscaler.model.labels import NO_LABELS
from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import Owner, Pod
from autoscaler.model.reasons import Reason
from simulations.demand import WorkItem
from simulations.machines import Machine

NAMESPACE = "jobs"
"""Pods of jobs have a namespace of their own, apart from those of a starting cluster."""


@dataclass(slots=True, eq=False)
class Run:
    """One job of the scenario and what has become of it.

    `done_s`: work that an interruption no longer takes away (up to the last checkpoint). `lost_s`: work done twice.
    `reason`: why it waited, as last told. `origin`: the pod of the starting cluster that this stands for; it has no
    known end and is not counted as a job.
    """

    item: WorkItem
    number: int
    origin: Pod | None = None
    pods: tuple[Pod, ...] = ()
    machines: tuple[Machine, ...] = ()
    created_at: float = 0.0
    attempt: int = 0
    done_s: float = 0.0
    lost_s: float = 0.0
    started_at: float | None = None
    first_started_at: float | None = None
    ended_at: float | None = None
    end_entry: int = 0
    interruptions: int = 0
    usd: float = 0.0
    pool: str = ""
    reason: Reason | None = None

    @property
    def order(self) -> tuple[int, float, int]:
        """Place in the queue: the higher priority, then the earlier submission, then the order of the trace."""
        return (-self.item.specs[0].priority, self.item.job.submitted_at, self.number)

    @property
    def left_s(self) -> float:
        """Seconds of work still to do."""
        return self.item.job.duration_s - self.done_s

    @property
    def wait_s(self) -> float | None:
        """Seconds from the submission until all pods were bound for the first time; None while they are not."""
        return None if self.first_started_at is None else self.first_started_at - self.item.job.submitted_at

    @property
    def gang(self) -> GangSpec | None:
        """The group of its pods, None for a single pod."""
        if len(self.item.specs) == 1:
            return None
        return GangSpec(gang_key(OWN, NAMESPACE, self.item.job.id), len(self.item.specs), self.item.job.submitted_at)

    def create_pods(self, now: float) -> None:
        """Pending pods, as the owner of the job makes them (again, after an interruption)."""
        self.created_at = now
        if self.origin is not None:
            again = replace(self.origin, node="", phase="Pending", created=now, uid=f"{self.origin.uid}-{self.attempt}")
            self.pods = (replace(again, marked_unschedulable=True, unschedulable_since=now),)
            return
        gang, job = self.gang, self.item.job
        labels = self.item.labels
        if gang is not None:
            size = str(gang.min_member)
            labels = labels.plus({"gpu-autoscaler.dev/pod-group": job.id, "gpu-autoscaler.dev/pod-group-size": size})
        if job.team:
            labels = labels.plus({"team": job.team})
        self.pods = tuple(
            Pod(
                namespace=NAMESPACE,
                name=job.id if len(self.item.specs) == 1 else f"{job.id}-{i}",
                spec=spec,
                uid=f"uid-{job.id}-{i}-{self.attempt}",
                created=now,
                labels=labels or NO_LABELS,
                owner=Owner("Job", job.id, f"uid-{job.id}", "batch/v1"),
                marked_unschedulable=True,
                unschedulable_since=now,
                gang=gang.key if gang else "",
            )
            for i, spec in enumerate(self.item.specs)
        )

    def bind(self, machines: tuple[Machine, ...], now: float) -> None:
        """All pods have a node: the work goes on."""
        self.pods = tuple(
            replace(pod, node=m.name, phase="Running", marked_unschedulable=False, unschedulable_since=None)
            for pod, m in zip(self.pods, machines, strict=True)
        )
        self.machines = machines
        self.started_at = now
        if self.first_started_at is None:
            self.first_started_at = now
        self.pool = machines[0].pool

    def interrupt(self, now: float) -> None:
        """The nodes are gone: back to the last checkpoint, or to the start."""
        assert self.started_at is not None
        worked = self.done_s + now - self.started_at
        every = self.item.checkpoint_every_s
        kept = worked // every * every if every else 0.0
        self.lost_s += worked - kept
        self.done_s = kept
        self.interruptions += 1
        self.attempt += 1
        self.machines = ()
        self.started_at = None
