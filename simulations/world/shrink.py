"""A failing world made smaller: what can be left out while the same invariant still breaks is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from simulations.world.faults import Faults
from simulations.world.run import run
from simulations.world.setup import Setup

Breaks = Callable[[Setup], bool]


def breaks(invariant: str) -> Breaks:
    """A test of worlds: does a run of one break this invariant?"""
    return lambda setup: any(v.invariant == invariant for v in run(setup).violations)


def shrunk(setup: Setup, fails: Breaks, *, tries: int = 400) -> Setup:
    """A world of which nothing more can be left out in one step, or the smallest one found within `tries` runs.

    `setup` itself must fail. The seed stays: what is left out may shift what chance decides, and then is kept.
    """
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(setup):
            if tries <= 0:
                return setup
            tries -= 1
            if fails(candidate):
                setup, smaller = candidate, True
                break
    return setup


def _smaller(setup: Setup) -> Iterator[Setup]:
    """Worlds with one thing less, the greatest steps first."""
    if setup.faults != Faults():
        yield replace(setup, faults=Faults())
    if setup.events:
        yield replace(setup, events=())
    if setup.controllers > 1:
        yield replace(setup, controllers=1)
    for fault in fields(setup.faults):
        if getattr(setup.faults, fault.name):
            yield replace(setup, faults=replace(setup.faults, **{fault.name: 0.0}))
    for at in range(len(setup.workloads)):
        yield replace(setup, workloads=setup.workloads[:at] + setup.workloads[at + 1 :])
    for at in range(len(setup.events)):
        yield replace(setup, events=setup.events[:at] + setup.events[at + 1 :])
    if setup.daemons:
        yield replace(setup, daemons=False)
    for at, workload in enumerate(setup.workloads):
        if workload.replicas > 1:
            less = replace(workload, replicas=workload.replicas // 2)
            yield replace(setup, workloads=(*setup.workloads[:at], less, *setup.workloads[at + 1 :]))
    for at, (name, group) in enumerate(setup.groups):
        if group.size:
            less_group = (name, replace(group, size=group.size - 1))
            yield replace(setup, groups=(*setup.groups[:at], less_group, *setup.groups[at + 1 :]))
