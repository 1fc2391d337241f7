"""S6: only groups that the policy names and that carry the cluster's ownership tag are touched."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulations.world.oracles.facts import NOTICED_S
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


@dataclass(slots=True)
class OnlyOurs(Judge):
    """Hands off everything else."""

    invariant = "S6"
    watches = frozenset({What.PERSON, What.RAISED, What.TERMINATED, What.NODE_PATCHED})
    untagged: dict[str, float] = field(default_factory=dict)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is What.PERSON and record.details["did"] == "remove the ownership tag":
            self.untagged[record.subject] = record.at
        elif record.what is What.PERSON and record.details["did"] == "add the ownership tag":
            self.untagged.pop(record.subject, None)
        if not self.facts.is_ours(record):
            return
        claim = self.facts.began(record)
        if record.what is What.RAISED:
            group = record.subject
        elif record.what is What.TERMINATED:
            group = record.details["group"]
        elif claim is not None:
            group = self.facts.machine_group(record.details["after"])
        else:
            return
        named = any(group in pool.groups for p in self.facts.policies_since(NOTICED_S) for pool in p.policies.pools)
        if not named:
            self.broken(f"{record.actor}: {record.what} {record.subject} of group {group!r}, which no policy names")
        if record.at - self.untagged.get(group, float("inf")) > NOTICED_S:
            self.broken(f"{record.actor}: {record.what} {record.subject} of {group}, which is not tagged as ours")
