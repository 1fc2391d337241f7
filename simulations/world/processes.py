"""Controller processes in the world: passes on its clock, crashes at effects, restarts, and a twin at the same time.

A crash is an exception that nothing in the controller catches; it may come right before or right after an effect has
taken hold. The process is gone with all it remembered, and another one starts a little later under another identity.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from autoscaler.control.config_hold import Decide
from autoscaler.control.latency import Latency
from autoscaler.control.lease import Elector, LeaseTimes
from autoscaler.control.loop import Controller
from autoscaler.control.proxies.around import Call, Timed
from autoscaler.control.proxies.wrapped import WrappedCloud, WrappedCluster
from autoscaler.control.report import PassReport
from autoscaler.model.ports import Cloud, Cluster
from autoscaler.reporting.documents import plan_digest
from simulations.world.clocks import SimClock
from simulations.world.core import World
from simulations.world.faults import FaultyCalls
from simulations.world.records import What
from simulations.world.site import Site

T = TypeVar("T")
RESTART_S = 20.0
LEASE = LeaseTimes(lease_duration_s=45.0, renew_deadline_s=30.0, retry_period_s=10.0, fence_margin_s=5.0)
UNCOUNTED = frozenset({"write_lease"})
"""Effects that a crash is not aimed at: a process that dies while it renews dies before a pass."""


class Crash(BaseException):
    """The process dies here."""


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """The effect (counted from 1 over all processes of the run) at which the process that makes it dies."""

    effect: int
    after: bool

    def __str__(self) -> str:
        return f"{'after' if self.after else 'before'} effect {self.effect}"


@dataclass(slots=True)
class Effects:
    """Counts the effects of all processes of a run, and ends a process at those that are aimed at."""

    points: frozenset[CrashPoint] = frozenset()
    count: int = 0
    names: list[str] = field(default_factory=list)

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """An Around."""
        if not call.writes or call.method in UNCOUNTED:
            return do()
        self.count += 1
        number = self.count
        self.names.append(f"{call.method} {call.subject}")
        if CrashPoint(number, after=False) in self.points:
            raise Crash(f"before effect {number}: {call.method} {call.subject}")
        try:
            return do()
        finally:
            if CrashPoint(number, after=True) in self.points:
                # Also where the call failed: the process dies before it reads the answer.
                raise Crash(f"after effect {number}: {call.method} {call.subject}")


class Alter(Protocol):
    """Changes a controller that has just been made, before its first pass: a deliberate fault."""

    def __call__(self, process: Process) -> None:
        """Change it."""
        ...


@dataclass(slots=True)
class Process:
    """One replica of the controller. `interval_s` between the beginnings of two passes."""

    site: Site
    name: str
    decide: Decide
    effects: Effects
    lease: LeaseTimes = LEASE
    offset_s: float = 0.0
    alter: Sequence[Alter] = ()
    controller: Controller | None = None
    reports: list[PassReport] = field(default_factory=list)
    passes: int = 0
    crashes: int = 0
    _generation: int = 0
    _busy: bool = False

    @property
    def world(self) -> World:
        """The world it lives in."""
        return self.site.world

    def start(self) -> None:
        """The process begins; its first pass is a little later."""
        self._generation += 1
        identity = f"{self.name}-{self._generation}"
        clock = SimClock(self.world, self.name)
        latency = Latency()
        cluster: Cluster = self.site.cluster(self.name)
        cloud: Cloud = self.site.cloud(self.name)
        faults = FaultyCalls(self.site.gremlin, self.name)
        for around in (faults, self.effects, Timed(clock, latency)):
            cluster, cloud = WrappedCluster(cluster, around), WrappedCloud(cloud, around)
        elector = Elector(cluster, clock, identity, self.lease)
        self.controller = Controller(
            cluster=cluster,
            cloud=cloud,
            clock=clock,
            elector=elector,
            policy=lambda: self.site.policy,
            decide=self.decide,
            plan_id=plan_digest,
            rng=self.site.stream(identity),
            latency=latency,
        )
        for alter in self.alter:
            alter(self)
        self.world.tell(self.name, What.STARTED, identity)
        self.world.after(self.offset_s + 0.1, self._pass)

    def _pass(self) -> None:
        if self._busy:
            # Still inside a call of the pass before, while the world goes on: the next one starts when it is over.
            self.world.after(1.0, self._pass)
            return
        controller, began = self.controller, self.world.now
        if controller is None:
            return
        self._busy = True
        self.world.tell(self.name, What.PASS_BEGAN, controller.elector.identity)
        try:
            report = controller.one_pass()
        except Crash as crash:
            self._die(str(crash))
            return
        finally:
            self._busy = False
        self.passes += 1
        self.reports.append(report)
        del self.reports[:-8]
        self.world.tell(self.name, What.PASS, controller.elector.identity, report=report)
        self.world.at(max(self.world.now, began + self.site.setup.interval_s), self._pass)

    def _die(self, why: str) -> None:
        self.crashes += 1
        self.controller = None
        self.world.tell(self.name, What.CRASHED, self.name, why=why)
        self.world.after(RESTART_S, self.start)
