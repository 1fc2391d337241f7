"""Machines of the virtual cloud: each an instance and, once it has booted, a node. They keep their own accounts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.nodes import HOSTNAME, POOL_LABEL, Condition, Instance, InstanceState, Node
from autoscaler.model.pods import Pod
from autoscaler.model.resources import Amounts, is_accelerator
from autoscaler.planning.pools import Template

MIG_CONFIG = "nvidia.com/mig.config"
MIG_STATE = "nvidia.com/mig.config.state"
_SLICES = re.compile(r"nvidia\.com/mig-(\d+)g\.")


def device_weight(resource: str) -> int:
    """What one device of a resource counts: its compute slices for a MIG profile, otherwise 1."""
    found = _SLICES.match(resource)
    return int(found[1]) if found else 1


def gpus_of(requests: Amounts, template: Template) -> float:
    """How many physical GPUs of a node of this template `requests` keep busy; shares and MIG devices by their part."""
    total = sum(amount * device_weight(name) for name, amount in template.allocatable if name in template.accelerators)
    if not total:
        return 0.0
    used = sum(amount * device_weight(name) for name, amount in requests if name in template.accelerators)
    return used * template.gpus / total


@dataclass(slots=True, eq=False)
class Machine:
    """An instance from launch to termination. `busy_gpu_s` and `idle_s` are integrals up to `counted_to`.

    `idle_s` weighs time by the part of the GPUs that did nothing (for a machine without GPUs: 1 while no pod runs).
    `ended_at` None: it still exists. `cause`: why it ended. Pods with a priority below `cutoff` do not hold a node.
    """

    id: str
    name: str
    pool: str
    template: Template
    zone: str
    launched_at: float
    ready_at: float
    price: float | None
    node: Node | None = None
    pods: dict[str, Pod] = field(default_factory=dict)
    used_gpus: float = 0.0
    busy_gpu_s: float = 0.0
    idle_s: float = 0.0
    counted_to: float = 0.0
    ended_at: float | None = None
    cause: str = ""
    booted: bool = False
    workers: int = 0
    cutoff: int = -(2**31)
    boot_entry: int = 0
    loss_entry: int = 0

    @property
    def gpus(self) -> int:
        """Physical GPUs."""
        return self.template.gpus

    @property
    def usd_per_hour(self) -> float:
        """Price of an hour, 0 where it is not known."""
        return self.price or 0.0

    @property
    def working(self) -> bool:
        """True while a pod that holds a node runs on it."""
        return self.workers > 0

    @property
    def instance(self) -> Instance:
        """The machine as the cloud reports it."""
        state = InstanceState.RUNNING if self.booted else InstanceState.PENDING
        return Instance(self.id, state, self.launched_at, self.zone)

    def holds(self, pod: Pod) -> bool:
        """True for a pod whose node is in use because of it."""
        return not pod.is_daemon and pod.spec.priority >= self.cutoff

    def count_to(self, now: float) -> None:
        """Bring the integrals up to `now`; called before anything on the machine changes."""
        if self.booted and self.ended_at is None:
            passed = now - self.counted_to
            self.busy_gpu_s += self.used_gpus * passed
            if self.gpus:
                self.idle_s += (1 - min(1.0, self.used_gpus / self.gpus)) * passed
            elif not self.working:
                self.idle_s += passed
        self.counted_to = now

    def add_pod(self, pod: Pod, now: float) -> None:
        """A pod starts on the machine."""
        self.count_to(now)
        self.pods[pod.key] = pod
        self.workers += self.holds(pod)
        self.used_gpus += gpus_of(pod.spec.requests, self.template)

    def drop_pod(self, key: str, now: float) -> None:
        """A pod of the machine ends or is taken away."""
        self.count_to(now)
        pod = self.pods.pop(key)
        self.workers -= self.holds(pod)
        self.used_gpus -= gpus_of(pod.spec.requests, self.template)
        if not self.pods:
            self.used_gpus = 0.0  # sums of binary fractions must not leave a trace of work on an empty machine


def node_of(machine: Machine, now: float, extra: Mapping[str, str] = NO_LABELS) -> Node:
    """The node object of a machine that has booted: ready, with everything that its template declares."""
    template = machine.template
    labels = template.labels.plus({HOSTNAME: machine.name, POOL_LABEL: machine.pool}).plus(extra)
    if template.layout is not None:
        labels = labels.plus({MIG_CONFIG: template.layout, MIG_STATE: "success"})
    return Node(
        name=machine.name,
        uid=f"uid-{machine.id}",
        provider_id=f"simulated:///{machine.zone}/{machine.id}",
        created=now,
        labels=labels,
        taints=template.taints,
        allocatable=template.allocatable,
        capacity=template.allocatable,
        conditions=(Condition("Ready", "True", now),),
    )


def reslicing(node: Node, layout: str) -> Node:
    """`node` while its GPUs get another MIG layout: the devices are gone from allocatable, not yet from capacity."""
    left = tuple((name, amount) for name, amount in node.allocatable if not is_accelerator(name))
    labels = Labels(node.labels).plus({MIG_CONFIG: layout, MIG_STATE: "pending"})
    return replace(node, labels=labels, allocatable=left)


def resliced(node: Node, template: Template) -> Node:
    """`node` with the layout of `template` in place."""
    labels = template.labels.plus({**{k: v for k, v in node.labels.items() if k not in template.labels}})
    labels = labels.plus({MIG_CONFIG: template.layout or "", MIG_STATE: "success"})
    return replace(node, labels=labels, allocatable=template.allocatable, capacity=template.allocatable)
