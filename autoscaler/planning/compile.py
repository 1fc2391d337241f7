"""The policy file with the catalog resolved: every pool's new nodes spelled out as templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from autoscaler.model.catalog import Catalog, GpuModel, InstanceType
from autoscaler.model.labels import Labels
from autoscaler.model.nodes import ARCH, CAPACITY_TYPE_LABEL, INSTANCE_TYPE, OS, POOL_LABEL, REGION, ZONE, Taint
from autoscaler.model.resources import MEMORY, PODS, Amounts, amounts, is_accelerator
from autoscaler.planning.pools import (
    ClusterRules,
    Policies,
    Pool,
    ScaleDownRules,
    ScaleUpRules,
    SpotRules,
    Template,
)
from autoscaler.planning.sharing import GPU, Kind, Layout, Offer, Sharing, Strategy, offered

if TYPE_CHECKING:
    from policies.loading import PolicyFile
    from policies.schema_cluster import ClusterSpec
    from policies.schema_pool import GpuSpec, MigSpec, NodePool, PoolSpec, TemplateSpec

# Names that kubelets and cloud providers still set beside the present ones (kubernetes.io, well-known labels).
OLD_NAMES: Mapping[str, str] = {
    OS: "beta.kubernetes.io/os",
    ARCH: "beta.kubernetes.io/arch",
    INSTANCE_TYPE: "beta.kubernetes.io/instance-type",
    ZONE: "failure-domain.beta.kubernetes.io/zone",
    REGION: "failure-domain.beta.kubernetes.io/region",
}

DEFAULT_PODS = 110  # the kubelet's own default for maxPods


def compile_policies(file: PolicyFile, catalog: Catalog) -> Policies:
    """Policies of a loaded file. A pool that cannot be resolved keeps its problem and is never bought from."""
    extra = frozenset(file.cluster.accelerator_resources)
    return Policies.of(cluster_rules(file.cluster), [compile_pool(p, catalog, extra) for p in file.pools])


def cluster_rules(spec: ClusterSpec) -> ClusterRules:
    """The cluster-wide rules of the AutoscalerPolicy document, or its defaults."""
    return ClusterRules(
        mode=str(spec.mode),
        loop_interval_s=spec.loop_interval,
        max_nodes=spec.limits.nodes,
        max_gpus=spec.limits.gpus,
        max_usd_per_hour=spec.limits.usd_per_hour,
        priority_cutoff=spec.pods.priority_cutoff,
        ignore_owner_kinds=frozenset(spec.pods.ignore_owner_kinds),
        ignore_labels=tuple(sorted(spec.pods.ignore_labels.items())),
        scheduler_names=frozenset(spec.pods.scheduler_names),
        accelerator_resources=frozenset(spec.accelerator_resources),
        budgets=tuple(spec.disruption.budgets),
        max_parallel_drains=spec.disruption.max_parallel_drains,
        max_unready_nodes=spec.disruption.max_unready.nodes,
        max_unready_share=spec.disruption.max_unready.percent,
    )


def compile_pool(pool: NodePool, catalog: Catalog, extra: frozenset[str]) -> Pool:
    """One pool."""
    spec = pool.spec
    problem = ""
    try:
        templates = _templates(pool.name, spec, catalog, extra)
    except ValueError as wrong:
        templates, problem = (), str(wrong)
    up, down = spec.scale_up, spec.scale_down
    return Pool(
        name=pool.name,
        templates=templates,
        groups=tuple(g.name for g in spec.groups),
        capacity_type=str(spec.capacity_type),
        weight=spec.weight,
        min_nodes=spec.limits.min_nodes,
        max_nodes=spec.limits.max_nodes,
        scale_up=ScaleUpRules(
            up.batch_window,
            up.registration_timeout,
            up.initialization_timeout,
            up.failure_limit,
            up.backoff.initial,
            up.backoff.max,
        ),
        scale_down=ScaleDownRules(
            down.enabled,
            down.idle_cooldown,
            down.cooldown_after_scale_up,
            str(down.utilization),
            down.threshold,
            down.protect_jobs,
            str(down.system_pods),
            down.drain_timeout,
        ),
        spot=SpotRules(tuple(spec.spot.fallback), spec.spot.on_demand_base, spec.spot.max_share)
        if spec.spot is not None
        else SpotRules(),
        warm_buffer=spec.warm_buffer,
        problem=problem,
    )


def _templates(name: str, spec: PoolSpec, catalog: Catalog, extra: frozenset[str]) -> tuple[Template, ...]:
    shape = spec.template
    machine = catalog.instance_type(shape.instance_type) if shape.instance_type else None
    offers, gpus = gpu_offers(shape, machine, catalog)
    base = _host_resources(shape, machine)
    price = _price(spec, machine)
    found: list[Template] = []
    for group in spec.groups:
        for offer in offers:
            allocatable = amounts({**dict(base), **dict(offer.resources), **_explicit_devices(shape)})
            labels = _labels(name, spec, machine, group.zone or "", group.region or "").plus(offer.labels)
            devices = frozenset(n for n, _ in allocatable if is_accelerator(n, extra))
            found.append(
                Template(
                    pool=name,
                    group=group.name,
                    zone=group.zone or "",
                    layout=offer.layout_name,
                    labels=labels.plus(shape.labels),
                    declared_labels=frozenset(shape.labels),
                    taints=_taints(shape.taints),
                    startup_taints=_taints(shape.startup_taints),
                    allocatable=allocatable,
                    refuses_above_one=offer.refuses_above_one,
                    accelerators=devices,
                    gpus=gpus or max((amount for n, amount in allocatable if n in devices), default=0),
                    instance_type=shape.instance_type or "",
                    capacity_type=str(spec.capacity_type),
                    usd_per_hour=price,
                )
            )
    return tuple(found)


def gpu_offers(shape: TemplateSpec, machine: InstanceType | None, catalog: Catalog) -> tuple[tuple[Offer, ...], int]:
    """What the GPUs of a node offer (one entry a layout), and how many there are."""
    gpu = shape.gpu
    count = (gpu.count if gpu else None) or (machine.gpu_count if machine else 0)
    if not count:
        return (Offer(),), 0
    resource = machine.gpu_resource if machine and machine.gpu_resource else GPU
    model_name = (gpu.model if gpu else None) or (machine.gpu_model if machine else "")
    model = catalog.gpu_model(model_name) if model_name else None
    return offered(model, count, resource, sharing_of(gpu, count, model, catalog)), count


def sharing_of(gpu: GpuSpec | None, count: int, model: GpuModel | None, catalog: Catalog) -> Sharing:
    """How the policy shares the GPUs of a node. Raises ValueError for a layout that the model does not have."""
    sharing = gpu.sharing if gpu else None
    if sharing is None:
        return Sharing()
    if sharing.time_slicing is not None:
        rules = sharing.time_slicing
        return Sharing(Kind.TIME_SLICING, rules.replicas, rules.rename_by_default, rules.fail_requests_greater_than_one)
    if sharing.mps is not None:
        return Sharing(Kind.MPS, sharing.mps.replicas)
    if sharing.mig is not None:
        layouts = _mig_layouts(sharing.mig, count, model, catalog)
        return Sharing(Kind.MIG, strategy=Strategy(str(sharing.mig.strategy)), layouts=layouts)
    return Sharing()


def _mig_layouts(mig: MigSpec, count: int, model: GpuModel | None, catalog: Catalog) -> tuple[Layout, ...]:
    if mig.devices:
        pairs = [(tuple(d.indexes), counts_for(d.layout, model, catalog)) for d in mig.devices]
        return (Layout.by_index(pairs, count),)
    wanted: Sequence[str | Mapping[str, int]] = mig.layouts or ([mig.layout] if mig.layout is not None else [])
    return tuple(
        Layout.uniform(counts_for(layout, model, catalog), count, layout if isinstance(layout, str) else "")
        for layout in wanted
    )


def counts_for(layout: str | Mapping[str, int], model: GpuModel | None, catalog: Catalog) -> dict[str, int]:
    """Instances of each profile on one GPU, of a layout by its mig-parted name or spelled out."""
    if not isinstance(layout, str):
        return dict(layout)
    if model is None:
        raise ValueError(f"layout {layout} needs gpu.model, which says what the name means")
    found = catalog.layout(layout, model)
    if found is None:
        raise ValueError(f"layout {layout} does not exist for {model.id}")
    return dict(found)


def _host_resources(shape: TemplateSpec, machine: InstanceType | None) -> Amounts:
    """What the machine leaves to pods: the catalog's amounts less what is reserved; given amounts are final.

    Hugepages are taken out of the catalog's memory, as the kubelet does.
    """
    given = dict(shape.resources)
    gpu_resource = machine.gpu_resource if machine else ""
    found = {n: a for n, a in machine.resources if n != gpu_resource} if machine else {}
    for name, amount in shape.reserved.items():
        if name in found:
            found[name] = max(0, found[name] - amount)
    if MEMORY in found and MEMORY not in given:
        found[MEMORY] = max(0, found[MEMORY] - sum(a for n, a in given.items() if n.startswith("hugepages-")))
    found.setdefault(PODS, DEFAULT_PODS)
    return amounts({**found, **given})


def _explicit_devices(shape: TemplateSpec) -> dict[str, int]:
    """Devices that the policy states by hand win over what follows from the GPU model; zero takes one away."""
    return {n: a for n, a in shape.resources.items() if "/" in n}


def _price(spec: PoolSpec, machine: InstanceType | None) -> float | None:
    if spec.price is not None and spec.price.usd_per_hour is not None:
        return spec.price.usd_per_hour
    if machine is None:
        return None
    return machine.spot_usd if str(spec.capacity_type) == "spot" else machine.on_demand_usd


def _labels(pool: str, spec: PoolSpec, machine: InstanceType | None, zone: str, region: str) -> Labels:
    """The labels that every new node of the pool has whatever the policy says; `template.labels` come on top."""
    found = {
        OS: "linux",
        ARCH: machine.arch if machine else "amd64",
        POOL_LABEL: pool,
        CAPACITY_TYPE_LABEL: str(spec.capacity_type),
        INSTANCE_TYPE: spec.template.instance_type or "",
        ZONE: zone,
        REGION: region,
    }
    found |= {OLD_NAMES[key]: value for key, value in found.items() if key in OLD_NAMES}
    return Labels({k: v for k, v in found.items() if v})


def _taints(specs: Sequence[object]) -> tuple[Taint, ...]:
    return tuple(Taint(t.key, t.value or "", str(t.effect)) for t in specs)  # type: ignore[attr-defined]
