"""Resources of a template: names that exist, amounts that add up, and what is taken off them."""

from __future__ import annotations

from collections.abc import Iterator

from autoscaler.model.quantity import format_amount
from policies.checks.facts import Facts
from policies.checks.words import HUGEPAGES, NATIVE, is_resource, page_size
from policies.problems import Path, Problem
from policies.suggestions import nearest

RESOURCES: Path = ("spec", "template", "resources")
RESERVED: Path = ("spec", "template", "reserved")


def check_resources(facts: Facts) -> Iterator[Problem]:
    """`template.resources` and `template.reserved`."""
    template = facts.spec.template
    for base, amounts in ((RESOURCES, template.resources), (RESERVED, template.reserved)):
        for name, amount in amounts.items():
            size = page_size(name)
            if not is_resource(name):
                yield facts.error((*base, name), _no_resource(name))
            elif size and amount % size:
                yield facts.error((*base, name), f"must be a multiple of a page, {name.removeprefix(HUGEPAGES)}")
    yield from _devices(facts)
    yield from _hugepages(facts)
    yield from _reserved(facts)


def _no_resource(name: str) -> str:
    if name.startswith(HUGEPAGES):
        return "is no resource; hugepages carry their size, such as hugepages-2Mi"
    near = "nvidia.com/gpu" if name.lower().startswith("gpu") else nearest(name, NATIVE)
    if near:
        return f"is no resource; did you mean {near}?"
    return "is no resource; those of device plugins are domain/name, such as nvidia.com/gpu"


def _devices(facts: Facts) -> Iterator[Problem]:
    """Devices by hand win over what follows from `gpu`: most often they were forgotten there."""
    gpu, name = facts.spec.template.gpu, facts.gpu_resource
    given = facts.spec.template.resources.get(name)
    if gpu is None or given is None or not facts.gpu_count:
        return
    if gpu.sharing is not None or given != facts.gpu_count:
        message = f"wins over gpu, which follows {facts.gpu_count} of its own and their sharing; remove one of them"
        yield facts.warning((*RESOURCES, name), message)


def _hugepages(facts: Facts) -> Iterator[Problem]:
    """The kubelet takes hugepages out of the machine's memory."""
    template, machine = facts.spec.template, facts.machine
    if machine is None or "memory" in template.resources:
        return
    memory = dict(machine.resources).get("memory", 0)
    pages = {n: a for n, a in template.resources.items() if n.startswith(HUGEPAGES)}
    total = sum(pages.values())
    if pages and total >= memory:
        message = f"is {format_amount('memory', total)} of hugepages on {format_amount('memory', memory)}; lower it"
        yield facts.error((*RESOURCES, max(pages)), message)


def _reserved(facts: Facts) -> Iterator[Problem]:
    template, machine = facts.spec.template, facts.machine
    if not template.reserved:
        return
    if machine is None:
        message = "is taken off what the catalog says of an instance type; resources given by hand are final; remove it"
        yield facts.warning(RESERVED, message)
        return
    has = dict(machine.resources)
    for name, amount in template.reserved.items():
        path: Path = (*RESERVED, name)
        if name in template.resources:
            yield facts.warning(path, f"has no effect: resources.{name} is final; lower that, and remove this")
        elif name not in has and is_resource(name):
            yield facts.warning(
                path, f"has no effect: the catalog has no {name} for {template.instance_type}; remove it"
            )
        elif name in has and amount >= has[name]:
            most = format_amount(name, has[name])
            yield facts.error(path, f"is {format_amount(name, amount)} of {most}; nothing is left for pods, lower it")
