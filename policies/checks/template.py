"""The template of a new node against the catalog: instance type, GPUs, price, taints, labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policies.checks.facts import Facts
from policies.checks.words import is_key, is_value
from policies.problems import Path, Problem
from policies.schema_pool import TaintSpec
from policies.suggestions import did_you_mean

TEMPLATE: Path = ("spec", "template")
OURS = "gpu-autoscaler.dev/"
# Every node has its own, or its group decides: a template that sets them contradicts its nodes.
BY_NODE = {
    "kubernetes.io/hostname": "every node has its own",
    "topology.kubernetes.io/zone": "it comes from groups[].zone",
    "failure-domain.beta.kubernetes.io/zone": "it comes from groups[].zone",
}


def check_template(facts: Facts) -> Iterator[Problem]:
    """What a new node is, as far as the catalog knows it."""
    yield from _instance_type(facts)
    yield from _gpus(facts)
    if facts.price is None:
        message = "has no price: neither the policy nor the catalog knows one, so it is used last; set price.usdPerHour"
        yield facts.warning(("spec", "price"), message)
    if facts.accelerators and all(t.effect == "PreferNoSchedule" for t in facts.spec.template.taints):
        message = (
            "a GPU pool without a taint: pods without GPUs land on its nodes and keep them; "
            "add {key: nvidia.com/gpu, value: present, effect: NoSchedule}"
        )
        yield facts.warning((*TEMPLATE, "taints"), message)


def _instance_type(facts: Facts) -> Iterator[Problem]:
    template = facts.spec.template
    name = template.instance_type
    if name and facts.machine is None and not template.resources:
        near = did_you_mean(name, facts.catalog.instance_type_names())
        message = f"{name} is not in the catalog{near or '; spell out template.resources'}"
        yield facts.error((*TEMPLATE, "instanceType"), message)


def _gpus(facts: Facts) -> Iterator[Problem]:
    gpu, machine, name = facts.spec.template.gpu, facts.machine, facts.spec.template.instance_type
    if gpu is None:
        return
    path: Path = (*TEMPLATE, "gpu")
    if not facts.gpu_count:
        yield facts.error(path, "how many GPUs a node has is not known; give count")
    if machine is None or not machine.gpu_count:
        return
    if gpu.count and gpu.count != machine.gpu_count:
        message = f"{name} has {machine.gpu_count} {_gpus_word(machine.gpu_count)}, not {gpu.count}; remove count"
        yield facts.error((*path, "count"), message)
    if gpu.model:
        meant, has = facts.catalog.gpu_model(gpu.model), facts.catalog.gpu_model(machine.gpu_model)
        if meant is not None and has is not None and meant.id != has.id:
            yield facts.error((*path, "model"), f"{name} has {has.id}, not {meant.id}; remove model")


def _gpus_word(count: int) -> str:
    return "GPU" if count == 1 else "GPUs"


def check_labels(facts: Facts) -> Iterator[Problem]:
    """Labels and taints that the API server would take, once each."""
    template = facts.spec.template
    for key, value in template.labels.items():
        path: Path = (*TEMPLATE, "labels", key)
        if not is_key(key):
            yield facts.error(path, "is no label key; write name or domain/name, at most 63 characters after the slash")
        elif key.startswith(OURS):
            yield facts.error(path, "is set by the autoscaler itself; remove it")
        elif key in BY_NODE:
            yield facts.warning(path, f"{BY_NODE[key]}; remove it")
        if not is_value(value):
            message = f"{value!r} is no label value; use at most 63 letters, digits, dots, dashes and underscores"
            yield facts.error(path, message)
    yield from _taints(facts, "taints", template.taints, ())
    yield from _taints(facts, "startupTaints", template.startup_taints, template.taints)


def _taints(facts: Facts, name: str, taints: Sequence[TaintSpec], permanent: Sequence[TaintSpec]) -> Iterator[Problem]:
    stay = {(t.key, t.effect) for t in permanent}
    seen: set[tuple[str, str]] = set()
    for at, taint in enumerate(taints):
        path: Path = (*TEMPLATE, name, at)
        identity = (taint.key, taint.effect)
        if not is_key(taint.key):
            yield facts.error((*path, "key"), f"{taint.key!r} is no taint key; write name or domain/name")
        elif taint.key.startswith(OURS):
            yield facts.error((*path, "key"), f"{taint.key} is set by the autoscaler itself; remove the taint")
        elif identity in seen:
            yield facts.error(path, f"{taint.key} with effect {taint.effect} is given twice; keep one")
        elif identity in stay:
            message = f"{taint.key} with effect {taint.effect} is in taints too, and would never go; keep one of them"
            yield facts.error(path, message)
        if not is_value(taint.value):
            yield facts.error((*path, "value"), f"{taint.value!r} is no taint value; it follows the rules of labels")
        seen.add(identity)
