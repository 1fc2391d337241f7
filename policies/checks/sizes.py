"""Numbers of one pool that contradict each other: limits, warm buffer, timers."""

from __future__ import annotations

from collections.abc import Iterator

from policies.checks.facts import Facts
from policies.problems import Path, Problem
from policies.scalars import duration_text

BUFFER: Path = ("spec", "warmBuffer")


def check_sizes(facts: Facts) -> Iterator[Problem]:
    """Limits, warm buffer and timers of a pool."""
    if facts.spec.limits.max_nodes == 0:
        message = "is 0, so that no node is ever added; raise it, or remove the pool"
        yield facts.warning(("spec", "limits", "maxNodes"), message)
    yield from _one_node(facts)
    yield from _buffer(facts)
    yield from _timers(facts)


def _one_node(facts: Facts) -> Iterator[Problem]:
    """A single node of the pool against the caps over all pools."""
    limits = facts.file.cluster.limits
    found = (
        ("nodes", 1.0, limits.nodes, "the limit of all pools is {limit:g} nodes"),
        ("gpus", facts.accelerators, limits.gpus, "one node has {one:g} GPUs, and the limit of all pools is {limit:g}"),
        ("usdPerHour", facts.price or 0.0, limits.usd_per_hour, "one node costs {one:g}, the limit is {limit:g}"),
    )
    for name, one, limit, told in found:
        if one > limit:
            message = f"{told.format(one=one, limit=limit)}; raise limits.{name} of the AutoscalerPolicy"
            yield facts.warning(("spec", "limits", "maxNodes"), message)


def _buffer(facts: Facts) -> Iterator[Problem]:
    buffer, most = facts.spec.warm_buffer, facts.spec.limits.max_nodes
    if buffer is None:
        return
    if buffer.gpus and not facts.accelerators:
        yield facts.error((*BUFFER, "gpus"), "the pool's nodes have no GPUs; give nodes")
    by_gpus = -(-buffer.gpus // max(1, facts.accelerators))
    fixed = {"nodes": buffer.nodes, "gpus": by_gpus}
    wanted: list[tuple[Path, int]] = [((*BUFFER, name), number) for name, number in fixed.items()]
    wanted += [((*BUFFER, "schedules", at, "nodes"), s.nodes) for at, s in enumerate(buffer.schedules)]
    for path, number in wanted:
        capped = number if buffer.max is None else min(number, buffer.max)
        if capped > most:
            message = f"wants {capped} idle nodes, and the pool has at most {most}; lower it, or raise limits.maxNodes"
            # No reason to stop: the pool fills its buffer as far as it can and says what it lacks.
            yield facts.warning(path, message)
        elif number > capped:
            yield facts.warning((*BUFFER, "max"), f"caps the {number} nodes that {_last(path)} asks for; raise it")
    if not buffer.percent and buffer.predictive is None and not any(number for _, number in wanted):
        yield facts.warning(BUFFER, "asks for no node; set nodes, gpus, percent or schedules, or remove it")
    if buffer.predictive is not None:
        message = "is read, and has no effect yet: the static buffer holds"
        yield facts.warning((*BUFFER, "predictive"), message)


def _last(path: Path) -> str:
    return "a schedule" if "schedules" in path else str(path[-1])


def _timers(facts: Facts) -> Iterator[Problem]:
    up, down, interval = facts.spec.scale_up, facts.spec.scale_down, facts.file.cluster.loop_interval
    for name, seconds in (
        ("registrationTimeout", up.registration_timeout),
        ("initializationTimeout", up.initialization_timeout),
    ):
        if seconds == 0:
            message = "is 0s, so that every new instance counts as failed at once; allow for the time that it takes"
            yield facts.error(("spec", "scaleUp", name), message)
    if up.backoff.initial == 0:
        message = "is 0s, so that a failed launch is repeated in every pass; set some minutes"
        yield facts.warning(("spec", "scaleUp", "backoff", "initial"), message)
    if down.enabled and down.idle_cooldown < interval:
        message = (
            f"{duration_text(down.idle_cooldown)} is shorter than loopInterval {duration_text(interval)}, "
            "so that a node goes in the first pass that finds it idle; set some minutes"
        )
        yield facts.warning(("spec", "scaleDown", "idleCooldown"), message)
