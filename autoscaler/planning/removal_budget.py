"""How many nodes may still be removed now, by reason: rates counted from the ledger, not only concurrency (S4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from autoscaler.model.memory import Removal
from autoscaler.model.reasons import Code, Reason
from policies import budgets as rules


@dataclass(slots=True)
class RemovalBudget:
    """The policy's budgets against what was removed before and what this plan removes."""

    budgets: Sequence[Any]
    managed_nodes: int
    removals: Sequence[Removal]
    in_progress: int
    now: float
    planned: list[tuple[float, str]] = field(default_factory=list)

    def obstacle(self, reason: str) -> Reason | None:
        """BudgetSpent with the instant of the next slot, or None if one more removal for this reason is allowed."""
        left, next_at = self.left(reason)
        return None if left > 0 else Reason.of(Code.BUDGET_SPENT, next=next_at)

    def left(self, reason: str) -> tuple[int, float | None]:
        """How many more removals for this reason, and when the next slot opens if none."""
        # An instant of the future counts as now: a clock that jumped back never refills a budget (S11).
        past = [(min(r.at, self.now), r.reason) for r in self.removals]
        return rules.allowed(
            self.budgets,
            reason=reason,
            managed_nodes=self.managed_nodes,
            removals=[*past, *self.planned],
            now=self.now,
            in_progress=self.in_progress + len(self.planned),
        )

    def spend(self, reason: str) -> None:
        """Count one removal of this plan."""
        self.planned.append((self.now, reason))
