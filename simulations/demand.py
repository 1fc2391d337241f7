"""From jobs of a trace to jobs of the virtual world: selected, scaled, cut into pods with a spec each.

A share of a GPU (`gpu_milli`) is an invention of the cluster that the trace comes from; Kubernetes hands out
whole devices, MIG devices or replicas of a shared device. The scenario says which (`Share`):

* whole: a share takes a whole device. What a cluster without sharing does; the default.
* time slices (`replicas` N): a share takes ceil(N x share) replicas of `resource`. Replicas are counted by node,
  as the device plugin does: two replicas of one pod may be slices of two devices.
* MIG: a share takes the smallest MIG profile of `model` with at least that part of the compute slices
  (capacity-planning rule: the smallest of {1, 2, 3, 4, 7}g with slices/7 >= share).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from autoscaler.model.catalog import GpuModel
from autoscaler.model.labels import NO_LABELS, Labels, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import CAPACITY_TYPE_LABEL, POOL_LABEL
from autoscaler.model.pods import PodSpec, Toleration
from autoscaler.model.resources import CPU, MEMORY, amounts
from simulations.jobs import Job

PRODUCT_LABEL = "nvidia.com/gpu.product"


@dataclass(frozen=True, slots=True)
class Share:
    """What a share of a GPU asks for. `replicas` 0 and no `profiles`: a whole device.

    `profiles`: (compute slices of the profile, resource name), smallest first, with `slices` of the whole GPU.
    """

    resource: str = "nvidia.com/gpu"
    replicas: int = 0
    profiles: tuple[tuple[int, str], ...] = ()
    slices: int = 7


WHOLE_DEVICE = Share()


def mig_share(model: GpuModel) -> Share:
    """Shares as MIG devices of `model`; of several profiles with equal slices the one with the least memory."""
    plain = [p for p in model.profiles if not p.attributes]
    best: dict[int, tuple[int, str, str]] = {}
    for profile in plain:
        candidate = (profile.memory_slices or 0, profile.name, profile.resource)
        if profile.compute_slices not in best or candidate < best[profile.compute_slices]:
            best[profile.compute_slices] = candidate
    profiles = tuple((slices, best[slices][2]) for slices in sorted(best))
    return Share(profiles=profiles, slices=model.compute_slices or 7)


@dataclass(frozen=True, slots=True)
class PodShape:
    """How the jobs of one workload become pods.

    `gpus_per_pod` None: pods as the trace has them; 0: one pod with all the GPUs of the job; otherwise pods of at
    most that many GPUs, all or nothing. CPU and memory by GPU are used where the trace gives none.
    """

    gpus_per_pod: int | None = None
    resource: str = "nvidia.com/gpu"
    cpu_milli_per_gpu: int = 0
    memory_bytes_per_gpu: int = 0
    node_selector: tuple[tuple[str, str], ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    labels: Labels = NO_LABELS
    priority: int = 0
    checkpoint_every_s: float | None = None
    share: Share = WHOLE_DEVICE


@dataclass(frozen=True, slots=True)
class Selection:
    """Which jobs of a trace take part: submitted in [`start`, `end`), by one of `users` (empty: by anyone)."""

    start: float | None = None
    end: float | None = None
    users: tuple[str, ...] = ()

    def takes(self, job: Job) -> bool:
        """True if the job takes part."""
        return (
            (self.start is None or job.submitted_at >= self.start)
            and (self.end is None or job.submitted_at < self.end)
            and (not self.users or job.team in self.users)
        )


def select_and_scale(jobs: Sequence[Job], selection: Selection, arrivals: float, duration: float) -> list[Job]:
    """The selected jobs in order of submission (those of one instant in the order of the trace).

    `arrivals` 2.0: twice as many jobs an hour (the gaps between submissions halved, the first instant kept);
    `duration` 2.0: every job runs twice as long.
    """
    taken = sorted((j for j in jobs if selection.takes(j)), key=lambda j: j.submitted_at)
    if not taken or (arrivals == 1.0 and duration == 1.0):
        return taken
    first = taken[0].submitted_at
    return [
        replace(j, submitted_at=first + (j.submitted_at - first) / arrivals, duration_s=j.duration_s * duration)
        for j in taken
    ]


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A job with the specs of its pods; more than one pod is a gang, bound all or nothing."""

    job: Job
    specs: tuple[PodSpec, ...]
    labels: Labels = NO_LABELS
    checkpoint_every_s: float | None = None


