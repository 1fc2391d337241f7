"""Renders the data files of the catalog from collected source files, so that an update is a diff and not an edit.

    python -m providers.catalog.refresh FACTS MIG_CONFIG [OUT]

FACTS is a folder with `instance-types.csv`, `aws-spot-by-az.csv` and `mig-profiles.yaml`, MIG_CONFIG the
`config-default.yaml` of NVIDIA's mig-parted, OUT the folder to write (default: `data/` beside this file). Columns of
figures and of their sources are carried over; remarks are not. `other-gpus.csv` and `gpu-names.csv` are kept by hand.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).with_name("data")

COLUMNS = [
    "provider",
    "instance_type",
    "arch",
    "vcpu",
    "memory_gib",
    "accel_vendor",
    "accel_model",
    "accel_count",
    "accel_fraction",
    "accel_memory_gb_nominal",
    "gpu_model",
    "k8s_resource",
    "k8s_resource_count",
    "neuron_cores",
    "efa_interfaces",
    "local_ssd_gb",
    "purchase_options",
    "price_region",
    "ondemand_usd_per_hour",
    "ondemand_source",
    "spot_usd_per_hour",
    "spot_source",
    "spec_source",
]
CONFIDENCE = "placements_confidence"
SPOT_COLUMNS = ["instance_type", "region", "zone_id", "local_zone", "spot_usd_per_hour", "source", "date_window"]
MODEL_FIELDS = ["id", "product_names", "pci_device_ids", "memory_gb", "compute_slices", "memory_slices", CONFIDENCE]
PROFILE_FIELDS = ["name", "resource", "compute_slices", "memory_slices", "max_count", "starts", "attributes"]

NEURON_CORES = re.compile(r"aws\.amazon\.com/neuroncore = (\d+)")
REFERENCE_NUMBERS = re.compile(r" \(ids? [\d, ]+\)")


def instance_types(text: str, other_gpus: str) -> str:
    """`instance-types.csv`: the columns kept, with the GPU model's id and the NeuronCores in columns of their own."""
    known = _other_ids(other_gpus)
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        cores = NEURON_CORES.search(row["notes"])
        row["neuron_cores"] = cores[1] if cores else ""
        row["gpu_model"] = row["mig_profile_id"] or known.get((row["accel_model"], row["accel_memory_gb_nominal"]), "")
        # A fraction of a GPU that has MIG when whole is not of that model: it has no MIG.
        rows.append({name: REFERENCE_NUMBERS.sub("", row[name]) for name in COLUMNS})
    return _csv(COLUMNS, rows)


def _other_ids(text: str) -> dict[tuple[str, str], str]:
    """(accelerator name, memory in GB) to model id; fractions of a GPU and unknown memory count by name."""
    found: dict[tuple[str, str], str] = {}
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        for name in (row["id"], row["id"].split("-")[0], *row["names"].split("|")):
            found.setdefault((name, row["memory_gb"]), row["id"])
    for row in rows:
        if row["id"] == "L4":  # sold in eighths, quarters and halves
            found |= {("L4", memory): "L4" for memory in ("3", "6", "12")}
        if row["id"].startswith("Trainium"):
            found[(row["id"], "")] = row["id"]
    return found


def spot_prices(text: str) -> str:
    """`aws-spot.csv`: dollars an hour by instance type and zone id."""
    rows = [{name: row[name] for name in SPOT_COLUMNS} for row in csv.DictReader(io.StringIO(text))]
    return _csv(SPOT_COLUMNS, rows)


def mig_profiles(text: str) -> str:
    """`mig-profiles.json`: the models with their placement grid; one profile a line."""
    source = yaml.safe_load(text)
    collected = str(source["collected"]).split(" ")[0]
    models = [_model(model) for model in source["gpus"]]
    return f'{{"collected": {json.dumps(collected)}, "models": [\n' + ",\n".join(models) + "\n]}\n"


def _model(model: Mapping[str, Any]) -> str:
    head = json.dumps({name: model[name] for name in MODEL_FIELDS})
    profiles = [
        "    " + json.dumps({name: profile[name] for name in PROFILE_FIELDS if name in profile})
        for profile in model["profiles"]
    ]
    return f'  {head[:-1]}, "profiles": [\n' + ",\n".join(profiles) + "\n  ]}"


def mig_layouts(text: str) -> str:
    """`mig-layouts.json`: layout name to its rules, in order; a rule is `[PCI ids or null, enabled, {profile: count}]`.

    Every rule of mig-parted's default configuration is for all devices of a node; another one is refused.
    """
    lines = []
    for name, rules in yaml.safe_load(text)["mig-configs"].items():
        lines.append(f"  {json.dumps(name)}: {json.dumps([_rule(name, rule) for rule in rules])}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rule(name: str, rule: Mapping[str, Any]) -> list[Any]:
    if rule["devices"] != "all":
        raise ValueError(f"mig-configs.{name}: devices is {rule['devices']!r}; only `all` is understood")
    filters = rule.get("device-filter")
    listed = [filters] if isinstance(filters, str) else filters
    return [listed, rule["mig-enabled"], rule.get("mig-devices", {})]


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def render(facts: Path, mig_config: Path, by_hand: Path = DATA) -> dict[str, str]:
    """File name to content, for every file that is not kept by hand."""
    return {
        "instance-types.csv": instance_types(
            (facts / "instance-types.csv").read_text(encoding="utf-8"),
            (by_hand / "other-gpus.csv").read_text(encoding="utf-8"),
        ),
        "aws-spot.csv": spot_prices((facts / "aws-spot-by-az.csv").read_text(encoding="utf-8")),
        "mig-profiles.json": mig_profiles((facts / "mig-profiles.yaml").read_text(encoding="utf-8")),
        "mig-layouts.json": mig_layouts(mig_config.read_text(encoding="utf-8")),
    }


def main(arguments: Sequence[str]) -> int:
    """Write the data files; 1 with one sentence on standard error if the arguments are wrong or a source is missing."""
    if len(arguments) not in (2, 3):
        sys.stderr.write("usage: python -m providers.catalog.refresh FACTS MIG_CONFIG [OUT]\n")
        return 1
    out = Path(arguments[2]) if len(arguments) == 3 else DATA
    try:
        files = render(Path(arguments[0]), Path(arguments[1]))
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8")
    except (OSError, ValueError, KeyError, yaml.YAMLError) as error:
        sys.stderr.write(f"the catalog was not renewed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
