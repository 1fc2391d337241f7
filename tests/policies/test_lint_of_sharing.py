"""Lint of sharing: what the device plugin and the GPU model can do."""

from __future__ import annotations

import pytest

from tests.policies.files import TAINT, template


def shared(sharing: str, model: str = "A100-40GB", count: int = 2) -> list[str]:
    """Findings of a pool that shares its GPUs so, without their places and the path that they have in common."""
    gpu = (
        f"gpu: {{model: {model}, count: {count}, sharing: {sharing}}}"
        if model
        else f"gpu: {{count: 2, sharing: {sharing}}}"
    )
    found = template(f"resources: {{cpu: 8}}, {TAINT}, {gpu}")
    return [": ".join((line.split(": ")[0], line.split("gpu", 1)[1].removeprefix(".sharing"))) for line in found]


SINGLE = "under strategy single all GPUs have one and the same profile; use strategy mixed"
SHARING = [
    ("{timeSlicing: {replicas: 4}}", []),
    ("{mps: {replicas: 4}}", []),
    ("{}", ["warning: : names no way of sharing, so that GPUs stay whole; remove it"]),
    ("{mig: {layout: all-1g.5gb}}", []),
    ("{mig: {layout: all-balanced}}", []),
    ("{mig: {layout: all-disabled}}", []),
    ("{mig: {layout: {1g.5gb: 7}}}", []),
    ("{mig: {strategy: single, layout: all-1g.5gb}}", []),
    ("{mig: {strategy: single, layout: all-disabled}}", []),
    ("{mig: {strategy: single, layout: {2g.10gb: 3}}}", []),
    ("{mig: {strategy: single, layouts: [all-1g.5gb, all-3g.20gb, all-disabled]}}", []),
    ("{mig: {strategy: single, devices: [{indexes: [0, 1], layout: all-1g.5gb}]}}", []),
    ("{mig: {devices: [{indexes: [0], layout: all-1g.5gb}]}}", []),
    (
        "{mig: {layout: {1g.5gb: 8}}}",
        ["error: .mig.layout: A100-40GB holds at most 7 x 1g.5gb, not 8"],
    ),
    (
        "{mig: {layout: {3g.20gb: 3}}}",
        ["error: .mig.layout: A100-40GB holds at most 2 x 3g.20gb, not 3"],
    ),
    ("{mig: {layout: all-1g.5g}}", None),
    ("{mig: {layouts: [all-1g.5gb, all-1g.80gb]}}", None),
    (
        "{mig: {devices: [{indexes: [0, 2], layout: all-1g.5gb}]}}",
        ["error: .mig.devices[0].indexes[1]: there is no GPU 2; the node has GPUs 0 to 1"],
    ),
    (
        "{mig: {devices: [{indexes: [0], layout: all-1g.5gb}, {indexes: [1, 0], layout: all-2g.10gb}]}}",
        ["error: .mig.devices[1].indexes[1]: GPU 0 has a layout already; name each GPU once"],
    ),
    ("{mig: {layouts: [all-1g.5gb, all-1g.5gb]}}", ["error: .mig.layouts[1]: is listed twice; name each layout once"]),
    (
        "{mig: {layouts: [all-1g.5gb, {2g.10gb: 3}]}}",
        [
            "warning: .mig.layouts[1]: has no mig-parted name, so that no node can be told to take it; "
            "name a layout of its configuration"
        ],
    ),
    (
        "{mig: {strategy: single, layout: all-balanced}}",
        [f"error: .mig.layout: has 1g.5gb and 2g.10gb and 3g.20gb; {SINGLE}"],
    ),
    (
        "{mig: {strategy: single, layout: {1g.5gb: 2, 2g.10gb: 1}}}",
        [f"error: .mig.layout: has 1g.5gb and 2g.10gb; {SINGLE}"],
    ),
    (
        "{mig: {strategy: single, layouts: [all-1g.5gb, all-balanced]}}",
        [f"error: .mig.layouts[1]: has 1g.5gb and 2g.10gb and 3g.20gb; {SINGLE}"],
    ),
    (
        "{mig: {strategy: single, devices: [{indexes: [0], layout: all-1g.5gb}]}}",
        [f"error: .mig.devices: leaves some GPUs whole; {SINGLE}, or slice them all"],
    ),
    (
        "{mig: {strategy: single, devices: [{indexes: [0], layout: all-1g.5gb}, {indexes: [1], layout: "
        "all-disabled}]}}",
        [f"error: .mig.devices: leaves some GPUs whole; {SINGLE}, or slice them all"],
    ),
    (
        "{mig: {strategy: single, devices: [{indexes: [0], layout: all-1g.5gb}, {indexes: [1], layout: all-2g.10gb}]}}",
        [f"error: .mig.devices: has 1g.5gb and 2g.10gb; {SINGLE}"],
    ),
]


@pytest.mark.parametrize(("sharing", "told"), SHARING)
def test_gpus_can_be_shared_so(sharing: str, told: list[str] | None) -> None:
    found = shared(sharing)

    if told is None:  # the catalog's own sentence, which lists what the model has
        (line,) = found
        assert line.startswith(("error: .mig.layout: ", "error: .mig.layouts[1]: "))
        assert "all-1g.5gb" in line
    else:
        assert found == told


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("T4", "error: .mig.layout: T4 has no MIG; leave `sharing.mig` out, or use timeSlicing or mps"),
        ("A100", "error: .mig.layout: A100 is the name of several GPU models; write A100-40GB or A100-80GB"),
        ("H1000-80GB", None),
        ("", "error: : a MIG layout depends on the GPU model; give model"),
    ],
)
def test_mig_needs_a_model_that_has_it(model: str, told: str | None) -> None:
    (line,) = shared("{mig: {layout: all-1g.5gb}}", model=model)

    assert line == told if told else "H1000-80GB is not in the catalog" in line


@pytest.mark.parametrize("way", ["timeSlicing: {replicas: 2}", "mps: {replicas: 2}", "mig: {layout: all-1g.5gb}"])
def test_sharing_is_for_gpus_of_nvidia(way: str) -> None:
    (line,) = template(f"instanceType: inf2.xlarge, {TAINT}, gpu: {{sharing: {{{way}}}}}")

    assert line.endswith("is for NVIDIA GPUs, and a node has aws.amazon.com/neuron; remove it")
