"""The data files are what `refresh` makes of the collected sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from providers.catalog.refresh import DATA, instance_types, main, mig_layouts, render

SHARED = Path(__file__).resolve().parents[3] / "shared"
FACTS = SHARED / "facts"
MIG_CONFIG = SHARED / "traces" / "k8s" / "mig-parted_config-default.yaml"
needs_sources = pytest.mark.skipif(
    not FACTS.is_dir() or not MIG_CONFIG.exists(), reason="../shared with the collected sources is not here"
)


@needs_sources
def test_the_committed_files_are_what_refresh_makes_of_the_sources() -> None:
    for name, text in render(FACTS, MIG_CONFIG).items():
        assert (DATA / name).read_text(encoding="utf-8") == text, (
            f"{name} is stale: python -m providers.catalog.refresh"
        )


@needs_sources
def test_refresh_writes_the_files(tmp_path: Path) -> None:
    assert main([str(FACTS), str(MIG_CONFIG), str(tmp_path)]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(render(FACTS, MIG_CONFIG))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "usage: python -m providers.catalog.refresh"),
        (["nowhere", "nothing.yaml"], "the catalog was not renewed: "),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    assert says in capsys.readouterr().err


def test_a_mig_configuration_by_device_is_refused_because_layouts_are_for_all_devices() -> None:
    text = "mig-configs: {half: [{devices: [0], mig-enabled: true, mig-devices: {1g.5gb: 7}}]}"

    with pytest.raises(ValueError, match=r"mig-configs\.half: devices is \[0\]"):
        mig_layouts(text)


def test_a_device_filter_may_be_one_id_or_a_list() -> None:
    text = """
mig-configs:
  one: [{device-filter: "0x20B710DE", devices: all, mig-enabled: true, mig-devices: {1g.6gb: 2}}]
  none: [{devices: all, mig-enabled: false}]
"""
    assert (
        mig_layouts(text) == '{\n  "one": [[["0x20B710DE"], true, {"1g.6gb": 2}]],\n  "none": [[null, false, {}]]\n}\n'
    )


def test_remarks_are_not_carried_over_and_reference_numbers_are_cut_from_sources() -> None:
    columns = (
        "provider,instance_type,arch,vcpu,memory_gib,accel_vendor,accel_model,accel_count,accel_fraction,"
        "accel_memory_gb_nominal,local_ssd_gb,efa_interfaces,k8s_resource,k8s_resource_count,mig_profile_id,"
        "purchase_options,price_region,ondemand_usd_per_hour,ondemand_source,spot_usd_per_hour,spot_source,"
        "spec_source,notes"
    )
    row = (
        "aws,inf9.large,amd64,8,32,AWS,Trainium2,1,1,,,,aws.amazon.com/neuron,1,,on-demand,us-east-1,1.0,"
        "a page (id 123) of 2026,,,a dump,aws.amazon.com/neuroncore = 8; a remark"
    )
    made = instance_types(f"{columns}\n{row}\n", (DATA / "other-gpus.csv").read_text(encoding="utf-8"))

    assert made.splitlines()[1] == (
        "aws,inf9.large,amd64,8,32,AWS,Trainium2,1,1,,Trainium2,aws.amazon.com/neuron,1,8,,,on-demand,us-east-1,1.0,"
        "a page of 2026,,,a dump"
    )
