"""S4: removals stay within the budgets in every time window, across restarts and leaders.

A removal counts from when it was written to the ledger (its promise), or from its effect if it never was.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from autoscaler.control.claims import claim_of
from autoscaler.control.loop import Policy
from autoscaler.model.ports import DocumentName
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


@dataclass(slots=True)
class Budgets(Judge):
    """Counts every termination against every budget that names its reason."""

    invariant = "S4"
    watches = frozenset({What.DOCUMENT_WRITTEN, What.PERSON, What.TERMINATED})
    promised: dict[str, float] = field(default_factory=dict)
    removed: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=400))

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is What.DOCUMENT_WRITTEN and record.subject == DocumentName.LEDGER:
            self._promises(record)
        if record.what is What.PERSON and record.details["did"] == "delete the ledger":
            self.removed.clear()  # a process that starts after this cannot know
        if record.what is not What.TERMINATED or not self.facts.is_ours(record) or not record.details["node"]:
            return
        node = self.facts.site.store.nodes.get(record.details["node"])
        claim = claim_of(node) if node is not None else None
        if claim is None:
            return
        self.removed.append((self.promised.get(record.subject, record.at), claim.reason))
        broken = [self._over(policy, claim.reason) for policy in self.facts.policies_since(700)]
        if all(broken):
            self.broken(f"{record.actor} terminated {record.subject} for {claim.reason}: {broken[0]}")

    def _promises(self, record: Record) -> None:
        try:
            state: Any = json.loads(record.details["after"].data.get("state", ""))
        except ValueError:
            return
        for removal in state.get("removals") or ():
            instance = removal.get("instance")
            if instance and instance not in self.promised:
                self.promised[instance] = record.at

    def _over(self, policy: Policy, reason: str) -> str:
        for budget in policy.policies.cluster.budgets:
            if reason not in budget.reasons or budget.at_most is None or budget.per is None:
                continue
            relevant = sorted(at for at, why in self.removed if why in budget.reasons)
            for i, at in enumerate(relevant):
                count = sum(1 for other in relevant[i:] if other - at < budget.per - 1)
                if count > budget.at_most:
                    return f"{count} within {budget.per:.0f} s, the budget allows {budget.at_most}"
        return ""
