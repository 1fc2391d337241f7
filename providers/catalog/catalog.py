"""The built-in catalog: instance types with prices, GPU models with their MIG profiles, names of MIG layouts.

Nothing is read before the first look-up, and each data file only when something in it is asked for: `plan` for a
policy that spells everything out reads none. Sources and dates of the figures: `data/README.md`.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from autoscaler.model import mig
from autoscaler.model.catalog import GpuModel, InstanceType, MigProfile
from autoscaler.model.resources import CPU, MEMORY, PODS, Amounts, amounts
from providers.catalog.layouts import Layouts
from providers.catalog.names import GpuNames, did_you_mean

DATA = Path(__file__).with_name("data")
EFA = "vpc.amazonaws.com/efa"
NEURON_CORE = "aws.amazon.com/neuroncore"
PODS_PER_NODE = 110  # the kubelet's default maxPods


@cache
def load_catalog() -> BuiltinCatalog:
    """The catalog that is shipped with the program, one for the process."""
    return BuiltinCatalog(DATA)


class BuiltinCatalog:
    """`autoscaler.model.catalog.Catalog` over the data files of one folder. Unknown names are None, never an error."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._types: dict[str, InstanceType] = {}

    def instance_type(self, name: str) -> InstanceType | None:
        """The instance type of that name (`p5.48xlarge`, `a2-highgpu-1g`).

        `resources` is what the machine has: cpu, memory, `pods` (the kubelet's default, 110) and its accelerators
        as whole devices. Left out, because a node does not have it by its type alone: ephemeral-storage (the size
        of the boot disk is the launch template's; local disks are raw until something formats them) and what
        `optional_resources` names. Nothing is reserved for system and kubelet: that is `template.reserved`.
        """
        known = self._types.get(name)
        row = self._rows.get(name)
        if known is None and row is not None:
            known = self._types[name] = _instance_type(row)
        return known

    def optional_resources(self, name: str) -> Amounts:
        """What the machine could offer besides, with a launch template or device plugin that not every cluster has.

        EFA interfaces (`vpc.amazonaws.com/efa`), and NeuronCores (`aws.amazon.com/neuroncore`), which are a second
        view of the chips that `resources` counts as `aws.amazon.com/neuron`. A pool whose nodes have them declares
        them under `template.resources`; a template that promised them unasked would wait for them in vain.
        """
        row = self._rows.get(name)
        if row is None:
            return ()
        found = {EFA: row["efa_interfaces"], NEURON_CORE: row["neuron_cores"]}
        return amounts({resource: int(number or 0) for resource, number in found.items()})

    def spot_price(self, instance_type: str, region: str, zone: str) -> float | None:
        """Dollars an hour of an AWS spot instance in a zone, by zone id (`use1-az1`); None if it is not known.

        A zone name (`us-east-1a`) stands for another zone in each account: it has no price here.
        """
        return self._spot.get((instance_type, region, zone))

    def spot_prices(self, instance_type: str, region: str) -> tuple[tuple[str, float], ...]:
        """Zone ids with their spot prices, sorted by zone id."""
        wanted = (instance_type, region)
        return tuple(sorted((key[2], usd) for key, usd in self._spot.items() if key[:2] == wanted))

    def gpu_model(self, name: str) -> GpuModel | None:
        """The GPU model by id, product name, `nvidia.com/gpu.product` value or accelerator name of an instance type.

        Case, blanks and dashes do not count, nor do the suffixes -SHARED and -MIG-<profile>. A name that several
        models share (A100: 40 or 80 GB) is None.
        """
        found = self._names.find(name)
        return self._models[found] if found else None

    def layout(self, name: str, model: GpuModel) -> tuple[tuple[str, int], ...] | None:
        """A mig-parted layout name as profile counts for one GPU of this model; () for `all-disabled`.

        None if the name does not exist, is not for this model, or offers nothing (`all-enabled`: MIG without
        instances).
        """
        return self._layouts.find(name, model)

    def layout_names(self, model_id: str) -> tuple[str, ...]:
        """The layout names that apply to a GPU model, sorted; () if it is unknown or has no MIG."""
        model = self.gpu_model(model_id)
        return self._layouts.names(model) if model else ()

    def layout_problem(self, model_id: str, layout: str | Mapping[str, int]) -> str | None:
        """Why a GPU of this model cannot have this layout, in one sentence with the way out; None if it can."""
        model = self.gpu_model(model_id)
        if model is None:
            return self._names.problem(model_id)
        if isinstance(layout, str):
            return self._layouts.problem(layout, model)
        return mig.layout_problem(model, layout)

    def instance_type_names(self) -> tuple[str, ...]:
        """Every known instance type, sorted."""
        return tuple(sorted(self._rows))

    def gpu_model_names(self) -> tuple[str, ...]:
        """Every known GPU model id, sorted."""
        return tuple(sorted(self._models))

    def instance_type_problem(self, name: str) -> str | None:
        """Why an instance type cannot be looked up, in one sentence with the way out; None if it can."""
        if name in self._rows:
            return None
        near = did_you_mean(name, self.instance_type_names(), names_max=1)
        return (
            f"instance type {name} is not in the catalog{near}; correct it, or spell out template.resources and price"
        )

    @cached_property
    def _rows(self) -> dict[str, dict[str, str]]:
        return {row["instance_type"]: row for row in self._csv("instance-types.csv")}

    @cached_property
    def _spot(self) -> dict[tuple[str, str, str], float]:
        rows = self._csv("aws-spot.csv")
        return {(r["instance_type"], r["region"], r["zone_id"]): float(r["spot_usd_per_hour"]) for r in rows}

    @cached_property
    def _mig_models(self) -> list[dict[str, Any]]:
        models: list[dict[str, Any]] = self._json("mig-profiles.json")["models"]
        return models

    @cached_property
    def _other_gpus(self) -> list[dict[str, str]]:
        return self._csv("other-gpus.csv")

    @cached_property
    def _models(self) -> dict[str, GpuModel]:
        models = [_mig_model(m) for m in self._mig_models] + [_other_model(m) for m in self._other_gpus]
        return {model.id: model for model in models}

    @cached_property
    def _names(self) -> GpuNames:
        extra = [(row["name"], row["id"]) for row in self._csv("gpu-names.csv")]
        sold_as = [(row["accel_model"], row["gpu_model"]) for row in self._rows.values() if row["gpu_model"]]
        return GpuNames(tuple(self._models.values()), extra, sold_as)

    @cached_property
    def _layouts(self) -> Layouts:
        devices = {m["id"]: frozenset(d.upper() for d in m["pci_device_ids"]) for m in self._mig_models}
        return Layouts(self._json("mig-layouts.json"), devices, tuple(self._models.values()))

    def _csv(self, name: str) -> list[dict[str, str]]:
        with (self._data / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _json(self, name: str) -> Any:
        return json.loads((self._data / name).read_bytes())


def _instance_type(row: Mapping[str, str]) -> InstanceType:
    count = int(row["k8s_resource_count"] or 0)
    has = {
        CPU: int(row["vcpu"]) * 1000,
        MEMORY: round(float(row["memory_gib"]) * 2**30),
        PODS: PODS_PER_NODE,
        row["k8s_resource"]: count,
    }
    sources = {"shape": row["spec_source"], "on demand": row["ondemand_source"], "spot": row["spot_source"]}
    return InstanceType(
        name=row["instance_type"],
        provider=row["provider"],
        arch=row["arch"],
        resources=amounts(has),
        gpu_model=row["gpu_model"],
        gpu_count=count,
        gpu_resource=row["k8s_resource"],
        on_demand_usd=_price(row["ondemand_usd_per_hour"]),
        spot_usd=_price(row["spot_usd_per_hour"]),
        source="; ".join([f"prices of {row['price_region']}", *(f"{k}: {v}" for k, v in sources.items() if v)]),
    )


def _price(text: str) -> float | None:
    return float(text) if text else None


def _mig_model(model: Mapping[str, Any]) -> GpuModel:
    return GpuModel(
        id=model["id"],
        product_names=tuple(model["product_names"]),
        memory_gb=model["memory_gb"],
        compute_slices=model["compute_slices"],
        memory_slices=model["memory_slices"],
        profiles=tuple(_profile(p) for p in model["profiles"]),
    )


def _profile(profile: Mapping[str, Any]) -> MigProfile:
    starts = profile["starts"]
    return MigProfile(
        name=profile["name"],
        resource=profile["resource"],
        compute_slices=profile["compute_slices"],
        memory_slices=profile["memory_slices"],
        max_count=profile["max_count"],
        starts=None if starts is None else tuple(starts),
        attributes=tuple(profile.get("attributes", ())),
    )


def _other_model(row: Mapping[str, str]) -> GpuModel:
    return GpuModel(id=row["id"], product_names=tuple(row["names"].split("|")), memory_gb=int(row["memory_gb"]))
