"""Cross-checks: what each value alone cannot show."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from policies.documents import Path
from policies.loading import PolicyFile
from policies.problems import Problem
from policies.schema_pool import MigSpec, NodePool, TaintSpec

KEY = re.compile(r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")


class Known(Protocol):
    """What the checks ask the catalog."""

    def instance_type(self, name: str, /) -> Any:
        """The instance type with `gpu_count`, `gpu_model` and prices, or None."""

    def instance_type_names(self) -> tuple[str, ...]:
        """All of them."""

    def layout_problem(self, model_id: str, layout: Any, /) -> str | None:
        """Why the GPU model cannot have the layout, or None."""


def check(file: PolicyFile, catalog: Known) -> tuple[Problem, ...]:
    """All findings: errors make the policy unusable, warnings are for a second look."""
    found = [*_groups(file), *_fallbacks(file), *_minimums(file, catalog)]
    for pool in file.pools:
        found += [*_shape(file, pool, catalog), *_sharing(file, pool, catalog), *_words(file, pool), *_sizes(file, pool)]
    return tuple(sorted(found, key=lambda p: (p.severity, p.file, p.line, p.column, p.message)))


def _groups(file: PolicyFile) -> Iterator[Problem]:
    owner: dict[tuple[str, str], str] = {}
    for pool in file.pools:
        for at, group in enumerate(pool.spec.groups):
            key = (group.provider, group.name)
            first = owner.setdefault(key, pool.name)
            path: Path = ("spec", "groups", at)
            if (first, at) != (pool.name, at) or [g.name for g in pool.spec.groups].index(group.name) != at:
                message = f"group {group.name} belongs to pool {first} already; a group delivers nodes of one pool"
                yield file.problem(pool.name, path, message)
            elif group.zone is None and not group.zones:
                message = "has no zone: pods that want one, and volumes, cannot be matched with it"
                yield file.problem(pool.name, path, message, warning=True)


def _fallbacks(file: PolicyFile) -> Iterator[Problem]:
    names = {p.name: p for p in file.pools}
    edges = {p.name: p.spec.spot.fallback if p.spec.spot else () for p in file.pools}
    for pool in file.pools:
        if pool.spec.spot is None:
            continue
        if pool.spec.capacity_type != "spot":
            message = f"is for spot pools, and this one is {pool.spec.capacity_type}; remove it"
            yield file.problem(pool.name, ("spec", "spot"), message)
        for at, name in enumerate(pool.spec.spot.fallback):
            path: Path = ("spec", "spot", "fallback", at)
            if name == pool.name:
                yield file.problem(pool.name, path, "a pool cannot fall back to itself; name another pool")
            elif name not in names:
                yield file.problem(pool.name, path, f"there is no pool {name}{_close(name, list(names))}")
            else:
                cycle = _cycle(pool.name, name, edges)
                if cycle:
                    yield file.problem(pool.name, path, f"fallbacks form a cycle: {' -> '.join(cycle)}; cut it")


def _cycle(start: str, first: str, edges: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The way from `start` over `first` back to `start`, if there is one; only the smallest name reports it."""
    ways = [[start, first]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for following in edges.get(way[-1], ()):
            if following == start:
                return [*way, start] if start == min(way) else None
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return None


def _minimums(file: PolicyFile, catalog: Known) -> Iterator[Problem]:
    limits = file.cluster.limits
    nodes = gpus = 0
    usd = 0.0
    for pool in file.pools:
        count = pool.spec.limits.min_nodes
        nodes += count
        gpus += count * _gpus(pool, catalog)
        usd += count * (price_of(pool, catalog) or 0.0)
    totals = (("nodes", nodes, limits.nodes), ("gpus", gpus, limits.gpus), ("usdPerHour", usd, limits.usd_per_hour))
    for name, total, limit in totals:
        if total > limit:
            message = f"the pools' minimums need {total:g}, the limit is {limit:g}; raise it or lower minNodes"
            yield file.problem("", ("spec", "limits", name), message)


def _gpus(pool: NodePool, catalog: Known) -> int:
    gpu, machine = pool.spec.template.gpu, _machine(pool, catalog)
    if gpu is not None and gpu.count:
        return gpu.count
    return int(machine.gpu_count) if machine else int(pool.spec.template.resources.get("nvidia.com/gpu", 0))


def _machine(pool: NodePool, catalog: Known) -> Any:
    name = pool.spec.template.instance_type
    return catalog.instance_type(name) if name else None


def price_of(pool: NodePool, catalog: Known) -> float | None:
    """Dollars an hour of one node, by the policy or the catalog; None if neither says."""
    if pool.spec.price is not None:
        return pool.spec.price.usd_per_hour
    machine = _machine(pool, catalog)
    if machine is None:
        return None
    price: float | None = machine.spot_usd if pool.spec.capacity_type == "spot" else machine.on_demand_usd
    return price


def _shape(file: PolicyFile, pool: NodePool, catalog: Known) -> Iterator[Problem]:
    template, machine = pool.spec.template, _machine(pool, catalog)
    path: Path = ("spec", "template", "instanceType")
    if template.instance_type and machine is None and not template.resources:
        close = _close(template.instance_type, catalog.instance_type_names())
        message = f"{template.instance_type} is not in the catalog{close}; or give resources of your own"
        yield file.problem(pool.name, path, message)
    gpu = template.gpu
    if gpu is not None and machine is not None and gpu.count and machine.gpu_count not in (0, gpu.count):
        message = f"{template.instance_type} has {machine.gpu_count} GPUs, not {gpu.count}"
        yield file.problem(pool.name, ("spec", "template", "gpu", "count"), message)
    if gpu is not None and not gpu.count and (machine is None or not machine.gpu_count):
        yield file.problem(pool.name, ("spec", "template", "gpu"), "give count: how many GPUs a node has")
    if machine is None and template.reserved:
        message = "is taken off what the catalog says of an instance type; resources given by hand are final"
        yield file.problem(pool.name, ("spec", "template", "reserved"), message, warning=True)
    if price_of(pool, catalog) is None:
        message = "has no price: neither the policy nor the catalog knows one, so it is used last; set price.usdPerHour"
        yield file.problem(pool.name, ("spec",), message, warning=True)
    if _gpus(pool, catalog) and not any(t.effect != "PreferNoSchedule" for t in template.taints):
        message = "a GPU pool without a taint: pods without GPUs will land on its nodes and keep them"
        yield file.problem(pool.name, ("spec", "template"), message, warning=True)


def _sharing(file: PolicyFile, pool: NodePool, catalog: Known) -> Iterator[Problem]:
    gpu, machine = pool.spec.template.gpu, _machine(pool, catalog)
    if gpu is None or gpu.sharing is None or gpu.sharing.mig is None:
        return
    mig, base = gpu.sharing.mig, ("spec", "template", "gpu", "sharing", "mig")
    model = gpu.model or (machine.gpu_model if machine else "")
    if not model:
        yield file.problem(pool.name, ("spec", "template", "gpu"), "give model: a MIG layout depends on it")
        return
    count = gpu.count or (machine.gpu_count if machine else 0)
    for path, layout in _layouts(mig):
        wrong = catalog.layout_problem(model, layout)
        if wrong:
            yield file.problem(pool.name, (*base, *path), wrong)
    seen: set[int] = set()
    for at, device in enumerate(mig.devices):
        for index in device.indexes:
            path = (*base, "devices", at, "indexes")
            if count and index >= count:
                yield file.problem(pool.name, path, f"the node has GPUs 0 to {count - 1}, not {index}")
            elif index in seen:
                yield file.problem(pool.name, path, f"GPU {index} has a layout already")
            seen.add(index)


def _layouts(mig: MigSpec) -> Iterator[tuple[Path, Any]]:
    if mig.layout is not None:
        yield ("layout",), mig.layout
    for at, layout in enumerate(mig.layouts):
        yield ("layouts", at), layout
    for at, device in enumerate(mig.devices):
        yield ("devices", at, "layout"), device.layout


def _words(file: PolicyFile, pool: NodePool) -> Iterator[Problem]:
    template = pool.spec.template
    for key, value in template.labels.items():
        path: Path = ("spec", "template", "labels", key)
        if not KEY.fullmatch(key):
            yield file.problem(pool.name, path, f"{key!r} is no label key")
        if not VALUE.fullmatch(value):
            yield file.problem(pool.name, path, f"{value!r} is no label value")
    for name in ("taints", "startup_taints"):
        taints: Sequence[TaintSpec] = getattr(template, name)
        seen: set[tuple[str, str]] = set()
        for at, taint in enumerate(taints):
            path = ("spec", "template", "taints" if name == "taints" else "startupTaints", at)
            if not KEY.fullmatch(taint.key) or not VALUE.fullmatch(taint.value):
                yield file.problem(pool.name, path, f"{taint.key}={taint.value} is no taint")
            elif (taint.key, taint.effect) in seen:
                yield file.problem(pool.name, path, f"{taint.key} with effect {taint.effect} is given twice")
            seen.add((taint.key, taint.effect))


def _sizes(file: PolicyFile, pool: NodePool) -> Iterator[Problem]:
    buffer, most = pool.spec.warm_buffer, pool.spec.limits.max_nodes
    if buffer is None:
        return
    wanted = max([buffer.nodes, *(s.nodes for s in buffer.schedules)])
    capped = wanted if buffer.max is None else min(wanted, buffer.max)
    if capped > most:
        message = f"wants {capped} idle nodes, and the pool has at most {most}; lower it or raise limits.maxNodes"
        yield file.problem(pool.name, ("spec", "warmBuffer"), message)
    if buffer.predictive is not None:
        message = "is read, and has no effect yet: the static buffer holds"
        yield file.problem(pool.name, ("spec", "warmBuffer", "predictive"), message, warning=True)


def _close(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]}?" if found else ""
