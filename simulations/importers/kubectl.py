"""Pods of a cluster, as `kubectl get pods -A -o json` (or yaml) prints them, as jobs.

* A pod ran from the first start to the last end of its containers; one that still runs counts up to the newest
  instant in the file (counted as `stillRunning`). Pods of one declared gang are one job, from the last start to
  the last end.
* Left out and counted: `daemonPods`, `neverStarted`, and `otherObjects` of the list.
* GPUs are the devices that a pod requests; a MIG device is a share, by the compute slices in its name (of
  seven). A node selector on `nvidia.com/gpu.product` becomes the job's GPU model. The team is the namespace.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from autoscaler.model.decoding.documents import documents
from autoscaler.model.decoding.errors import FieldError
from autoscaler.model.decoding.errors import InputError as DecodingError
from autoscaler.model.decoding.pods import PodReader
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.pods import Pod
from autoscaler.model.resources import CPU, MEMORY, is_accelerator
from simulations.errors import InputError, one_line
from simulations.jobs import WHOLE, BadRow, Job, Trace

PRODUCT = "nvidia.com/gpu.product"
_MIG = re.compile(r"nvidia\.com/mig-(\d+)g\.")


class _Moment(msgspec.Struct, rename="camel"):
    started_at: str | None = None
    finished_at: str | None = None


class _State(msgspec.Struct, rename="camel"):
    running: _Moment | None = None
    terminated: _Moment | None = None


class _Container(msgspec.Struct, rename="camel"):
    state: _State | None = None


class _Status(msgspec.Struct, rename="camel"):
    container_statuses: list[_Container] | None = None
    start_time: str | None = None


class _Object(msgspec.Struct, rename="camel"):
    kind: str | None = None
    status: msgspec.Raw = msgspec.Raw(b"{}")


@dataclass(frozen=True, slots=True)
class _Life:
    """A pod with the instants of its run; None for what has not come."""

    pod: Pod
    start: float | None
    end: float | None


def read(path: Path, *, skip_bad_rows: bool = False) -> Trace:
    """The jobs in order of submission. Raises InputError; a pod that cannot be read is named by its place in the
    list.
    """
    counts: Counter[str] = Counter()
    bad: list[BadRow] = []
    lives: list[_Life] = []
    reader = PodReader()
    for number, raw in enumerate(_objects(path), start=1):
        try:
            life = _life(raw, reader)
        except (FieldError, msgspec.DecodeError, ValueError) as error:
            message = f"{one_line(error)}; correct the object"
            if not skip_bad_rows:
                raise InputError(path, None, f"object {number}: {message}") from None
            bad.append(BadRow(number, message))
            continue
        if life is None:
            counts["otherObjects"] += 1
        else:
            lives.append(life)
    jobs = sorted(_jobs(lives, reader, counts), key=lambda j: (j.submitted_at, j.id))
    return Trace(path, tuple(jobs), tuple(bad), dict(sorted(counts.items())))


def _objects(path: Path) -> Iterator[msgspec.Raw]:
    try:
        for document in documents(path.read_bytes(), str(path)):
            yield from document.items
    except OSError as error:
        raise InputError(path, None, f"{error.strerror}; check the path") from None
    except DecodingError as error:
        raise InputError(path, None, str(error).removeprefix(f"{path}: ")) from None


def _life(raw: msgspec.Raw, reader: PodReader) -> _Life | None:
    """The pod with its instants, None for an object of another kind."""
    found = msgspec.json.decode(raw, type=_Object)
    if found.kind not in (None, "Pod"):
        return None
    pod = reader.read(raw)
    status = msgspec.json.decode(found.status, type=_Status)
    starts: list[float] = []
    ends: list[float | None] = []
    for container in status.container_statuses or ():
        state = container.state or _State()
        moment = state.terminated or state.running
        if moment is not None and moment.started_at:
            starts.append(parse_rfc3339(moment.started_at))
            ended = moment.finished_at if state.terminated is not None else None
            ends.append(parse_rfc3339(ended) if ended else None)
    if not starts and status.start_time and pod.node:
        starts.append(parse_rfc3339(status.start_time))
    finished = [e for e in ends if e is not None]
    end = max(finished) if finished and len(finished) == len(ends) else None
    return _Life(pod, min(starts, default=None), end)


def _jobs(lives: list[_Life], reader: PodReader, counts: Counter[str]) -> Iterable[Job]:
    newest = max((t for life in lives for t in (life.pod.created, life.start, life.end) if t is not None), default=0.0)
    groups: defaultdict[str, list[_Life]] = defaultdict(list)
    for life in lives:
        if life.pod.is_daemon:
            counts["daemonPods"] += 1
        elif life.start is None:
            counts["neverStarted"] += 1
        else:
            gang = life.pod.gang if life.pod.gang in reader.gangs_of_pods else ""
            groups[gang or life.pod.key].append(life)
    for key in sorted(groups):
        members = groups[key]
        counts["stillRunning"] += sum(1 for m in members if m.end is None)
        yield _job(key.rpartition("|")[2], members, newest)


def _job(job_id: str, members: list[_Life], newest: float) -> Job:
    pod = members[0].pod
    start = max(m.start for m in members if m.start is not None)
    end = max(m.end if m.end is not None else newest for m in members)
    gpus, milli = _devices(pod)
    return Job(
        id=job_id,
        submitted_at=min(m.pod.created for m in members),
        duration_s=max(0.0, end - start),
        pods=len(members),
        gpus_per_pod=gpus,
        gpu_milli=milli,
        cpu_milli=pod.spec.request(CPU),
        memory_bytes=pod.spec.request(MEMORY),
        gpu_model=dict(pod.spec.node_selector).get(PRODUCT, ""),
        priority=pod.spec.priority,
        team=pod.namespace,
    )


def _devices(pod: Pod) -> tuple[int, int]:
    """Whole devices, or (1, thousandths) for one MIG device."""
    slices = whole = 0
    for name, amount in pod.spec.requests:
        found = _MIG.match(name)
        if found:
            slices += int(found[1]) * amount
        elif is_accelerator(name):
            whole += amount
    if whole or not slices:
        return whole, WHOLE
    return (1, -(-slices * 1000 // 7)) if slices < 7 else (-(-slices // 7), WHOLE)
