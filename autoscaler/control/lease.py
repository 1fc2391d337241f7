"""Leader election over a Lease, with a fence: client-go's semantics, by this process' own clock.

Nobody's wall clock is compared: a lease counts as held for its duration from when this process last saw it change. The
epoch of a term is one more than `leaseTransitions`, which grows with every acquisition, also by a process that finds
its own name in the record: what it did before its restart was another term.
Source: k8s.io/client-go/tools/leaderelection (tryAcquireOrRenew, release).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autoscaler.model.failures import Conflict, PortFailure
from autoscaler.model.ports import Clock, Cluster, LeaseRecord

RELEASED_S = 1.0
"""The duration in a lease that was given back: others need not wait (client-go writes 1 s as well)."""


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """Seconds. `fence_margin_s`: so long before others may take the lease, nothing is begun any more."""

    lease_duration_s: float = 15.0
    renew_deadline_s: float = 10.0
    retry_period_s: float = 2.0
    fence_margin_s: float = 2.0

    @property
    def fence_s(self) -> float:
        """How long after the start of a successful renewal effects may begin."""
        return min(self.renew_deadline_s, self.lease_duration_s - self.fence_margin_s)


@dataclass(slots=True)
class Elector:
    """One candidate. `tick` is called at least every retry period; whether an effect may happen says `may_act`."""

    cluster: Cluster
    clock: Clock
    identity: str
    times: LeaseTimes = field(default_factory=LeaseTimes)
    leading: bool = False
    why: str = "not tried yet"
    _record: LeaseRecord = field(default_factory=LeaseRecord)
    _version: str | None = None
    _seen: float = 0.0
    _renewed: float = 0.0
    _floor: int = 0

    @property
    def epoch(self) -> int:
        """The number of this term, from 1; 0 for a process that has not led."""
        return self._record.transitions + 1 if self.leading else 0

    def tick(self) -> bool:
        """Renew or try to acquire, if it is time for it; True while this process leads."""
        now = self.clock.monotonic()
        if self.leading and now - self._renewed < self.times.retry_period_s:
            return True
        try:
            renewed = self._try(now)
        except PortFailure as failure:
            self.why = f"the lease could not be renewed: {failure}"
            renewed = False
        if not renewed and self.leading and self.clock.monotonic() - self._renewed >= self.times.renew_deadline_s:
            self.leading = False
        return self.leading

    def may_act(self) -> bool:
        """The fence: True while no other process can have taken the lease."""
        return self.leading and self.clock.monotonic() - self._renewed < self.times.fence_s

    def next_tick_at(self) -> float:
        """The monotonic instant at which `tick` is due again."""
        return (self._renewed if self.leading else self.clock.monotonic()) + self.times.retry_period_s

    def step_down(self, epoch: int) -> None:
        """Lead no more: a term of this epoch has begun elsewhere. A later term of ours will be a newer one."""
        self.leading = False
        self._floor = max(self._floor, epoch)
        self.why = f"epoch {epoch} has begun"

    def release(self) -> None:
        """Give the lease back, so that the next leader need not wait. A failure is no matter: it expires."""
        if not self.leading:
            return
        self.leading = False
        wall = self.clock.wall()
        try:
            self.cluster.write_lease(LeaseRecord("", RELEASED_S, wall, wall, self._record.transitions), self._version)
        except PortFailure as failure:
            self.why = f"the lease could not be released: {failure}"

    def _try(self, now: float) -> bool:
        if self.leading:
            # The record as we wrote it last is the likely one; who else wrote it makes this a conflict.
            try:
                self._write(now, self._record.transitions)
            except Conflict:
                pass
            else:
                return True
        found = self.cluster.read_lease()
        if found is None:
            self._version = None
            return self._acquire(now, 0)
        record, version = found
        if version != self._version or record != self._record:
            self._seen = self.clock.monotonic()
        ours = self.leading and record.holder == self.identity and record.transitions == self._record.transitions
        held = bool(record.holder) and self._seen + record.duration_s > self.clock.monotonic()
        if ours:
            self._version = version
            self._write(now, record.transitions)
            return True
        if self.leading:
            self.leading = False
            self.why = f"{record.holder or 'nobody'} holds the lease"
        self._record, self._version = record, version
        if held and record.holder != self.identity:
            self.why = f"{record.holder} holds the lease"
            return False
        return self._acquire(now, record.transitions + 1)

    def _acquire(self, now: float, transitions: int) -> bool:
        try:
            self._write(now, max(transitions, self._floor))
        except Conflict:
            self.why = "another candidate was faster"
            return False
        self.leading = True
        self.why = ""
        return True

    def _write(self, began: float, transitions: int) -> None:
        wall = self.clock.wall()
        acquired = self._record.acquired if self.leading else wall
        record = LeaseRecord(self.identity, self.times.lease_duration_s, acquired, wall, transitions)
        try:
            version = self.cluster.write_lease(record, self._version)
        except PortFailure as failure:
            if failure.outcome_known:
                raise
            found = self.cluster.read_lease()
            if found is None or found[0] != record:
                raise
            version = found[1]
        self._record, self._version, self._renewed, self._seen = record, version, began, began
