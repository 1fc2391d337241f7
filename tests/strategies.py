"""Random but plausible worlds for property tests: pools, nodes, pods, as model values."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from autoscaler.model.instants import rfc3339
from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.nodes import (
    HOSTNAME,
    IDLE_SINCE,
    POOL_LABEL,
    ZONE,
    Condition,
    Instance,
    InstanceGroup,
    InstanceState,
    Node,
    Taint,
)
from autoscaler.model.objects import GangSpec
from autoscaler.model.pods import Owner, Pod, PodAffinityTerm, PodSpec, SpreadConstraint, Toleration
from autoscaler.model.resources import amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.pools import ClusterRules, Policies, Pool, ScaleDownRules, Template

NOW = 1_780_000_000.0
GPU = "nvidia.com/gpu"
ZONES = ("zone-a", "zone-b")
GPU_TAINT = Taint("nvidia.com/gpu", "true", "NoSchedule")
TOLERATES = Toleration("nvidia.com/gpu", "Exists", "", "NoSchedule")
GI = 1024**3


@dataclass(frozen=True, repr=False)
class World:
    """Inputs of a decision."""

    snapshot: Snapshot
    policies: Policies

    def __repr__(self) -> str:
        pods = [(p.key, dict(p.spec.requests), p.node, p.gang, p.spec.priority) for p in self.snapshot.pods]
        found = [(p.name, p.gpus, dict(p.templates[0].allocatable), p.max_nodes, p.weight) for p in self.policies.pools]
        rules = self.policies.cluster
        caps = (rules.max_nodes, rules.max_gpus, rules.max_usd_per_hour)
        return f"World(pods={pods}, nodes={[n.name for n in self.snapshot.nodes]}, pools={found}, caps={caps})"


def pool(
    name: str,
    *,
    gpus: int = 1,
    cpu: int = 8000,
    memory: int = 64 * GI,
    price: float | None = 1.0,
    zones: tuple[str, ...] = ZONES[:1],
    taints: tuple[Taint, ...] = (),
    labels: Labels = Labels(),  # noqa: B008 - immutable
    minimum: int = 0,
    maximum: int = 10,
    weight: int = 0,
    down: ScaleDownRules = ScaleDownRules(),  # noqa: B008 - immutable
) -> Pool:
    """A pool with one template a zone."""
    allocatable = amounts({"cpu": cpu, "memory": memory, "pods": 110, GPU: gpus})
    templates = tuple(
        Template(
            pool=name,
            group=f"{name}-{zone}",
            zone=zone,
            labels=Labels({POOL_LABEL: name, ZONE: zone, **labels}),
            taints=taints,
            allocatable=allocatable,
            accelerators=frozenset({GPU} if gpus else ()),
            gpus=gpus,
            usd_per_hour=price,
        )
        for zone in zones
    )
    return Pool(
        name,
        templates,
        tuple(t.group for t in templates),
        weight=weight,
        min_nodes=minimum,
        max_nodes=maximum,
        scale_down=down,
    )


def ready_node(name: str, template: Template, *, age_s: float = 7200.0, idle_s: float | None = None) -> Node:
    """A finished node of a template."""
    annotations = Labels({IDLE_SINCE: rfc3339(NOW - idle_s)} if idle_s is not None else {})
    return Node(
        name=name,
        uid=f"uid-{name}",
        provider_id=f"simulated:///i-{name}",
        created=NOW - age_s,
        labels=template.labels.plus({HOSTNAME: name}),
        annotations=annotations,
        taints=template.taints,
        allocatable=template.allocatable,
        capacity=template.allocatable,
        conditions=(Condition("Ready", "True", NOW - age_s),),
    )


def pending_pod(name: str, spec: PodSpec, **changes: object) -> Pod:
    """A pod that the scheduler could not place."""
    base = Pod(
        namespace="default",
        name=name,
        spec=spec,
        uid=f"uid-{name}",
        created=NOW - 60,
        owner=Owner("ReplicaSet", "rs"),
        marked_unschedulable=True,
    )
    return replace(base, **changes)  # type: ignore[arg-type]


@st.composite
def pod_specs(draw: st.DrawFn, *, simple: bool = False) -> PodSpec:
    """Whole GPUs or none, some cores, perhaps a zone, a toleration, and (not `simple`) spread or anti-affinity."""
    gpus = draw(st.sampled_from((0, 1, 1, 2, 4, 8)))
    requests = amounts({"cpu": draw(st.integers(1, 12)) * 500, "memory": draw(st.integers(1, 16)) * GI, GPU: gpus})
    spec = PodSpec(requests=requests, priority=draw(st.sampled_from((0, 0, 0, 5))))
    if draw(st.booleans()):
        spec = replace(spec, tolerations=(TOLERATES,))
    if draw(st.integers(0, 3)) == 0:
        spec = replace(spec, node_selector=((ZONE, draw(st.sampled_from(ZONES))),))
    if simple:
        return spec
    selector = LabelSelector((Requirement("app", "In", ("x",)),))
    match draw(st.integers(0, 7)):
        case 0:
            spec = replace(spec, spread=(SpreadConstraint(ZONE, 1, selector),))
        case 1:
            spec = replace(spec, pod_anti_affinity=(PodAffinityTerm(HOSTNAME, selector),))
    return spec


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    """A pool of random shape."""
    gpus = draw(st.sampled_from((0, 1, 4, 8)))
    return pool(
        f"p{draw(st.integers(0, 999))}",
        gpus=gpus,
        cpu=draw(st.sampled_from((4000, 8000, 32000, 96000))),
        memory=draw(st.sampled_from((16, 64, 512))) * GI,
        price=draw(st.sampled_from((0.5, 1.0, 3.0, 3.0, 24.0, None))),
        zones=ZONES[: draw(st.integers(1, 2))],
        taints=(GPU_TAINT,) if gpus and draw(st.booleans()) else (),
        minimum=draw(st.sampled_from((0, 0, 0, 1))),
        maximum=draw(st.integers(1, 8)),
        weight=draw(st.sampled_from((0, 0, 10))),
    )


@st.composite
def worlds(draw: st.DrawFn, *, simple: bool = False, max_pods: int = 12) -> World:
    """Pools, nodes with and without work, pending pods, some of them in gangs."""
    found = {p.name: p for p in draw(st.lists(pools(), min_size=1, max_size=4))}
    nodes: list[Node] = []
    bound: list[Pod] = []
    groups: dict[str, InstanceGroup] = {}
    for p in found.values():
        members: dict[str, list[Instance]] = {g: [] for g in p.groups}
        for number in range(draw(st.integers(0, min(3, p.max_nodes)))):
            template = draw(st.sampled_from(p.templates))
            name = f"{p.name}-n{number}"
            busy = draw(st.booleans())
            nodes.append(ready_node(name, template, idle_s=draw(st.sampled_from((None, 30.0, 1200.0)))))
            members[template.group].append(Instance(f"i-{name}", InstanceState.RUNNING, NOW - 7200, template.zone))
            if busy:
                spec = PodSpec(requests=amounts({"cpu": 1000, "memory": GI, GPU: min(1, template.gpus)}))
                owner = Owner(draw(st.sampled_from(("ReplicaSet", "Job", "DaemonSet"))), "o")
                bound.append(pending_pod(f"{name}-w", spec, node=name, phase="Running", owner=owner))
        for group, instances in members.items():
            groups[group] = InstanceGroup(group, desired=len(instances), instances=tuple(instances))
    specs = draw(st.lists(pod_specs(simple=simple), min_size=1, max_size=4))
    pending: list[Pod] = []
    gangs: dict[str, GangSpec] = {}
    for at, spec in enumerate(specs):
        number = draw(st.integers(1, max(1, max_pods // len(specs))))
        gang = ""
        if draw(st.integers(0, 3)) == 0:
            gang = f"scheduling.x-k8s.io|default/g{at}"
            gangs[gang] = GangSpec(gang, draw(st.integers(1, number)), NOW - 100 + at)
        labels = Labels({"app": "x"}) if draw(st.booleans()) else Labels()
        pending += [
            pending_pod(f"s{at}-{n}", spec, gang=gang, labels=labels, created=NOW - 300 + n) for n in range(number)
        ]
    rules = ClusterRules(
        mode="act",
        max_nodes=draw(st.sampled_from((4, 50))),
        max_gpus=draw(st.sampled_from((8, 400))),
        max_usd_per_hour=draw(st.sampled_from((10.0, 5000.0))),
    )
    snapshot = Snapshot.of(nodes, [*bound, *pending], groups=groups, gangs=gangs)
    return World(snapshot, Policies.of(rules, list(found.values())))
