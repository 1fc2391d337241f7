"""Look-ups in the built-in catalog."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from autoscaler.model.catalog import Catalog
from autoscaler.model.mig import counts_of, layout_problem
from providers.catalog.catalog import BuiltinCatalog, load_catalog
from providers.catalog.names import key

CATALOG = load_catalog()
GIB = 2**30
DATA = Path(str(sys.modules[BuiltinCatalog.__module__].__file__)).with_name("data")
EVERY_MODEL = [m for name in CATALOG.gpu_model_names() if (m := CATALOG.gpu_model(name))]
MIG_MODELS = [m for m in EVERY_MODEL if m.profiles]

# (name, cpu in thousandths, memory in GiB, accelerators, GPU model, on demand, spot)
TYPES = [
    ("p5.48xlarge", 192_000, 2048, {"nvidia.com/gpu": 8}, "H100-80GB", 55.04, 23.45325),
    ("p4d.24xlarge", 96_000, 1152, {"nvidia.com/gpu": 8}, "A100-40GB", 21.957642, None),
    ("p4de.24xlarge", 96_000, 1152, {"nvidia.com/gpu": 8}, "A100-80GB", 27.44705, None),
    ("g5.xlarge", 4_000, 16, {"nvidia.com/gpu": 1}, "A10G", 1.006, None),
    ("g4dn.xlarge", 4_000, 16, {"nvidia.com/gpu": 1}, "T4", 0.526, 0.2039),
    ("p3.2xlarge", 8_000, 61, {"nvidia.com/gpu": 1}, "V100-16GB", 3.06, 0.3941),
    ("p3dn.24xlarge", 96_000, 768, {"nvidia.com/gpu": 8}, "V100-32GB", 31.212, None),
    ("g7e.2xlarge", 8_000, 64, {"nvidia.com/gpu": 1}, "RTX-PRO-6000-Blackwell-96GB", None, None),
    ("g4ad.16xlarge", 64_000, 256, {"amd.com/gpu": 4}, "Radeon-Pro-V520", 3.468, None),
    ("dl1.24xlarge", 96_000, 768, {"habana.ai/gaudi": 8}, "Gaudi", 13.10904, None),
    ("trn1.32xlarge", 128_000, 512, {"aws.amazon.com/neuron": 16}, "Trainium", 21.5, None),
    ("a2-highgpu-1g", 12_000, 85, {"nvidia.com/gpu": 1}, "A100-40GB", None, None),
    ("g6f.large", 2_000, 8, {"nvidia.com/gpu": 1}, "L4", None, None),
    ("g4-standard-12", 12_000, 45, {}, "", None, None),
]


@pytest.mark.parametrize(("name", "cpu", "memory", "devices", "gpu", "on_demand", "spot"), TYPES)
def test_an_instance_type_has_what_the_cloud_sells(
    name: str, cpu: int, memory: int, devices: Mapping[str, int], gpu: str, on_demand: float | None, spot: float | None
) -> None:
    found = CATALOG.instance_type(name)

    assert found is not None
    assert dict(found.resources) == {"cpu": cpu, "memory": memory * GIB, "pods": 110, **devices}
    assert (found.gpu_model, found.gpu_count) == (gpu, sum(devices.values()))
    assert on_demand is None or found.on_demand_usd == pytest.approx(on_demand)
    assert spot is None or found.spot_usd == pytest.approx(spot)


def test_every_instance_type_can_be_read_and_names_a_known_gpu_model() -> None:
    for name in CATALOG.instance_type_names():
        found = CATALOG.instance_type(name)
        assert found is not None
        assert found.name == name
        assert found.provider in ("aws", "gcp")
        assert found.arch in ("amd64", "arm64")
        assert found.source
        assert found.gpu_model == "" or CATALOG.gpu_model(found.gpu_model) is not None, name
        for price in (found.on_demand_usd, found.spot_usd):
            assert price is None or 0 < price < 1000


def test_a_price_that_no_source_gives_is_none() -> None:
    found = CATALOG.instance_type("trn2.48xlarge")

    assert found is not None
    assert (found.on_demand_usd, found.spot_usd) == (None, None)


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("p5.48xlarge", {"vpc.amazonaws.com/efa": 32}),
        ("p4d.24xlarge", {"vpc.amazonaws.com/efa": 4}),
        ("g5.xlarge", {}),
        ("inf2.xlarge", {"aws.amazon.com/neuroncore": 2}),
        ("trn1.32xlarge", {"aws.amazon.com/neuroncore": 32, "vpc.amazonaws.com/efa": 8}),
        ("m7i.large", {}),
    ],
)
def test_what_depends_on_more_than_the_type_is_optional(name: str, extra: Mapping[str, int]) -> None:
    found = CATALOG.instance_type(name)

    assert dict(CATALOG.optional_resources(name)) == extra
    assert found is None or not extra.keys() & dict(found.resources).keys()


# Spot prices differ more by zone than by type; local zones are zones of their region.
@pytest.mark.parametrize(
    ("where", "usd"),
    [
        (("g4dn.xlarge", "us-east-1", "use1-az1"), 0.2158),
        (("g4dn.xlarge", "us-east-2", "use2-az1"), 0.1915),
        (("g4dn.xlarge", "us-east-1", "us-east-1a"), None),
        (("g4dn.xlarge", "us-east-1", "use2-az1"), None),
        (("m7i.large", "us-east-1", "use1-az1"), None),
    ],
)
def test_a_spot_price_is_known_by_zone_id(where: tuple[str, str, str], usd: float | None) -> None:
    assert CATALOG.spot_price(*where) == usd


def test_the_spot_prices_of_a_region_are_sorted_by_zone() -> None:
    prices = CATALOG.spot_prices("p4d.24xlarge", "us-east-1")

    assert [zone for zone, _ in prices] == sorted(zone for zone, _ in prices)
    assert min(usd for _, usd in prices) < 3 < max(usd for _, usd in prices)


NAMES = [
    ("A100-80GB", "A100-80GB"),
    ("NVIDIA A100-SXM4-80GB", "A100-80GB"),
    ("NVIDIA-A100-SXM4-80GB", "A100-80GB"),
    ("NVIDIA-A100-SXM4-80GB-SHARED", "A100-80GB"),
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", "A100-80GB"),
    ("NVIDIA-A100-SXM4-80GB-MIG-1g.10gb-SHARED", "A100-80GB"),
    ("NVIDIA-A100-SXM4-40GB-MIG-INVALID", "A100-40GB"),
    ("NVIDIA-A100-80GB-PCIe", "A100-80GB"),
    ("A100 80GB", "A100-80GB"),
    ("a100-40gb", "A100-40GB"),
    ("nvidia-tesla-a100", "A100-40GB"),
    ("nvidia-a100-80gb", "A100-80GB"),
    ("A100", None),  # two memory sizes, other profiles
    ("H100", "H100-80GB"),
    ("NVIDIA-H100-80GB-HBM3", "H100-80GB"),
    ("NVIDIA-H100-NVL", "H100-94GB"),
    ("NVIDIA-GH200-480GB", "H100-96GB"),
    ("GH200", None),
    ("NVIDIA-H20", "H100-96GB"),
    ("H200", "H200-141GB"),
    ("B200", "B200-180GB"),
    ("RTX PRO Server 6000", "RTX-PRO-6000-Blackwell-96GB"),
    ("NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition", "RTX-PRO-6000-Blackwell-96GB"),
    ("Tesla-T4", "T4"),
    ("NVIDIA-A10G-SHARED", "A10G"),
    ("A10", "A10"),
    ("L40S", "L40S"),
    ("Tesla-V100-SXM2-32GB", "V100-32GB"),
    ("V100", "V100-16GB"),
    ("MI300X", "MI300X"),
    ("AMD Instinct MI300X", "MI300X"),
    ("Gaudi HL-205", "Gaudi"),
    ("Trainium2", "Trainium2"),
    ("tpu-v5-lite-podslice", "TPU-v5e"),
    ("our-own-asic", None),
    ("", None),
]


@pytest.mark.parametrize(("name", "id_"), NAMES)
def test_a_gpu_model_is_known_by_its_many_names(name: str, id_: str | None) -> None:
    found = CATALOG.gpu_model(name)

    assert (found.id if found else None) == id_


def test_every_id_and_product_name_means_its_own_model() -> None:
    for model in EVERY_MODEL:
        for name in (model.id, *model.product_names):
            found = CATALOG.gpu_model(name)
            assert (found.id if found else model.id) == model.id, name
    assert len({key(m.id) for m in EVERY_MODEL}) == len(EVERY_MODEL)


WITHOUT_MIG = ["T4", "A10", "A10G", "A16", "A40", "L4", "L40", "L40S", "P4", "P100", "V100-16GB", "RTX-6000-Ada"]
OTHER_VENDORS = ["MI300X", "Gaudi", "Trainium", "Inferentia2", "TPU-v5e"]


@pytest.mark.parametrize("name", [*WITHOUT_MIG, *OTHER_VENDORS])
def test_a_model_without_mig_has_no_profiles(name: str) -> None:
    found = CATALOG.gpu_model(name)

    assert found is not None
    assert found.profiles == ()


LAYOUTS = [
    ("A100-40GB", "all-1g.10gb", {"1g.10gb": 4}),
    ("H100-80GB", "all-1g.10gb", {"1g.10gb": 7}),
    ("A100-40GB", "all-1g.5gb.me", {"1g.5gb+me": 1}),
    ("A100-40GB", "all-balanced", {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}),
    ("A30-24GB", "all-balanced", {"1g.6gb": 2, "2g.12gb": 1}),
    ("RTX-PRO-6000-Blackwell-96GB", "all-balanced", {"1g.24gb": 2, "2g.48gb": 1}),
    ("GB300-278GB", "all-1g.35gb", {"1g.35gb": 7}),
    ("H200-141GB", "all-1g.35gb", {"1g.35gb": 4}),
    ("RTX-PRO-5000-Blackwell-48GB", "all-1g.24gb", {"1g.24gb": 2}),  # the static configuration says 4
    ("A100-40GB", "all-disabled", {}),
    ("A100-40GB", "all-enabled", None),
    ("A100-80GB", "all-1g.5gb", None),
    ("A100-40GB", "1g.5gb", None),
    ("A100-40GB", "all-1g.5gb+me", None),
    ("RTX-PRO-5000-Blackwell-48GB", "all-balanced", None),
    ("T4", "all-disabled", None),
]


@pytest.mark.parametrize(("gpu", "name", "counts"), LAYOUTS)
def test_the_name_of_a_layout_is_read_for_a_model(gpu: str, name: str, counts: Mapping[str, int] | None) -> None:
    model = CATALOG.gpu_model(gpu)

    assert model is not None
    assert CATALOG.layout(name, model) == (None if counts is None else counts_of(counts))


def test_every_layout_that_applies_to_a_model_can_be_placed() -> None:
    for model in MIG_MODELS:
        names = CATALOG.layout_names(model.id)
        assert len(names) > len([p for p in model.profiles if not p.attributes])
        for name in names:
            counts = CATALOG.layout(name, model)
            assert counts is not None
            assert counts == () or layout_problem(model, dict(counts)) is None, (model.id, name)


def test_the_rule_for_names_agrees_with_mig_parteds_static_configuration() -> None:
    rules = json.loads((DATA / "mig-layouts.json").read_text(encoding="utf-8"))
    devices = {m["id"]: m["pci_device_ids"] for m in json.loads((DATA / "mig-profiles.json").read_text())["models"]}
    compared = 0
    for name, listed in rules.items():
        for filters, _, counts in listed:
            for model in MIG_MODELS:
                named = filters is None or any(f[:6] in devices[model.id] for f in filters)
                if not named or not counts or any(model.profile(p) is None for p in counts):
                    continue
                if model.id.startswith(("RTX-PRO-5000", "RTX-PRO-4500")):
                    continue  # smaller GPUs with the same names of profiles, for which the static counts are too large
                compared += 1
                assert CATALOG.layout(name, model) == counts_of(counts), (model.id, name)
    assert compared > 100


PROBLEMS: list[tuple[str, str | dict[str, int], str]] = [
    ("A100", "all-1g.5gb", "A100 is the name of several GPU models; write A100-40GB or A100-80GB"),
    ("A100-80G", "all-1g.5gb", "GPU model A100-80G is not in the catalog (did you mean A100-80GB"),
    ("our-own-asic", "all-1g.5gb", "our-own-asic is not in the catalog"),
    ("T4", "all-1g.5gb", "T4 has no MIG"),
    ("T4", {"1g.5gb": 7}, "T4 has no MIG"),
    ("A100-40GB", "all-1g.5g", "there is no layout all-1g.5g (did you mean all-1g.5gb?)"),
    ("A100-40GB", "all-1g.5gb+me", "(did you mean all-1g.5gb.me?)"),
    ("A100-80GB", "all-1g.5gb", "layout all-1g.5gb is for A100-40GB, not for A100-80GB; it has all-1g.10gb"),
    ("A100-80GB", "all-enabled", "use all-disabled for whole GPUs"),
    ("A100-80GB", {"1g.5gb": 7}, "no MIG profile 1g.5gb (did you mean 1g.10gb?)"),
    ("A100-80GB", {"3g.40gb": 3}, "at most 2 x 3g.40gb, not 3"),
    ("A100-80GB", {"3g.40gb": 2, "1g.10gb": 1}, "do not fit its 8 memory slices"),
    ("RTX-PRO-4500-Blackwell-32GB", {"2g.32gb": 2}, "at most 1 x 2g.32gb"),
]


@pytest.mark.parametrize(("gpu", "layout", "says"), PROBLEMS)
def test_a_layout_that_cannot_be_is_explained_in_one_sentence(
    gpu: str, layout: str | Mapping[str, int], says: str
) -> None:
    problem = CATALOG.layout_problem(gpu, layout)

    assert problem is not None
    assert says in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    ("gpu", "layout"),
    [
        ("A100-80GB", "all-balanced"),
        ("NVIDIA-A100-SXM4-80GB", "all-disabled"),
        ("H200-141GB", "all-1g.35gb"),
        ("A100-80GB", {"1g.10gb": 2, "3g.40gb": 1}),
    ],
)
def test_a_layout_that_can_be_has_no_problem(gpu: str, layout: str | Mapping[str, int]) -> None:
    assert CATALOG.layout_problem(gpu, layout) is None


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("p5.48xlarg", "not in the catalog (did you mean p5.48xlarge?)"),
        ("P5.48XLARGE", "(did you mean p5.48xlarge?)"),
        ("m7i.large", "not in the catalog; correct it"),
    ],
)
def test_an_unknown_instance_type_is_none_and_explained(name: str, says: str) -> None:
    assert CATALOG.instance_type(name) is None
    assert says in (CATALOG.instance_type_problem(name) or "")
    assert CATALOG.instance_type_problem("p5.48xlarge") is None


def test_the_builtin_catalog_is_a_catalog() -> None:
    catalog: Catalog = CATALOG

    assert "p5.48xlarge" in catalog.instance_type_names()
    assert "A100-80GB" in catalog.gpu_model_names()


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    catalog = BuiltinCatalog(tmp_path)

    with pytest.raises(FileNotFoundError, match=r"instance-types\.csv"):
        catalog.instance_type("p5.48xlarge")
    with pytest.raises(FileNotFoundError, match=r"aws-spot\.csv"):
        catalog.spot_price("p5.48xlarge", "us-east-1", "use1-az1")


def test_a_look_up_needs_no_yaml_and_no_schema_library() -> None:
    """A cold start is slow by parsing; the data are in forms that the standard library reads in milliseconds."""
    code = (
        "import sys; from providers.catalog.catalog import load_catalog; c = load_catalog(); "
        "c.instance_type('p5.48xlarge'); c.layout('all-balanced', c.gpu_model('A100-80GB')); "
        "print(sorted({'yaml', 'pydantic', 'difflib', 'importlib.resources'} & sys.modules.keys()))"
    )
    root = DATA.parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
