"""A change of the policy that would remove more than the budget waits for a person (S7).

Every other autoscaler learned it the hard way: a pool deleted, a selector emptied, a hash that changed (Karpenter #699,
#5373, #6952). Nodes that the policy before would remove as well do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from autoscaler.control.looking import Look
from autoscaler.model.memory import Memory
from autoscaler.model.reasons import Code
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.plan import Plan
from autoscaler.planning.pools import Policies
from autoscaler.planning.removal_budget import RemovalBudget


class Decide(Protocol):
    """The decision."""

    def __call__(self, snapshot: Snapshot, policies: Policies, memory: Memory, now: float) -> Plan:
        """The plan."""
        ...


@dataclass(frozen=True, slots=True)
class Hold:
    """Whether the policy is accepted. `removals`: how many nodes it alone would remove, `budget`: how many it may."""

    accepted: bool
    removals: int = 0
    budget: int = 0


def judge_change(
    look: Look,
    policies: Policies,
    digest: str,
    before: Policies | None,
    memory: Memory,
    decide: Decide,
    *,
    approved: bool,
) -> tuple[Hold, Memory]:
    """Accept the policy, or hold its removals; and the memory that says so.

    `before`: the policy that was in force, None after a restart. An incomplete look judges nothing: the policy is
    held until a complete one.
    """
    if memory.policy in ("", digest) or approved:
        return Hold(True), replace(memory, policy=digest, held_policy="")
    complete = replace(look.snapshot, complete=True, derived={})
    removed = _removed(complete, policies, memory, look.now, decide)
    if before is not None and removed:
        removed -= _removed(replace(complete, derived={}), before, memory, look.now, decide)
    managed = sum(1 for _ in look.snapshot.nodes)
    budget = RemovalBudget(policies.cluster.budgets, managed, memory.removals, 0, look.now)
    left, _ = budget.left(str(Code.IDLE))
    if len(removed) > left:
        return Hold(False, len(removed), left), replace(memory, held_policy=digest)
    return Hold(True), replace(memory, policy=digest, held_policy="")


def _removed(snapshot: Snapshot, policies: Policies, memory: Memory, now: float, decide: Decide) -> set[str]:
    """The nodes that a policy would remove now, budgets and the limit of parallel drains aside."""
    unbounded = replace(policies.cluster, budgets=(), max_parallel_drains=len(snapshot.nodes) + 1)
    plan = decide(snapshot, replace(policies, cluster=unbounded), memory, now)
    return {down.node for down in plan.scale_down} | {gone.node for gone in plan.terminate if gone.node is not None}
