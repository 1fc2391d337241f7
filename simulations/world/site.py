"""One world put together from its setup: the API server, the cloud, and all who act in it but the controllers."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256

from autoscaler.control.loop import Policy
from autoscaler.control.switch import switch_of
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.objects import DaemonSet
from autoscaler.model.pods import PodSpec, Toleration
from autoscaler.model.ports import DocumentName
from autoscaler.planning.compile import compile_policies
from autoscaler.planning.pools import Policies
from policies.loading import loads
from providers.catalog.catalog import load_catalog
from simulations.world.api import SimCluster
from simulations.world.cloud import SimCloud
from simulations.world.core import World
from simulations.world.faults import Gremlin
from simulations.world.groups import Group, Groups
from simulations.world.kubelets import Kubelets
from simulations.world.people import People
from simulations.world.scheduler import Scheduler
from simulations.world.setup import GroupSetup, Setup, WorkloadSetup
from simulations.world.store import Store
from simulations.world.workloads import Workloads

START = parse_rfc3339("2026-06-01T12:00:00Z")
DAEMON = DaemonSet(
    "kube-system", "node-agent", PodSpec(requests=(("cpu", 100),), tolerations=(Toleration(operator="Exists"),))
)


@lru_cache(maxsize=256)
def policy_of(text: str) -> Policy:
    """The policy of a text; equal texts are one value, so that what is derived from it is made once."""
    return Policy(compile_policies(loads(text, "policy"), load_catalog()), sha256(text.encode()).hexdigest()[:12])


@dataclass(slots=True)
class Site:
    """All parts of a world. `policy`: the one in force."""

    setup: Setup
    world: World
    store: Store
    groups: Groups
    workloads: Workloads
    kubelets: Kubelets
    scheduler: Scheduler
    people: People
    gremlin: Gremlin
    policy: Policy
    used: list[Policy] = field(default_factory=list)
    reads: dict[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def of(cls, setup: Setup) -> Site:
        """The world as it is at the start: nodes that are ready, pods that run on them, and what is to come."""

        def stream(name: str) -> random.Random:
            return random.Random(f"{setup.seed}/{name}")

        policy = policy_of(setup.policies[0])
        world = World(START, stream("world"))
        gremlin = Gremlin(world, setup.faults, stream("faults"))
        store = Store(world, daemon_sets=(DAEMON,) if setup.daemons else ())
        groups = Groups(world, gremlin, stream("cloud"))
        workloads = Workloads(world, store, stream("workloads"))
        kubelets = Kubelets(world, store, groups, gremlin, stream("kubelets"), policy.policies, workloads)
        scheduler = Scheduler(world, store, workloads, stream("scheduler"), setup.lag)
        workloads.changed = store.changed = scheduler.wake
        groups.on_launch, groups.on_stop = kubelets.boot, kubelets.stop
        groups.pods_on = kubelets.pods_on
        people = People(
            world,
            store,
            groups,
            kubelets,
            workloads,
            stream("people"),
            swap=lambda number: site.swap(number),
            digest=lambda: site.policy.digest,
        )
        site = cls(setup, world, store, groups, workloads, kubelets, scheduler, people, gremlin, policy, [policy])
        site._begin()
        return site

    def swap(self, number: int) -> None:
        """Another policy file is in force."""
        self.policy = self.policy_number(number)
        self.used.append(self.policy)

    def policy_number(self, number: int) -> Policy:
        """One of the policies of the setup."""
        return policy_of(self.setup.policies[number % len(self.setup.policies)])

    def is_paused(self) -> bool:
        """True while people want nothing changed."""
        stored = self.store.documents.get(DocumentName.SWITCH)
        return stored is not None and switch_of(stored.data).is_paused(self.world.wall())

    def cluster(self, actor: str) -> SimCluster:
        """The cluster as one controller reaches it."""
        return SimCluster(self.world, self.store, self.workloads, self.kubelets, self.gremlin, actor, self.reads)

    def cloud(self, actor: str) -> SimCloud:
        """The cloud as one controller reaches it."""
        return SimCloud(self.world, self.groups, self.gremlin, actor)

    def stream(self, name: str) -> random.Random:
        """A stream of randomness of its own."""
        return random.Random(f"{self.setup.seed}/{name}")

    def _begin(self) -> None:
        zones = _zones(self.policy.policies)
        for name, setup in self.setup.groups:
            self.groups.by_name[name] = self._group(name, setup, zones.get(name, ""))
        for workload in self.setup.workloads:
            if workload.at <= 0:
                self.workloads.create(workload, self._homes(workload))
            else:
                self.world.at(START + workload.at, lambda w=workload: self.workloads.create(w))  # type: ignore[misc]
        for event in self.setup.events:
            self.world.at(START + event.at, lambda e=event: self.people.do(e))  # type: ignore[misc]

    def _group(self, name: str, setup: GroupSetup, zone: str) -> Group:
        group = Group(name, setup, zone, desired=setup.size, stock=setup.stock, owned=setup.owned)
        booting = self.groups.on_launch
        self.groups.on_launch = lambda _: None
        for _ in range(setup.size):
            self.kubelets.register(self.groups.launch(group, running=True), ready=True)
        self.groups.on_launch = booting
        return group

    def _homes(self, workload: WorkloadSetup) -> tuple[str, ...]:
        """Nodes for the pods that run at the start: of the group it names, each as often as its devices allow."""
        if not workload.on:
            return ()
        homes: list[str] = []
        for machine in self.groups.by_name[workload.on].machines.values():
            node = self.store.nodes[machine.node]
            free = dict(node.allocatable)
            for pod in self.store.on_node.get(node.name, {}).values():
                for name, amount in pod.spec.requests:
                    free[name] = free.get(name, 0) - amount
            while all(free.get(n, 0) >= a * (1000 if n == "cpu" else 1) for n, a in workload.requests):
                homes.append(node.name)
                for n, a in workload.requests:
                    free[n] -= a * (1000 if n == "cpu" else 1)
                if len(homes) >= workload.replicas:
                    return tuple(homes)
        return tuple(homes)


def _zones(policies: Policies) -> dict[str, str]:
    return {t.group: t.zone for pool in policies.pools for t in pool.templates}
