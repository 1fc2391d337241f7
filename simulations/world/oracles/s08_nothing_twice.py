"""S8: two leaders never remove twice or buy twice; nor does one, while what it bought is still coming up.

For every pool: what is on its way after a raise is no more than the pods that waited lately, the pods that lose their
node, the buffer, and the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autoscaler.planning.pools import Pool
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

LATELY_S = 240.0


@dataclass(slots=True)
class NothingTwice(Judge):
    """Counts what is on its way at every raise."""

    invariant = "S8"
    watches = frozenset({What.TAKEN, What.TERMINATED, What.RAISED, What.LAUNCH_FAILED, What.PERSON})
    lost: list[tuple[float, int]] = field(default_factory=list)
    failed: dict[str, float] = field(default_factory=dict)
    shrunk: dict[str, float] = field(default_factory=dict)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what in (What.TAKEN, What.TERMINATED):
            work = sum(1 for p in record.details["pods"] if not p.is_daemon and not p.finished)
            self.lost.append((record.at, work + 1))
        if record.what is What.PERSON and record.details["did"] == "the launch fails":
            self.lost.append((record.at, 1))
        if record.what is What.LAUNCH_FAILED:
            self.failed[record.subject] = record.at
        if record.what is What.RAISED and not self.facts.is_ours(record):
            self.shrunk[record.subject] = record.at
        if record.what is not What.RAISED or not self.facts.is_ours(record):
            return
        for policy in self.facts.policies_since(0):
            for pool in policy.policies.pools:
                if record.subject in pool.groups:
                    self._judge(record, pool)

    def _judge(self, record: Record, pool: Pool) -> None:
        facts = self.facts
        now = record.at
        if any(now - self.shrunk.get(g, float("-inf")) < LATELY_S for g in pool.groups):
            return
        if now - facts.foreign_at < LATELY_S or now - facts.jumped_at < LATELY_S:
            # After a jump nobody can tell how long a node has been on its way.
            return
        groups = [g for name in pool.groups if (g := facts.site.groups.by_name.get(name)) is not None]
        late = min(pool.scale_up.registration_timeout_s, pool.scale_up.initialization_timeout_s) - 30
        coming = 0
        for group in groups:
            alive = group.alive
            starting = [m for m in alive if not self._is_up(m.node)]
            coming += sum(1 for m in starting if now - m.born < late)
            if now - self.failed.get(group.name, float("-inf")) >= LATELY_S:
                # What the cloud has just failed to launch is not on its way: another group may be tried.
                coming += max(0, group.desired - len(alive))
        demand = facts.pending_lately(LATELY_S)
        demand += sum(n for at, n in self.lost if now - at < LATELY_S)
        demand += self._noticed()
        buffer = pool.warm_buffer.nodes if pool.warm_buffer is not None and pool.warm_buffer.nodes else 0
        most = demand + buffer + pool.min_nodes
        if coming > most:
            self.broken(
                f"{record.actor} raised {record.subject} to {record.details['after']}: {coming} nodes of pool "
                f"{pool.name} are on their way, {most} can be of use"
            )

    def _is_up(self, name: str) -> bool:
        node = self.facts.site.store.nodes.get(name) if name else None
        return node is not None and node.uid in self.facts.ready

    def _noticed(self) -> int:
        site = self.facts.site
        return sum(
            1 + len(self.facts.work_on(m.node)) for m in site.groups.machines.values() if m.shown.notice is not None
        )
