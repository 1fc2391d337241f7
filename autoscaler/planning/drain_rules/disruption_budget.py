"""PodDisruptionBudgets: one without room blocks, and two on one pod refuse every eviction."""

from __future__ import annotations

from autoscaler.model.pods import Pod
from autoscaler.model.reasons import BlockCause
from autoscaler.planning.drain_rules.rule import Answer, Surroundings, blocked


def check(pod: Pod, around: Surroundings) -> Answer | None:
    """Blocks if a budget has no eviction left, counting those that this plan already makes; or if two budgets overlap.

    The eviction API answers 500 for a pod under more than one budget (policy/v1 Eviction).
    """
    budgets = around.matching_budgets(pod.namespace, pod.labels)
    if len(budgets) > 1:
        return blocked(BlockCause.PDB_OVERLAP, ",".join(b.name for b in budgets))
    for budget in budgets:
        if budget.disruptions_allowed - around.evictions.get((budget.namespace, budget.name), 0) < 1:
            return blocked(BlockCause.PDB_EXHAUSTED, budget.name)
    return None
