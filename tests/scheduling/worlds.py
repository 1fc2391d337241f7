"""Short ways to say a row and a pod, and random small clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hypothesis import strategies as st

from autoscaler.model.labels import Labels, LabelSelector, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import HOSTNAME, ZONE, Taint
from autoscaler.model.objects import ResourceClaim, StorageClass, Volume, VolumeClaim
from autoscaler.model.pods import HostPort, Owner, Pod, PodAffinityTerm, PodSpec, SpreadConstraint, Toleration
from autoscaler.model.resources import Axis, amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row

T = TypeVar("T")
Kind = tuple[PodSpec, Labels, str]
"""What a pod asks for, its labels, its namespace."""

GPU = "nvidia.com/gpu"
GI = 2**30


def row(name: str = "n1", **given: object) -> Row:
    """A node with 4 cores, 2 GPUs and room for 10 pods in zone a, unless it is said otherwise."""
    labels = {HOSTNAME: name, ZONE: "a", **dict(given.pop("labels", {}))}  # type: ignore[call-overload]
    offered = {"cpu": 4000, "pods": 10, GPU: 2, **dict(given.pop("offers", {}))}  # type: ignore[call-overload]
    taints = tuple(given.pop("taints", ()))  # type: ignore[call-overload]
    return Row(
        name,
        Labels({k: v for k, v in labels.items() if v is not None}),
        taints,
        bool(given.pop("unschedulable", False)),
        amounts(offered),
        **given,  # type: ignore[arg-type]
    )


def pod(name: str = "p", namespace: str = "default", **given: object) -> Pod:
    """A pod that asks for nothing; fields of the spec and of the pod by name, `asks` for requests."""
    asks = amounts(dict(given.pop("asks", {})))  # type: ignore[call-overload]
    labels = Labels(given.pop("labels", {}))  # type: ignore[call-overload]
    of_pod = {k: given.pop(k) for k in ("node", "phase", "deleted_at", "owner") if k in given}
    spec = PodSpec(requests=asks, container_peaks=tuple(a for a in asks if "/" in a[0]), **given)  # type: ignore[arg-type]
    return Pod(namespace, name, spec, labels=labels, **of_pod)  # type: ignore[arg-type]


def bound(item: Pod, to: str) -> Pod:
    """The pod, running on a node."""
    return replace(item, node=to, phase="Running")


def selects(**labels: str) -> LabelSelector:
    """A selector of labels."""
    return LabelSelector(tuple(Requirement(k, "In", (v,)) for k, v in sorted(labels.items())))


def term(*requirements: tuple[str, str, Sequence[str]]) -> NodeSelectorTerm:
    """A node selector term of (key, operator, values)."""
    return NodeSelectorTerm(tuple(Requirement(k, o, tuple(v)) for k, o, v in requirements))


def fleet_of(snapshot: Snapshot, rows: Sequence[Row], pods: Sequence[Pod]) -> Fleet:
    """A fleet of the rows, whose classes are those of the pods and of the pods on the rows."""
    table = ClassTable(snapshot, [*pods, *(p for r in rows for p in r.pods)])
    fleet = Fleet(snapshot, table, Axis.of(name for c in table.classes for name, _ in c.spec.requests))
    fleet.add_many(rows)
    return fleet


@dataclass(frozen=True)
class World:
    """A random cluster. `waiting`: pods to place, each kind several times over."""

    snapshot: Snapshot
    rows: tuple[Row, ...]
    aside: tuple[Row, ...]
    waiting: tuple[tuple[Pod, int], ...]

    def everyone(self) -> list[Pod]:
        """All pods."""
        return [*(p for r in (*self.rows, *self.aside) for p in r.pods), *(p for p, _ in self.waiting)]


APPS = ("x", "y")
NAMESPACES = ("default", "team")
TAINTS = (Taint("gpu", "yes", "NoSchedule"), Taint("soft", "", "PreferNoSchedule"), Taint("level", "3", "NoExecute"))
TOLERATIONS = (
    Toleration("gpu", "Exists"),
    Toleration("level", "Gt", "2"),
    Toleration("", "Exists", effect="NoSchedule"),
    Toleration("gpu", "Equal", "yes", "NoSchedule"),
)
PORTS = (HostPort(80), HostPort(80, "UDP"), HostPort(80, ip="10.0.0.1"), HostPort(80, ip="10.0.0.2"), HostPort(81))
VOLUMES = {
    "v-a": Volume("v-a", (term((ZONE, "In", ("a",))),), "ebs"),
    "v-any": Volume("v-any", None, "ebs"),
    "v-host": Volume("v-host", (term((HOSTNAME, "In", ("n1", "n2"))),), ""),
}
CLASSES = {
    "late": StorageClass("late", "ebs", binds_late=True),
    "zonal": StorageClass("zonal", "ebs", binds_late=True, topologies=(term((ZONE, "In", ("b", "c"))),)),
    "now": StorageClass("now", "ebs"),
}
CLAIMS = {
    "in-a": ("v-a", ""),
    "any": ("v-any", ""),
    "host": ("v-host", ""),
    "lost": ("v-gone", ""),
    "late": ("", "late"),
    "zonal": ("", "zonal"),
    "now": ("", "now"),
}
DEVICES = {
    "free": ("free", False, None),
    "pinned": ("pinned", True, (term((ZONE, "In", ("b",))),)),
    "everywhere": ("everywhere", True, None),
}


def subset(*items: object, most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(items), max_size=most, unique=True).map(tuple)


def maybe(strategy: st.SearchStrategy[T], otherwise: T, one_in: int = 2) -> st.SearchStrategy[T]:
    """The strategy now and then; what is plain counts as the simplest, so that it is not what examples lean to."""
    return st.integers(1, one_in).flatmap(lambda n: strategy if n == one_in else st.just(otherwise))


THEMES = (
    *("labels", "taints", "ports", "spread", "affinity", "apart", "volumes", "claims shares", "room"),
    *("spread labels", "spread taints", "spread apart", "spread affinity", "affinity apart", "ports volumes"),
)
"""What a world is about: one or two things at a time, so that one constraint does not drown all the others."""


selectors = st.one_of(
    st.none(),
    st.sampled_from(APPS).map(lambda a: selects(app=a)),
    st.just(LabelSelector()),
    st.just(LabelSelector((Requirement("app", "NotIn", ("x",)),))),
)
keys = st.sampled_from([ZONE, HOSTNAME, "rack"])
affinity_terms = st.builds(
    PodAffinityTerm,
    keys,
    selectors,
    namespaces=subset(*NAMESPACES, most=1),
    namespace_selector=st.sampled_from([None, None, LabelSelector(), selects(tier="gold")]),
    match_label_keys=subset("rev", most=1),
    mismatch_label_keys=st.just(()),
)
spreads = st.builds(
    SpreadConstraint,
    keys,
    max_skew=st.integers(1, 2),
    selector=selectors,
    min_domains=st.sampled_from([None, None, 2, 3]),
    node_affinity_policy=st.sampled_from(["Honor", "Ignore"]),
    node_taints_policy=st.sampled_from(["Honor", "Ignore"]),
    match_label_keys=subset("rev", most=1),
)
affinities = st.sampled_from(
    [
        None,
        (term((ZONE, "In", ("a", "b"))),),
        (term(("tier", "Exists", ())), term((ZONE, "NotIn", ("a",)))),
        (term(("size", "Gt", ("4",))),),
        (term((HOSTNAME, "NotIn", ("n1",))),),
        (NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n2",)),)),),
        (),
    ]
)


@st.composite
def specs(draw: st.DrawFn, themes: frozenset[str]) -> PodSpec:
    def about(theme: str, strategy: st.SearchStrategy[T], otherwise: T) -> T:
        return draw(maybe(strategy, otherwise)) if theme in themes else otherwise

    sizes = [0, 500, 1000, 3000] if "room" in themes else [500]
    asks = amounts({"cpu": draw(st.sampled_from(sizes)), GPU: draw(st.sampled_from([0, 0, 1, 2]))})
    terms = st.lists(affinity_terms, min_size=1, max_size=2).map(tuple)
    return PodSpec(
        requests=asks,
        container_peaks=tuple(a for a in asks if a[0] == GPU),
        node_selector=about("labels", subset(("tier", "gold"), (ZONE, "b"), (HOSTNAME, "n1"), most=1), ()),
        node_affinity=about("labels", affinities, None),
        tolerations=about("taints", subset(*TOLERATIONS), ()),
        host_ports=about("ports", subset(*PORTS), ()),
        pod_affinity=about("affinity", terms, ()),
        pod_anti_affinity=about("apart", terms, ()),
        spread=about("spread", st.lists(spreads, min_size=1, max_size=2).map(tuple), ()),
        volumes=about("volumes", subset(*CLAIMS, "none", most=2), ()),
        claims=about("claims", subset(*DEVICES, most=1), ()),
    )


@st.composite
def kinds(draw: st.DrawFn, number: int, themes: frozenset[str]) -> list[Kind]:
    """Specs with labels and a namespace; some share a spec."""
    some = draw(st.lists(specs(themes), min_size=1, max_size=number))
    labels = st.fixed_dictionaries({"app": st.sampled_from(APPS)}, optional={"rev": st.sampled_from(["1", "2"])})
    namespaces = st.sampled_from(["default", "default", "team"])
    return [(draw(st.sampled_from(some)), Labels(draw(labels)), draw(namespaces)) for _ in range(number)]


@st.composite
def rows_with(draw: st.DrawFn, name: str, some: Sequence[Kind], themes: frozenset[str]) -> Row:
    labels = {
        HOSTNAME: name,
        ZONE: draw(maybe(st.just(None), "a", 8)) and draw(st.sampled_from(["a", "b", "c"])),
        "rack": draw(st.sampled_from(["1", "2", None])),
        "tier": draw(st.sampled_from(["gold", None])),
        "size": draw(st.sampled_from(["8", "3", "many", None])),
    }
    there = [
        Pod(
            namespace,
            f"{name}-{n}",
            replace(spec, node_name=""),
            labels=own,
            node=name,
            phase=draw(maybe(st.just("Succeeded"), "Running", 4)),
            deleted_at=draw(maybe(st.just(5.0), None, 4)),
        )
        for n, (spec, own, namespace) in enumerate(draw(st.lists(st.sampled_from(some), max_size=2)))
    ]
    return Row(
        name,
        Labels({k: v for k, v in labels.items() if v is not None}),
        draw(maybe(subset(*TAINTS), (), 2 if "taints" in themes else 8)),
        draw(maybe(st.just(True), False, 3 if "taints" in themes else 10)),
        amounts({"cpu": draw(st.sampled_from([4000, 2000, 8000])), GPU: draw(st.sampled_from([2, 4, 0])), "pods": 6}),
        tuple(there),
        frozenset({GPU}) if "shares" in themes and draw(st.booleans()) else frozenset(),
        draw(st.sampled_from([(), (("ebs", 1),), (("ebs", 2),)])) if "volumes" in themes else (),
        draw(st.sampled_from([(), (("cpu", 500), ("pods", 1))])),
    )


@st.composite
def worlds(draw: st.DrawFn, theme: str, most_rows: int = 6) -> World:
    """A cluster of a few rows, with a few kinds of pods that may or may not get along."""
    words = frozenset(theme.split())
    some = draw(kinds(4, words))
    names = [f"n{n}" for n in range(1, draw(st.integers(2, most_rows)) + 1)]
    rows = tuple(draw(rows_with(name, some, words)) for name in names)
    aside = tuple(draw(rows_with(f"aside-{n}", some, words)) for n in range(draw(st.integers(0, 1))))
    waiting = tuple(
        (Pod(namespace, f"w{n}", spec, labels=labels), draw(st.integers(1, 4)))
        for n, (spec, labels, namespace) in enumerate(draw(st.permutations(some)))
    )
    claims = [VolumeClaim(ns, name, *where) for ns in NAMESPACES for name, where in CLAIMS.items()]
    devices = [ResourceClaim(ns, *device) for ns in NAMESPACES for device in DEVICES.values()]
    snapshot = Snapshot(
        volume_claims={f"{c.namespace}/{c.name}": c for c in claims},
        volumes=VOLUMES,
        storage_classes=CLASSES,
        resource_claims={f"{c.namespace}/{c.name}": c for c in devices},
        namespaces={"team": Labels({"tier": "gold"})},
    )
    return World(snapshot, rows, aside, waiting)


def daemon(name: str, to: str = "") -> Owner:
    """The owner of a DaemonSet's pod."""
    return Owner("DaemonSet", name, to)