@dataclass(frozen=True, slots=True)
class ModelPlaces:
    """Where a GPU model is: pools whose nodes have it, and the values of the product label that stand for it."""

    pools: tuple[str, ...] = ()
    products: tuple[str, ...] = ()


class SpecMaker:
    """Turns jobs into pod specs; equal specs are one object. `models`: where each GPU model that jobs name is."""

    def __init__(self, shape: PodShape, models: Mapping[str, ModelPlaces]) -> None:
        self._shape = shape
        self._models = models
        self._specs: dict[PodSpec, PodSpec] = {}

    def item(self, job: Job) -> WorkItem:
        """The job with its pods."""
        every = job.checkpoint_every_s if job.checkpoint_every_s is not None else self._shape.checkpoint_every_s
        specs = tuple(self._spec(job, gpus, pods) for gpus, pods in self._cut(job))
        return WorkItem(job, specs, self._shape.labels, every)

    def _cut(self, job: Job) -> list[tuple[int, int]]:
        """(GPUs, pods that the trace's CPU and memory of one pod stand for) of each pod."""
        size, total = self._shape.gpus_per_pod, job.pods * job.gpus_per_pod
        if size is None or job.gpu_milli or total == 0:
            return [(job.gpus_per_pod, 1)] * job.pods
        if size == 0:
            return [(total, job.pods)]
        full, rest = divmod(total, size)
        return [(size, 1)] * full + ([(rest, 1)] if rest else [])

    def _spec(self, job: Job, gpus: int, pods: int) -> PodSpec:
        shape = self._shape
        devices = self._devices(job, gpus)
        weight = job.gpu_milli / 1000 if job.gpu_milli else gpus
        cpu, memory = self._by_pod(job, gpus, pods)
        if cpu is None:
            cpu = math.ceil(shape.cpu_milli_per_gpu * weight)
        if memory is None:
            memory = math.ceil(shape.memory_bytes_per_gpu * weight)
        spec = PodSpec(
            requests=amounts([*devices, (CPU, cpu), (MEMORY, memory)]),
            container_peaks=amounts(devices),
            node_selector=tuple(sorted(shape.node_selector)),
            node_affinity=self._affinity(job),
            tolerations=(*shape.tolerations, *self._admission(devices)),
            priority=job.priority if job.priority is not None else shape.priority,
        )
        return self._specs.setdefault(spec, spec)

    def _by_pod(self, job: Job, gpus: int, pods: int) -> tuple[int | None, int | None]:
        """CPU and memory of a pod with `gpus` GPUs, as the trace has them; a job cut anew keeps its sum."""
        if gpus == job.gpus_per_pod or not job.gpus_per_pod:
            part = float(pods)
        else:
            part = gpus / job.gpus_per_pod
        cpu = math.ceil(job.cpu_milli * part) if job.cpu_milli is not None else None
        memory = math.ceil(job.memory_bytes * part) if job.memory_bytes is not None else None
        return cpu, memory

    def _devices(self, job: Job, gpus: int) -> list[tuple[str, int]]:
        share = self._shape.share
        if not gpus:
            return []
        if not job.gpu_milli:
            shared_name = share.replicas and share.resource == self._shape.resource
            return [(self._shape.resource, gpus * share.replicas if shared_name else gpus)]
        if share.replicas:
            return [(share.resource, -(-job.gpu_milli * share.replicas // 1000))]
        for slices, resource in share.profiles:
            if slices * 1000 >= job.gpu_milli * share.slices:
                return [(resource, 1)]
        return [(self._shape.resource, 1)]

    def _admission(self, devices: Iterable[tuple[str, int]]) -> tuple[Toleration, ...]:
        """What the admission plugin ExtendedResourceToleration adds: a toleration for each extended resource."""
        return tuple(Toleration(key=name, operator="Exists", effect="NoSchedule") for name, _ in sorted(devices))

    def _affinity(self, job: Job) -> tuple[NodeSelectorTerm, ...] | None:
        """Terms of which one has to hold: a pool of the model, or a node that shows it; each without spot if asked."""
        spot = (Requirement(CAPACITY_TYPE_LABEL, "NotIn", ("spot",)),) if job.spot_ok is False else ()
        if not job.gpu_model:
            return (NodeSelectorTerm(expressions=spot),) if spot else None
        places = self._models.get(job.gpu_model, ModelPlaces(products=(job.gpu_model,)))
        choices = [(POOL_LABEL, places.pools)] if places.pools else []
        choices.append((PRODUCT_LABEL, places.products))
        return tuple(NodeSelectorTerm(expressions=(Requirement(key, "In", values), *spot)) for key, values in choices)
