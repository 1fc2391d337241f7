"""Generated purchases for the benchmark: shapes of GPU pods, from a seed, and the GPU machines of the catalog."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from autoscaler.model.catalog import InstanceType
from autoscaler.model.resources import CPU, MEMORY, PODS
from autoscaler.planning.purchase import Market
from autoscaler.planning.purchase.market import IntArray
from providers.catalog.catalog import load_catalog

GPU = "nvidia.com/gpu"
GIB = 2**30
MIB = 2**20

SHAPES = 60
GPUS = (1, 2, 4, 8)
GPU_WEIGHTS = (50, 20, 15, 15)
MILLICORES_PER_GPU = (1000, 2000, 4000, 6000, 8000, 12000)
MEMORY_PER_GPU = (4 * GIB, 8 * GIB, 16 * GIB, 32 * GIB, 48 * GIB, 64 * GIB)
PINNED = 0.6
"""Shapes that run on the machines of one GPU model only."""

FRACTIONAL = ("g6f.", "gr6f.")
"""Machines with a part of a GPU: a pod that asks for a whole one would get less than it asked for."""


@dataclass(frozen=True, eq=False)
class Fleet:
    """A purchase: the arguments of `purchase`, and how many drawn shapes were left out because no machine holds one."""

    requests: IntArray
    demand: IntArray
    market: Market
    machines: tuple[str, ...]
    left_out: int


def machines() -> tuple[InstanceType, ...]:
    """AWS machines with whole NVIDIA GPUs, x86, and a known on-demand price, by name."""
    catalog = load_catalog()
    every = [catalog.instance_type(name) for name in catalog.instance_type_names()]
    return tuple(
        m
        for m in every
        if m is not None
        and (m.provider, m.arch, m.gpu_resource) == ("aws", "amd64", GPU)
        and m.on_demand_usd is not None
        and not m.name.startswith(FRACTIONAL)
    )


def allocatable(machine: InstanceType) -> list[int]:
    """(millicores, bytes, pods, GPUs) for pods, after what EKS and Karpenter reserve.

    cpu: 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest (Amazon EKS bootstrap
    script). Memory: 7.5 % of the machine for the hypervisor (Karpenter's vmMemoryOverheadPercent), 255 MiB and 11 MiB
    a pod for the kubelet, 100 MiB eviction threshold. Daemons: 200 millicores and 512 MiB.
    """
    has = dict(machine.resources)
    cores = has[CPU] // 1000
    reserved = 60 + 10 * (cores > 1) + 5 * min(max(cores - 2, 0), 2) + (max(cores - 4, 0) * 5 + 1) // 2
    memory = has[MEMORY] * 925 // 1000 - (255 + 11 * has[PODS] + 100 + 512) * MIB
    return [has[CPU] - reserved - 200, memory, has[PODS], has[GPU]]


def fleet(seed: int, pods: int) -> Fleet:
    """`pods` pods of 60 shapes: GPUs, then cpu and memory per GPU from lists; how often a shape occurs is Zipf-like.

    A drawn shape that fits no machine it may run on is drawn again: nothing could serve it, so it says nothing about
    a purchase.
    """
    rng = random.Random(seed)
    offers = machines()
    capacity = np.array([allocatable(machine) for machine in offers], dtype=np.int64)
    models = sorted({machine.gpu_model for machine in offers})
    shapes: dict[tuple[tuple[int, ...], str], list[bool]] = {}
    left_out = 0
    while len(shapes) < SHAPES:
        gpus = rng.choices(GPUS, GPU_WEIGHTS)[0]
        request = (rng.choice(MILLICORES_PER_GPU) * gpus, rng.choice(MEMORY_PER_GPU) * gpus, 1, gpus)
        model = rng.choice(models) if rng.random() < PINNED else ""
        runs = [model in ("", machine.gpu_model) for machine in offers]
        fits = (capacity >= np.array(request)).all(axis=1) & np.array(runs)
        left_out += not fits.any()
        if fits.any():
            shapes[request, model] = runs
    shares = [1 / (rank + 1) ** 0.8 for rank in range(SHAPES)]
    rng.shuffle(shares)
    market = Market(
        capacity=capacity,
        price=np.array([machine.on_demand_usd for machine in offers], dtype=np.float64),
        compatible=np.array(list(shapes.values())),
        limits=(),
        tier=np.zeros(len(offers), dtype=np.int64),
    )
    drawn = rng.choices(range(SHAPES), shares, k=pods)
    return Fleet(
        requests=np.array([request for request, _ in shapes], dtype=np.int64),
        demand=np.bincount(drawn, minlength=SHAPES).astype(np.int64),
        market=market,
        machines=tuple(machine.name for machine in offers),
        left_out=left_out,
    )
