"""Looking at the world: one snapshot of cluster and cloud that knows whether it may be trusted with removals (S5, S11).

Loss of signal is never a reason to remove. A list that failed or was cut off, a view behind our own writes, nodes or
pods that vanished all at once, a clock that jumped: each makes the snapshot incomplete, with a sentence that says why.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autoscaler.control.own_writes import OwnWrites, with_raises
from autoscaler.model.failures import PortFailure
from autoscaler.model.memory import Memory
from autoscaler.model.nodes import InstanceGroup
from autoscaler.model.ports import Clock, Cloud, CloudView, Cluster, Observed
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.membership import instance_id

SKEW_S = 30.0
LOST_NODES, LOST_PODS, LOST_SHARE = 0, 4, 0.2
"""More than this many that vanished since the last look, and more than this share of all: the view is not believed
(Clusterman's `prevent_scale_down_after_capacity_loss`; reliability of shrunken lists, S5)."""


@dataclass(frozen=True, slots=True)
class Look:
    """What was seen. `doubts`: why nothing may be removed on account of it; `jumped_s`: the clock jumped by so much."""

    snapshot: Snapshot
    now: float
    doubts: tuple[str, ...] = ()
    jumped_s: float = 0.0


class BlindError(Exception):
    """Nothing could be seen that a decision can rest on; the text says what."""


@dataclass(slots=True)
class Looker:
    """Remembers the last look, to see what a single one cannot show."""

    cluster: Cluster
    cloud: Cloud
    clock: Clock
    own: OwnWrites = field(default_factory=OwnWrites)
    _groups: dict[str, InstanceGroup] = field(default_factory=dict)
    _read_at: dict[str, float] = field(default_factory=dict)
    _looked_at: float | None = None
    _nodes: dict[str, str] = field(default_factory=dict)
    _pods: dict[str, str] = field(default_factory=dict)
    _compared: bool = False
    _distrust: int = 0
    _offset: float | None = None
    _noted: float | None = None
    _seen: float | None = None
    _last: tuple[Snapshot, Snapshot, dict[str, InstanceGroup]] | None = None

    def look(self, memory: Memory) -> Look:
        """One look. Raises BlindError where the cluster, or the cloud from the start, could not be read."""
        before = self.clock.monotonic()
        try:
            observed = self.cluster.observe()
        except PortFailure as failure:
            raise BlindError(f"the cluster could not be listed: {failure}") from failure
        after = self.clock.monotonic()
        now = self._now(observed, before, after)
        doubts: list[str] = [] if observed.snapshot.complete else [observed.why or "the cluster's list is not complete"]
        groups = self._cloud(doubts)
        jumped = self._jump(observed, before, after, doubts)
        snapshot = self._snapshot(observed.snapshot, with_raises(groups, memory, now, self._ages()), doubts)
        self._shrinkage(snapshot, memory, doubts)
        if doubts:
            snapshot = replace(snapshot, complete=False)
        return Look(snapshot, now, tuple(doubts), jumped)

    def with_memory(self, snapshot: Snapshot, memory: Memory, now: float) -> Snapshot:
        """The same look after the cloud refused something: with the refusals that the memory now holds."""
        return replace(snapshot, groups=with_raises(self._groups, memory, now, self._ages()), derived={})

    def _ages(self) -> Mapping[str, float]:
        """Seconds since a group was last read, for those that the last look could not read."""
        now = self.clock.monotonic()
        return {name: now - at for name, at in self._read_at.items() if at != self._looked_at}

    def _snapshot(self, listed: Snapshot, groups: dict[str, InstanceGroup], doubts: list[str]) -> Snapshot:
        """The list with our own writes and the groups; the same value as last time where nothing has changed."""
        nodes, behind = self.own.laid_over(listed.nodes)
        if behind:
            doubts.append(f"the list is older than our own writes to {behind} nodes")
        elif self._last is not None and self._last[0] is listed and self._last[2] == groups:
            return self._last[1]
        made = replace(listed, nodes=nodes, groups=groups, complete=True, derived={})
        self._last = None if behind else (listed, made, groups)
        return made

    def _cloud(self, doubts: list[str]) -> Mapping[str, InstanceGroup]:
        try:
            view: CloudView = self.cloud.observe()
        except PortFailure as failure:
            if not self._groups:
                raise BlindError(f"the cloud could not be read: {failure}") from failure
            doubts.append(f"the cloud could not be read: {failure}")
            self._looked_at = None
            return self._groups
        groups = dict(view.groups)
        self._looked_at = self.clock.monotonic()
        for name in sorted(view.failed):
            doubts.append(f"group {name} could not be read: {view.failed[name]}")
            if name in self._groups:
                groups[name] = self._groups[name]
        self._read_at = {n: self._read_at.get(n, 0.0) if n in view.failed else self._looked_at for n in groups}
        self._groups = groups
        return groups

    def _now(self, observed: Observed, before: float, after: float) -> float:
        """The API server's time: the objects' own instants are its, so its clock is the one to compare them with.

        Where an answer does not tell it, it is reckoned from the last one that did. Monotonic instants around the call.
        """
        if observed.at is not None:
            self._offset = observed.at - (before + after) / 2
            return observed.at
        return self.clock.wall() if self._offset is None else after + self._offset

    def _jump(self, observed: Observed, before: float, after: float, doubts: list[str]) -> float:
        """By how much the clock has jumped against the monotonic one since the last pass that took note of it.

        The answer was made at some instant of the call, so that a slow call alone is no jump.
        """
        if observed.at is None:
            return 0.0
        least, most = observed.at - after, observed.at - before
        if self._noted is None:
            self._noted = least
        self._seen = min(max(self._noted, least), most)
        jumped = self._seen - self._noted
        if abs(jumped) <= SKEW_S:
            return 0.0
        doubts.append(f"the clock jumped by {jumped:.0f} s")
        return jumped

    def note_clock(self) -> None:
        """What the last jump means for the timers is written down: it is no news any more."""
        self._noted = self._seen

    def _shrinkage(self, snapshot: Snapshot, memory: Memory, doubts: list[str]) -> None:
        """Doubt a view in which much has vanished at once, and the one after it."""
        nodes = {n.uid: instance_id(n.provider_id) for n in snapshot.nodes}
        # A finished pod may be cleaned up at any time, and many of them at once: no sign of a bad list.
        pods = {p.uid: "" if p.finished else p.node for p in snapshot.pods if p.node}
        known = {r.instance for r in memory.removals if r.instance}
        gone = [uid for uid, instance in self._nodes.items() if uid not in nodes and instance not in known]
        stayed = {n.name for n in snapshot.nodes}
        lost = [uid for uid, node in self._pods.items() if uid not in pods and node in stayed]
        if not self._compared:
            # A list that was cut off without a word is told by the one before it.
            doubts.append("the first look of this process has none to be compared with")
            self._compared = True
        self._distrust = max(0, self._distrust - 1)
        for what, count, total, floor in (
            ("nodes", len(gone), len(self._nodes), LOST_NODES),
            ("pods", len(lost), len(self._pods), LOST_PODS),
        ):
            if count > max(floor, math.floor(LOST_SHARE * total)):
                doubts.append(f"{count} of {total} {what} vanished since the last look")
                self._distrust = 2
        if self._distrust == 1:
            doubts.append("much had vanished at the look before this one")
        self._nodes, self._pods = nodes, pods
