"""What a world is made of, as plain values: drawn from a seed, read from a file, or made smaller by shrinking."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from simulations.world.faults import Faults


@dataclass(frozen=True, slots=True)
class GroupSetup:
    """An instance group. `size`: nodes that are there and ready at the start. `stock`: how many instances of it the
    cloud can run at one time. Seconds: `boot` until the node registers, `devices` from Ready until its devices show.
    """

    size: int = 0
    stock: int = 100
    boot: tuple[float, float] = (20.0, 60.0)
    devices: tuple[float, float] = (0.0, 40.0)
    max: int = 1000
    owned: bool = True


@dataclass(frozen=True, slots=True)
class WorkloadSetup:
    """A controller of pods. `kind`: Job (each pod once, to its end), ReplicaSet (replaced for ever), Pod (nobody's).

    `requests`: resource and amount, cpu in cores. `on`: name of the group on whose ready nodes the pods run at the
    start, "" for pending ones. `min_available` None: no PodDisruptionBudget. `duration` None: it never ends.
    """

    name: str
    kind: str = "Job"
    at: float = 0.0
    replicas: int = 1
    requests: tuple[tuple[str, int], ...] = (("nvidia.com/gpu", 1),)
    duration: tuple[float, float] | None = (60.0, 600.0)
    selector: tuple[tuple[str, str], ...] = ()
    tolerates: str = "nvidia.com/gpu"
    priority: int = 0
    grace: int = 30
    min_available: int | None = None
    on: str = ""
    annotations: tuple[tuple[str, str], ...] = ()
    unfit: bool = False


@dataclass(frozen=True, slots=True)
class EventSetup:
    """Something that somebody does at an instant (seconds from the start); see `simulations.world.people`."""

    at: float
    verb: str
    args: tuple[tuple[str, Any], ...] = ()

    def arg(self, name: str, otherwise: Any = None) -> Any:
        """One argument."""
        return dict(self.args).get(name, otherwise)


@dataclass(frozen=True, slots=True)
class Setup:
    """One world. `policies`: texts of policy files; the first one is in force at the start.

    `storm_s`: how long there are faults and events; `calm_s`: how long after it until everything must have settled.
    """

    seed: int
    policies: tuple[str, ...]
    groups: tuple[tuple[str, GroupSetup], ...]
    workloads: tuple[WorkloadSetup, ...] = ()
    events: tuple[EventSetup, ...] = ()
    faults: Faults = field(default_factory=Faults)
    controllers: int = 1
    interval_s: float = 20.0
    storm_s: float = 1500.0
    calm_s: float = 1200.0
    lag: tuple[float, float] = (0.0, 4.0)
    daemons: bool = False
