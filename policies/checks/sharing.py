"""Sharing of GPUs: what the device plugin and the GPU model can do.

Rules of NVIDIA's device plugin and GPU feature discovery; `autoscaler.planning.sharing` has them for compiled pools.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from policies.checks.facts import NVIDIA, Facts
from policies.problems import Path, Problem
from policies.schema_pool import MigSpec

SHARING: Path = ("spec", "template", "gpu", "sharing")
MIG: Path = (*SHARING, "mig")
Counts = tuple[tuple[str, int], ...]


def check_sharing(facts: Facts) -> Iterator[Problem]:
    """`template.gpu.sharing`."""
    gpu = facts.spec.template.gpu
    if gpu is None or gpu.sharing is None:
        return
    sharing = gpu.sharing
    ways: Sequence[tuple[str, object]] = (
        ("timeSlicing", sharing.time_slicing),
        ("mps", sharing.mps),
        ("mig", sharing.mig),
    )
    given = [name for name, way in ways if way is not None]
    if not given:
        yield facts.warning(SHARING, "names no way of sharing, so that GPUs stay whole; remove it")
    if given and facts.gpu_resource != NVIDIA:
        yield facts.error((*SHARING, given[0]), f"is for NVIDIA GPUs, and a node has {facts.gpu_resource}; remove it")
    elif sharing.mig is not None:
        yield from _mig(facts, sharing.mig)


def _mig(facts: Facts, mig: MigSpec) -> Iterator[Problem]:
    if not facts.gpu_model:
        yield facts.error(("spec", "template", "gpu"), "a MIG layout depends on the GPU model; give model")
        return
    wrong = False
    for path, layout in _layouts(mig):
        told = facts.catalog.layout_problem(facts.gpu_model, layout)
        if told:
            wrong = True
            yield facts.error((*MIG, *path), told)
    indexes = list(_indexes(facts, mig))
    yield from indexes
    yield from _choices(facts, mig)
    if mig.strategy == "single" and not wrong and not indexes:
        yield from _single(facts, mig)


def _layouts(mig: MigSpec) -> Iterator[tuple[Path, Any]]:
    if mig.layout is not None:
        yield ("layout",), mig.layout
    for at, layout in enumerate(mig.layouts):
        yield ("layouts", at), layout
    for at, device in enumerate(mig.devices):
        yield ("devices", at, "layout"), device.layout


def _indexes(facts: Facts, mig: MigSpec) -> Iterator[Problem]:
    """Each GPU of the node at most once."""
    count = facts.gpu_count
    seen: set[int] = set()
    for at, device in enumerate(mig.devices):
        for position, index in enumerate(device.indexes):
            path: Path = (*MIG, "devices", at, "indexes", position)
            if count and index >= count:
                yield facts.error(path, f"there is no GPU {index}; the node has GPUs 0 to {count - 1}")
            elif index in seen:
                yield facts.error(path, f"GPU {index} has a layout already; name each GPU once")
            seen.add(index)


def _choices(facts: Facts, mig: MigSpec) -> Iterator[Problem]:
    """Layouts of which the planner chooses: each once, with the name that mig-manager is given."""
    for at, layout in enumerate(mig.layouts):
        if layout in mig.layouts[:at]:
            yield facts.error((*MIG, "layouts", at), "is listed twice; name each layout once")
        elif not isinstance(layout, str):
            message = (
                "has no mig-parted name, so that no node can be told to take it; name a layout of its configuration"
            )
            yield facts.warning((*MIG, "layouts", at), message)


def _single(facts: Facts, mig: MigSpec) -> Iterator[Problem]:
    """GPU feature discovery, internal/lm/mig-strategy.go: all GPUs whole, or all sliced into one profile."""
    model = facts.catalog.gpu_model(facts.gpu_model)

    def counts(layout: Any) -> Counts:
        found = facts.catalog.layout(layout, model) if isinstance(layout, str) else tuple(sorted(layout.items()))
        return found or ()

    fix = "under strategy single all GPUs have one and the same profile; use strategy mixed"
    for path, layout in _layouts(mig):
        names = [name for name, _ in counts(layout)]
        if len(names) > 1:
            yield facts.error((*MIG, *path), f"has {' and '.join(names)}; {fix}")
    if not mig.devices:
        return
    sliced = {index: counts(device.layout) for device in mig.devices for index in device.indexes}
    profiles = {name for layout in sliced.values() for name, _ in layout}
    some_whole = len(sliced) < facts.gpu_count or not all(sliced.values())
    if profiles and some_whole:
        yield facts.error((*MIG, "devices"), f"leaves some GPUs whole; {fix}, or slice them all")
    elif len(profiles) > 1 and all(len(layout) == 1 for layout in sliced.values()):
        yield facts.error((*MIG, "devices"), f"has {' and '.join(sorted(profiles))}; {fix}")
