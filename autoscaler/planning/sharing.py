"""What a node with GPUs offers to pods, by how its GPUs are shared.

Rules of NVIDIA's device plugin and GPU feature discovery (k8s-device-plugin v0.20: api/config/v1, internal/rm,
internal/lm). The kernel of it: only extended resources and labels tell a slice from a GPU, and their names change with
the way of sharing.

| sharing | resource | amount | a container may ask for |
|---|---|---|---|
| none | `nvidia.com/gpu` | GPUs | any number |
| time slicing | `nvidia.com/gpu`, renamed `nvidia.com/gpu.shared` | GPUs x replicas | any; one if so configured |
| MPS | as time slicing | GPUs x replicas | one |
| MIG, single | `nvidia.com/gpu` | instances of the one profile | any number |
| MIG, mixed | `nvidia.com/mig-<profile>`; whole GPUs stay `nvidia.com/gpu` | instances | any number |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from autoscaler.model.catalog import GpuModel
from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.resources import NO_AMOUNTS, Amounts, amounts
from autoscaler.scheduling.mig import Counts, counts_of, layout_problem, layout_resources

GPU = "nvidia.com/gpu"
SHARED_SUFFIX = ".shared"
MIG_PREFIX = "nvidia.com/mig-"
MIG_CONFIG = "nvidia.com/mig.config"
MIG_STATE = "nvidia.com/mig.config.state"
MIG_STRATEGY = "nvidia.com/mig.strategy"
MIG_CAPABLE = "nvidia.com/mig.capable"
REPLICAS_MIN = 2  # the plugin does not start with fewer


class Kind(StrEnum):
    """How pods share a GPU; the values are those of the label `nvidia.com/gpu.sharing-strategy`, and `mig`."""

    NONE = "none"
    TIME_SLICING = "time-slicing"
    MPS = "mps"
    MIG = "mig"


class Strategy(StrEnum):
    """`--mig-strategy` of the device plugin."""

    SINGLE = "single"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Layout:
    """The MIG layout of a whole node: instances of each GPU by index, () for a GPU that stays whole.

    `config`: its mig-parted name, the value of the node label `nvidia.com/mig.config`; "" where it has none.
    """

    gpus: tuple[Counts, ...]
    config: str = ""

    @classmethod
    def uniform(cls, counts: Mapping[str, int] | Counts, gpu_count: int, config: str = "") -> Layout:
        """Every GPU alike."""
        return cls((counts_of(counts),) * gpu_count, config)

    @classmethod
    def by_index(
        cls, devices: Iterable[tuple[Sequence[int], Mapping[str, int] | Counts]], gpu_count: int, config: str = ""
    ) -> Layout:
        """Some GPUs laid out, the others whole. Raises ValueError, one sentence, for an index twice or out of range."""
        gpus: dict[int, Counts] = {}
        for indexes, counts in devices:
            for index in indexes:
                if not 0 <= index < gpu_count:
                    raise ValueError(f"GPU index {index} is out of range; the node has GPUs 0 to {gpu_count - 1}")
                if index in gpus:
                    raise ValueError(f"GPU index {index} is given two layouts; name each index once")
                gpus[index] = counts_of(counts)
        return cls(tuple(gpus.get(i, ()) for i in range(gpu_count)), config)


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the GPUs of a node are shared.

    `replicas`, `rename` (renameByDefault) and `fail_above_one` (failRequestsGreaterThanOne) are for time slicing and
    MPS; MPS refuses requests above one whatever `fail_above_one` says, as the plugin does unless told otherwise.
    `strategy` and `layouts` are for MIG: one layout, or several of which a new node gets one.
    """

    kind: Kind = Kind.NONE
    replicas: int = 1
    rename: bool = False
    fail_above_one: bool = False
    strategy: Strategy = Strategy.MIXED
    layouts: tuple[Layout, ...] = ()


WHOLE_GPUS = Sharing()


@dataclass(frozen=True, slots=True)
class Offer:
    """What a ready node offers: extended resources, those of them of which a container may ask one only, labels.

    `layout_name` is the mig-parted name of the layout, None without MIG or where the layout has no name.
    """

    resources: Amounts = NO_AMOUNTS
    refuses_above_one: frozenset[str] = frozenset()
    labels: Labels = NO_LABELS
    layout_name: str | None = None


def sharing_problem(model: GpuModel | None, count: int, sharing: Sharing) -> str | None:
    """Why `count` GPUs cannot be shared so, in one sentence with the way out; None if they can.

    A model that is not known (None) has no MIG rules to break: its layouts are taken as they are.
    """
    if count < 1:
        return f"a node with {count} GPUs has nothing to share; set gpu.count to at least 1"
    match sharing.kind:
        case Kind.NONE:
            return None
        case Kind.TIME_SLICING | Kind.MPS:
            if sharing.replicas < REPLICAS_MIN:
                return (
                    f"replicas is {sharing.replicas}; set at least {REPLICAS_MIN}, or leave sharing out for whole GPUs"
                )
            return None
        case Kind.MIG:
            return _mig_problem(model, count, sharing)
        case _:
            assert_never(sharing.kind)


