"""Nodes and pods that are there when the simulation begins.

A node belongs to the pool that its label `gpu-autoscaler.dev/pool` names, as the first group of that pool in the
node's zone; a node of no pool is nobody's: pods may run there, and it is not paid for. Bound pods run on for
ever, pending ones wait to; neither is a job of the workload. Daemon pods stay with their node.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autoscaler.model.nodes import POOL_LABEL, Node
from autoscaler.model.pods import Pod
from autoscaler.model.resources import is_accelerator
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.membership import instance_id
from autoscaler.planning.pools import Policies, Template
from simulations.cluster import World
from simulations.demand import WorkItem
from simulations.jobs import Job
from simulations.machines import Machine
from simulations.runs import Run
from simulations.scheduler import Scheduler


@dataclass(frozen=True, slots=True)
class StartingPods:
    """`running`: pods with the node they are on; `pending`: pods without one; `daemons`: those that stay with their
    node.
    """

    running: tuple[tuple[Run, str], ...] = ()
    pending: tuple[Run, ...] = ()
    daemons: tuple[tuple[Pod, str], ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """All that the scheduler may have to place, now or after an eviction."""
        return (*(run for run, _ in self.running), *self.pending)


def starting_pods(cluster: Snapshot, first_number: int, start: float) -> StartingPods:
    """The pods of the cluster that hold or want room; numbers go on from `first_number`."""
    running: list[tuple[Run, str]] = []
    pending: list[Run] = []
    daemons: list[tuple[Pod, str]] = []
    nodes = cluster.nodes_by_name
    for pod in cluster.pods:
        if pod.finished or (pod.node and pod.node not in nodes):
            continue
        if pod.is_daemon:
            if pod.node:
                daemons.append((pod, pod.node))
            continue
        job = Job(pod.name, min(pod.created, start), float("inf"))
        run = Run(WorkItem(job, (pod.spec,)), first_number + len(running) + len(pending), origin=pod)
        if pod.node:
            running.append((run, pod.node))
        elif not pod.gated and pod.deleted_at is None:
            pending.append(run)
    return StartingPods(tuple(running), tuple(pending), tuple(daemons))


def adopt_cluster(world: World, scheduler: Scheduler, cluster: Snapshot, pods: StartingPods, start: float) -> None:
    """Put nodes and pods of the starting cluster into the world."""
    for number, node in enumerate(cluster.nodes, start=1):
        machine = _machine(node, number, world.policies, start)
        # The join with the cloud goes by providerID; a node without one gets that of its instance.
        world.adopt(machine, node if node.provider_id else replace(node, provider_id=f"simulated:///{machine.id}"))
    for pod, name in pods.daemons:
        world.settle(pod, world.machine(name), start)
    for run, name in pods.running:
        world.resume(run, world.machine(name), start)
    for run in pods.pending:
        world.submit(run, start)
        scheduler.add(run)


def _machine(node: Node, number: int, policies: Policies, start: float) -> Machine:
    template = _template(node, policies)
    return Machine(
        id=instance_id(node.provider_id) or f"i-start-{number:06d}",
        name=node.name,
        pool=template.pool,
        template=template,
        zone=node.zone or template.zone,
        launched_at=start,
        ready_at=start,
        price=template.usd_per_hour,
        counted_to=start,
        cutoff=policies.cluster.priority_cutoff,
    )


def _template(node: Node, policies: Policies) -> Template:
    """The template of the node's pool and zone, with what the node itself has."""
    pool = policies.by_name.get(node.labels.get(POOL_LABEL, ""))
    if pool is None or not pool.templates:
        names = frozenset(name for name, _ in node.allocatable if is_accelerator(name))
        gpus = sum(amount for name, amount in node.allocatable if name in names)
        return Template(
            "", "", node.zone, allocatable=node.allocatable, accelerators=names, gpus=gpus, usd_per_hour=0.0
        )
    in_zone = [t for t in pool.templates if t.zone in ("", node.zone)] or list(pool.templates)
    layout = node.labels.get("nvidia.com/mig.config")
    found = next((t for t in in_zone if t.layout == layout), in_zone[0])
    return replace(found, allocatable=node.allocatable)
