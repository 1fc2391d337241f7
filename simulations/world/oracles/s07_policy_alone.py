"""S7: a change of the policy alone never removes nodes beyond the budget; a larger one waits for a person."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autoscaler.model.memory import NO_MEMORY
from autoscaler.planning.decide import decide
from autoscaler.planning.pools import Policies
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


@dataclass(slots=True)
class PolicyAlone(Judge):
    """At the first drain that a new policy begins: would it alone remove more than it may, and did nobody approve?"""

    invariant = "S7"
    watches = frozenset({What.PERSON, What.NODE_PATCHED})
    approved: set[str] = field(default_factory=set)
    first: str = ""
    seen: set[str] = field(default_factory=set)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is What.PERSON and record.details["did"] == "approve":
            self.approved.add(record.subject)
        if not self.first:
            self.first = self.facts.site.used[0].digest
            self.seen.add(self.first)
        claim = self.facts.began(record)
        if claim is None or claim.policy in self.seen:
            return
        self.seen.add(claim.policy)
        used = [p for _, p in self.facts.policies]
        at = next((i for i, p in enumerate(used) if p.digest == claim.policy), None)
        if not at or claim.policy in self.approved or claim.reason == "Interrupted":
            return
        alone = self._removed(used[at].policies, record) - self._removed(used[at - 1].policies, record)
        most = max(
            (b.at_most or 10**6 for b in used[at].policies.cluster.budgets if "Idle" in b.reasons), default=10**6
        )
        if len(alone) > most:
            self.broken(
                f"{record.actor} drains {record.subject} for a policy that alone removes {len(alone)}, {most} may go"
            )

    def _removed(self, policies: Policies, record: Record) -> set[str]:
        site = self.facts.site
        before = {record.subject: record.details["before"]}
        snapshot = site.store.snapshot()
        nodes = tuple(before.get(n.name, n) for n in snapshot.nodes)
        groups = {name: g.shown() for name, g in site.groups.by_name.items() if g.exists}
        view = replace(snapshot, nodes=nodes, groups=groups, derived={})
        free = replace(policies.cluster, budgets=(), max_parallel_drains=len(nodes) + 1)
        plan = decide(view, replace(policies, cluster=free), NO_MEMORY, site.world.wall())
        return {down.node for down in plan.scale_down}
