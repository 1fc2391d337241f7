"""S11: no timer gets shorter through a restart or a clock jump: true idle time is at least the cooldown."""

from __future__ import annotations

from simulations.world.oracles.facts import NOTICED_S
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

SLACK_S = 2.0


class Timers(Judge):
    """Measures with a clock of its own how long a node had been idle when its drain began."""

    invariant = "S11"
    watches = frozenset({What.NODE_PATCHED})

    def watch(self, record: Record) -> None:
        """See Judge."""
        claim = self.facts.began(record)
        if claim is None or claim.reason != "Idle":
            return
        node = record.details["after"]
        group = self.facts.machine_group(node)
        if any(
            group in p.groups and p.scale_down.threshold for used in self.facts.site.used for p in used.policies.pools
        ):
            return  # where nodes in little use may go too, or could under an earlier policy, little use counts as well
        cooldowns = [
            pool.scale_down.idle_cooldown_s
            for policy in self.facts.policies_since(NOTICED_S)
            for pool in policy.policies.pools
            if group in pool.groups
        ]
        idle = record.at - self.facts.idle_from.get(node.name, record.at)
        if cooldowns and idle + SLACK_S < min(cooldowns):
            self.broken(
                f"{record.actor} drains {node.name} as idle after {idle:.0f} s, the cooldown is {min(cooldowns):.0f} s"
            )