def offered(model: GpuModel | None, count: int, resource: str, sharing: Sharing) -> tuple[Offer, ...]:
    """One offer, or with several MIG layouts one for each, in their order.

    `count`: physical GPUs. `resource`: the name of a whole one (`nvidia.com/gpu`). Raises ValueError with the sentence
    of `sharing_problem` for what no node can offer.
    """
    problem = sharing_problem(model, count, sharing)
    if problem:
        raise ValueError(problem)
    if sharing.kind is Kind.MIG:
        return tuple(_mig_offer(model, resource, sharing.strategy, layout) for layout in sharing.layouts)
    replicas = 1 if sharing.kind is Kind.NONE else sharing.replicas
    shared = sharing.kind is not Kind.NONE
    name = resource + SHARED_SUFFIX if shared and sharing.rename else resource
    refuses = sharing.kind is Kind.MPS or (shared and sharing.fail_above_one)
    return (
        Offer(
            resources=amounts({name: count * replicas}),
            refuses_above_one=frozenset({name}) if refuses else frozenset(),
            labels=_labels(model, resource, _device_labels(GPU, count, replicas, sharing.kind)),
        ),
    )


def observed_layout(offers: Sequence[Offer], allocatable: Amounts, labels: Mapping[str, str]) -> Offer | None:
    """The offer that a real node makes now; None while it is in between, or has none of these layouts.

    The offered resources decide. The label `nvidia.com/mig.config` with state `success` decides where they fall
    short of every layout (a sick GPU). Neither is trusted against the other: after the label changes, the old
    `success` stays until mig-manager begins (mig-parted, pkg/mig/reconfigure), so a label that names another layout
    than the resources show is a change under way, as is any state but `success`.
    """
    state, config = labels.get(MIG_STATE), labels.get(MIG_CONFIG)
    if state is not None and state != "success":
        return None
    names = {name for offer in offers for name, _ in offer.resources}
    there = {name: n for name, n in allocatable if n and (name in names or name.startswith(MIG_PREFIX))}
    labeled = [offer for offer in offers if config and offer.layout_name == config]
    exact = [offer for offer in offers if dict(offer.resources) == there]
    if exact:
        both = [offer for offer in exact if offer in labeled]
        if both:
            return both[0]
        return None if labeled else exact[0]
    if labeled and state == "success" and there and _is_part(there, labeled[0]):
        return labeled[0]
    return None


def _is_part(there: Mapping[str, int], offer: Offer) -> bool:
    whole = dict(offer.resources)
    return all(n <= whole.get(name, 0) for name, n in there.items())


def _mig_problem(model: GpuModel | None, count: int, sharing: Sharing) -> str | None:
    if not sharing.layouts:
        return "sharing.mig names no layout; give layout, devices or layouts"
    configs = [layout.config for layout in sharing.layouts if layout.config]
    for layout in sharing.layouts:
        what = f"layout {layout.config}: " if layout.config else ""
        if len(layout.gpus) != count:
            return f"{what}it is for {len(layout.gpus)} GPUs and the node has {count}"
        if layout.config and configs.count(layout.config) > 1:
            return f"{what}it is listed twice; name each layout once"
        for counts in dict.fromkeys(layout.gpus):
            problem = layout_problem(model, dict(counts)) if model and counts else None
            if problem:
                return what + problem
        if sharing.strategy is Strategy.SINGLE and not _is_single(layout):
            return (
                f"{what}under strategy single the plugin offers GPUs only if all are sliced into the same profile; "
                "use strategy mixed or such a layout"
            )
    return None


def _is_single(layout: Layout) -> bool:
    """All GPUs whole, or all sliced and into one profile (GPU feature discovery, internal/lm/mig-strategy.go)."""
    profiles = {name for counts in layout.gpus for name, _ in counts}
    sliced = sum(1 for counts in layout.gpus if counts)
    return sliced == 0 or (sliced == len(layout.gpus) and len(profiles) == 1)


def _mig_offer(model: GpuModel | None, resource: str, strategy: Strategy, layout: Layout) -> Offer:
    whole = sum(1 for counts in layout.gpus if not counts)
    instances: dict[str, int] = {}
    for counts in layout.gpus:
        for name, number in counts:
            instances[name] = instances.get(name, 0) + number
    found = {MIG_STRATEGY: strategy.value}
    if layout.config:
        found[MIG_CONFIG] = layout.config
    match strategy:
        case Strategy.SINGLE:
            units = sum(instances.values()) or whole
            offer = amounts({resource: units})
            found |= _device_labels(GPU, units, 1, Kind.NONE)
        case Strategy.MIXED:
            slices = layout_resources(model, instances)
            offer = amounts((*slices, (resource, whole)))
            # The count is of all GPUs; replicas are 0 where all of them are sliced.
            found |= _device_labels(GPU, len(layout.gpus), min(whole, 1), Kind.NONE)
            for name, number in slices:
                found |= _device_labels(name, number, 1, Kind.NONE)
        case _:
            assert_never(strategy)
    return Offer(offer, frozenset(), _labels(model, resource, found), layout.config or None)


def _device_labels(name: str, count: int, replicas: int, kind: Kind) -> dict[str, str]:
    """GPU feature discovery's labels of one resource (internal/lm/resource.go, baseLabeler); no product."""
    return {f"{name}.count": str(count), f"{name}.replicas": str(replicas), f"{name}.sharing-strategy": kind.value}


def _labels(model: GpuModel | None, resource: str, found: dict[str, str]) -> Labels:
    """The labels that follow from what is known; none for a resource that is not NVIDIA's.

    `nvidia.com/gpu.product` is not among them: one model is sold as several products, and the suffixes differ by
    version. A policy whose pods select by product declares the value that its nodes show (`template.labels`).
    """
    if resource != GPU:
        return NO_LABELS
    if model is not None:
        found = found | {MIG_CAPABLE: "true" if model.profiles else "false"}
    return Labels(found)
