"""S10: PDBs, grace periods and do-not-disrupt are honored; no drain begins that cannot be carried through."""

from __future__ import annotations

from dataclasses import dataclass, field

from autoscaler.model.nodes import DO_NOT_DISRUPT
from simulations.world.oracles.facts import NOTICED_S
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

FORCED = ("Interrupted", "InitializationFailed")


@dataclass(slots=True)
class RulesOfDrains(Judge):
    """Looks at every beginning of a drain and at every eviction."""

    invariant = "S10"
    watches = frozenset({What.PERSON, What.NODE_PATCHED, What.EVICTED})
    blocked: dict[str, float] = field(default_factory=dict)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is What.PERSON and record.details["did"] == "PodDisruptionBudget":
            self.blocked[record.subject] = record.at
        claim = self.facts.began(record)
        if claim is not None and claim.reason not in FORCED:
            self._begins(record, claim.reason)
        if record.what is What.EVICTED and self.facts.is_ours(record):
            pod = record.details["pod"]
            if pod.annotations.get(DO_NOT_DISRUPT) == "true":
                self.broken(f"{record.actor} evicted {pod.key}, which asks not to be disrupted")

    def _begins(self, record: Record, reason: str) -> None:
        facts, node = self.facts, record.details["after"]
        protected = node.annotations.get(DO_NOT_DISRUPT) == "true"
        if protected and record.at - facts.hands_on.get(node.name, 0.0) > NOTICED_S:
            self.broken(f"{record.actor} drains {node.name}, which is annotated do-not-disrupt")
        for pod in facts.work_on(node.name):
            since = facts.bound_at.get(pod.uid, record.at)
            if record.at - since < NOTICED_S:
                continue
            if reason == "Idle" and pod.deleted_at is None:
                self.broken(f"{record.actor} drains {node.name} as idle; {pod.key} has run on it for a long time")
            for budget in facts.site.store.budgets_of(pod):
                old = record.at - self.blocked.get(budget.name, 0.0) > NOTICED_S
                if budget.min_available >= 9 and old and pod.deleted_at is None:
                    self.broken(f"{record.actor} drains {node.name}; the PodDisruptionBudget of {pod.key} allows none")
