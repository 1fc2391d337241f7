"""The AutoscalerPolicy, alone and against all pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from policies.checks.facts import Facts
from policies.checks.words import is_extended_resource, is_key, is_value
from policies.loading import PolicyFile
from policies.problems import Path, Problem
from policies.suggestions import nearest

CONTROLLER_KINDS = ("DaemonSet", "Deployment", "Job", "Node", "ReplicaSet", "ReplicationController", "StatefulSet")
# Reasons that take nodes nobody asked to lose; a budget for each, or nothing limits it.
CHOSEN_REASONS = ("Idle", "Underutilized", "CheaperReplacement", "Expired")
BUDGETS: Path = ("spec", "disruption", "budgets")


def check_cluster(file: PolicyFile) -> Iterator[Problem]:
    """What the AutoscalerPolicy says for itself."""
    for at, name in enumerate(file.cluster.accelerator_resources):
        if not is_extended_resource(name):
            told = "patterns are not understood; write each name" if "*" in name else "write domain/name"
            message = f"{name} is no extended resource; {told}, such as example.com/gpu"
            yield file.problem("", ("spec", "acceleratorResources", at), message)
    for at, kind in enumerate(file.cluster.pods.ignore_owner_kinds):
        near = nearest(kind, CONTROLLER_KINDS)
        if not kind[0].isupper() or (near and near.lower() == kind.lower()):
            told = f"; did you mean {near}?" if near else "; kinds begin with a capital"
            yield file.problem("", ("spec", "pods", "ignoreOwnerKinds", at), f"{kind} is no kind{told}")
    for key, value in file.cluster.pods.ignore_labels.items():
        path: Path = ("spec", "pods", "ignoreLabels", key)
        if not is_key(key):
            yield file.problem("", path, "is no label key; write name or domain/name")
        if not is_value(value):
            yield file.problem("", path, f"{value!r} is no label value; a pod cannot have it")
    yield from _budgets(file)


def _budgets(file: PolicyFile) -> Iterator[Problem]:
    budgets = file.cluster.disruption.budgets
    for at, budget in enumerate(budgets):
        for position, reason in enumerate(budget.reasons):
            if reason in budget.reasons[:position]:
                yield file.problem("", (*BUDGETS, at, "reasons", position), f"{reason} is given twice; keep one")
    always = {reason for budget in budgets if budget.schedule is None for reason in budget.reasons}
    missing = [reason for reason in CHOSEN_REASONS if reason not in always]
    if missing:
        message = f"nothing limits removals for {' and '.join(missing)}; add a budget without schedule that names them"
        yield file.problem("", BUDGETS, message, warning=True)


def check_minimums(file: PolicyFile, pools: Sequence[Facts]) -> Iterator[Problem]:
    """The pools' minimums together against the caps over all pools."""
    limits = file.cluster.limits
    nodes = sum(f.spec.limits.min_nodes for f in pools)
    gpus = sum(f.spec.limits.min_nodes * f.accelerators for f in pools)
    usd = sum(f.spec.limits.min_nodes * (f.price or 0.0) for f in pools)
    totals = (("nodes", nodes, limits.nodes), ("gpus", gpus, limits.gpus), ("usdPerHour", usd, limits.usd_per_hour))
    for name, total, limit in totals:
        if total > limit:
            message = (
                f"the minimums of the pools need {total:g}, and the limit is {limit:g}; raise it or lower minNodes"
            )
            if "" in file.sources:
                yield file.problem("", ("spec", "limits", name), message)
            else:  # the limit is a default: there is no line to show but a minimum's
                most = max(pools, key=lambda f: f.spec.limits.min_nodes)
                told = f"{message} (limits.{name} of an AutoscalerPolicy)"
                yield most.error(("spec", "limits", "minNodes"), told)


def check_weights(pools: Sequence[Facts]) -> Iterator[Problem]:
    """A pool without weight among pools that have one is used last, which is seldom meant."""
    given = [f for f in pools if "weight" in f.spec.model_fields_set]
    if any(f.spec.weight > 0 for f in given):
        for facts in pools:
            if "weight" not in facts.spec.model_fields_set:
                message = "other pools have a weight and this has none: it counts as 0, and comes after them; set it"
                yield facts.warning(("spec", "weight"), message)
