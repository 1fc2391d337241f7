"""Generated clusters for the benchmark of decisions: pods of a few shapes, part-filled nodes, pools of many kinds."""

from __future__ import annotations

import random
from dataclasses import dataclass

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.nodes import HOSTNAME, POOL_LABEL, ZONE, Condition, Instance, InstanceGroup, Node, Taint
from autoscaler.model.pods import Owner, Pod, PodAffinityTerm, PodSpec, Toleration
from autoscaler.model.resources import Amounts, amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import ClusterRules, Policies, Pool, Template

GPU = "nvidia.com/gpu"
MODEL = "nvidia.com/gpu.product"
GI = 1024**3
NOW = 1_780_000_000.0
MODELS = ("T4", "A10G", "L4", "L40S", "A100", "H100", "H200", "V100")
ZONES = ("zone-a", "zone-b", "zone-c")
TAINT = Taint(GPU, "true", "NoSchedule")


@dataclass(frozen=True)
class Size:
    """Pods x nodes x templates x pod classes."""

    pods: int
    nodes: int
    templates: int
    classes: int


def cluster(size: Size, seed: int) -> tuple[Snapshot, Policies]:
    """A snapshot and policies of this size.

    Pod classes ask for 0, 1, 2, 4 or 8 GPUs with cores and memory; 40 % are pinned to a GPU model, 20 % to a zone,
    80 % of GPU classes tolerate the GPU taint that half of the pools have, 5 % keep away from their own kind by host.
    Nodes are part-filled with pods of the same classes. Pools differ in shape, model, price and zones.
    """
    rng = random.Random(seed)
    pools = _pools(size.templates, rng)
    specs = [_spec(rng, at) for at in range(size.classes)]
    templates = [t for p in pools for t in p.templates]
    nodes: list[Node] = []
    bound: list[Pod] = []
    members: dict[str, list[Instance]] = {}
    for number in range(size.nodes):
        template = rng.choice(templates)
        nodes.append(_node(number, template))
        members.setdefault(template.group, []).append(
            Instance(f"i-{number}", launched_at=NOW - 9000, zone=template.zone)
        )
        bound += _fill(number, template, specs, rng)
    pending = [_pod(f"p{n}", *rng.choice(specs), created=NOW - 600 + n % 500) for n in range(size.pods)]
    groups = {
        t.group: InstanceGroup(
            t.group, desired=len(members.get(t.group, ())), instances=tuple(members.get(t.group, ()))
        )
        for t in templates
    }
    rules = ClusterRules(mode="act", max_nodes=10**6, max_gpus=10**7, max_usd_per_hour=1e9)
    return Snapshot.of(nodes, [*bound, *pending], groups=groups), Policies.of(rules, pools)


def _pools(templates: int, rng: random.Random) -> list[Pool]:
    pools: list[Pool] = []
    while sum(len(p.templates) for p in pools) < templates:
        name = f"pool-{len(pools):04d}"
        gpus = rng.choice((0, 1, 1, 4, 8))
        model = rng.choice(MODELS)
        cpu = rng.choice((8, 16, 32, 48, 96, 192)) * 1000
        shape = amounts({"cpu": cpu, "memory": cpu // 1000 * rng.choice((4, 8)) * GI, "pods": 110, GPU: gpus})
        price = round(cpu / 1000 * 0.04 + gpus * rng.choice((0.5, 1.0, 3.0, 6.0)) * rng.uniform(0.8, 1.2), 4)
        labels = {POOL_LABEL: name, "kubernetes.io/os": "linux", **({MODEL: model} if gpus else {})}
        taints = (TAINT,) if gpus and rng.random() < 0.5 else ()
        found = tuple(
            Template(
                pool=name,
                group=f"{name}-{zone}",
                zone=zone,
                labels=Labels({**labels, ZONE: zone}),
                taints=taints,
                allocatable=shape,
                accelerators=frozenset({GPU} if gpus else ()),
                gpus=gpus,
                usd_per_hour=price,
            )
            for zone in ZONES[: min(len(ZONES), templates - sum(len(p.templates) for p in pools))]
        )
        pools.append(Pool(name, found, tuple(t.group for t in found), max_nodes=100_000))
    return pools


def _spec(rng: random.Random, at: int) -> tuple[PodSpec, Labels]:
    gpus = rng.choice((0, 1, 1, 1, 2, 4, 8))
    cpu = max(1, gpus) * rng.choice((1, 2, 4, 6)) * 1000
    requests: Amounts = amounts({"cpu": cpu, "memory": cpu // 1000 * rng.choice((2, 4)) * GI, GPU: gpus})
    selector = []
    if gpus and rng.random() < 0.4:
        selector.append((MODEL, rng.choice(MODELS)))
    if rng.random() < 0.2:
        selector.append((ZONE, rng.choice(ZONES)))
    tolerations = (Toleration(GPU, "Exists", "", "NoSchedule"),) if gpus and rng.random() < 0.8 else ()
    labels, apart = Labels(), ()
    if rng.random() < 0.05:
        labels = Labels({"app": f"a{at}"})
        apart = (PodAffinityTerm(HOSTNAME, LabelSelector((Requirement("app", "In", (f"a{at}",)),))),)
    spec = PodSpec(
        requests=requests, node_selector=tuple(sorted(selector)), tolerations=tolerations, pod_anti_affinity=apart
    )
    return spec, labels


def _node(number: int, template: Template) -> Node:
    name = f"node-{number:05d}"
    return Node(
        name=name,
        provider_id=f"simulated:///i-{number}",
        created=NOW - 9000,
        labels=template.labels.plus({HOSTNAME: name}),
        taints=template.taints,
        allocatable=template.allocatable,
        capacity=template.allocatable,
        conditions=(Condition("Ready", "True", NOW - 9000),),
    )


def _fill(number: int, template: Template, specs: list[tuple[PodSpec, Labels]], rng: random.Random) -> list[Pod]:
    free = dict(template.allocatable)
    found: list[Pod] = []
    for spec, labels in rng.sample(specs, min(3, len(specs))):
        if spec.pod_anti_affinity or any(free.get(n, 0) < a for n, a in spec.requests):
            continue
        for name, amount in spec.requests:
            free[name] -= amount
        found.append(_pod(f"w{number}-{len(found)}", spec, labels, node=f"node-{number:05d}", phase="Running"))
    return found


def _pod(
    name: str, spec: PodSpec, labels: Labels, *, created: float = NOW - 600, node: str = "", phase: str = "Pending"
) -> Pod:
    return Pod(
        "bench",
        name,
        spec,
        created=created,
        labels=labels,
        owner=Owner("ReplicaSet", "rs"),
        node=node,
        phase=phase,
        marked_unschedulable=not node,
    )
