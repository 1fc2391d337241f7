"""S9: caps on nodes, GPUs and dollars per hour hold, coming capacity included."""

from __future__ import annotations

from autoscaler.control.loop import Policy
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

SETTLES_S = 180.0


class Caps(Judge):
    """Counts all groups of the policy at every raise; what others added lately is excused, for nobody knew of it."""

    invariant = "S9"
    watches = frozenset({What.RAISED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is not What.RAISED or not self.facts.is_ours(record):
            return
        if record.at - self.facts.foreign_at < SETTLES_S:
            return
        over = [self._over(policy, record.subject) for policy in self.facts.policies_since(SETTLES_S)]
        if all(over):
            self.broken(f"{record.actor} raised {record.subject} to {record.details['after']}: {over[0]}")

    def _over(self, policy: Policy, raised: str) -> str:
        rules = policy.policies.cluster
        nodes, gpus, usd = 0, 0, 0.0
        for pool in policy.policies.pools:
            size = 0
            for name in pool.groups:
                group = self.facts.site.groups.by_name.get(name)
                template = pool.templates_of(name)[0]
                count = group.desired if group is not None and group.exists else 0
                size += count
                gpus += count * template.gpus
                usd += count * (template.usd_per_hour or 0.0)
            if raised in pool.groups and size > pool.max_nodes:
                return f"pool {pool.name} has {size} nodes, its maximum is {pool.max_nodes}"
            nodes += size
        if nodes > rules.max_nodes:
            return f"{nodes} nodes, the limit is {rules.max_nodes}"
        if gpus > rules.max_gpus:
            return f"{gpus} GPUs, the limit is {rules.max_gpus}"
        if usd > rules.max_usd_per_hour + 1e-6:
            return f"${usd:.2f} an hour, the limit is {rules.max_usd_per_hour:.2f}"
        return ""
