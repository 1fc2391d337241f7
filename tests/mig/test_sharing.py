"""What a node with GPUs offers: the tables of docs/reference/catalog.md."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from autoscaler.model.catalog import GpuModel
from autoscaler.model.resources import Amounts, amounts
from autoscaler.planning.sharing import (
    Kind,
    Layout,
    Offer,
    Sharing,
    Strategy,
    observed_layout,
    offered,
    sharing_problem,
)
from providers.catalog.catalog import load_catalog

CATALOG = load_catalog()
GPU = "nvidia.com/gpu"


def model(name: str) -> GpuModel:
    found = CATALOG.gpu_model(name)
    assert found is not None
    return found


def named(gpu: GpuModel, count: int, *names: str) -> tuple[Layout, ...]:
    """Layouts by their mig-parted names."""
    found = [(name, CATALOG.layout(name, gpu)) for name in names]
    return tuple(Layout.uniform(counts, count, name) for name, counts in found if counts is not None)


def mig(strategy: Strategy, *layouts: Layout) -> Sharing:
    return Sharing(Kind.MIG, strategy=strategy, layouts=layouts)


A100 = model("A100-40GB")
H100 = model("H100-80GB")
T4 = model("T4")
RTX = model("RTX-PRO-6000-Blackwell-96GB")

TWO_SLICED = Layout.by_index([([0, 1], {"1g.10gb": 7})], 8)

# (model, GPUs, sharing, resources, refused above one)
OFFERS = [
    (H100, 8, Sharing(), {GPU: 8}, ()),
    (T4, 1, Sharing(Kind.TIME_SLICING, 4), {GPU: 4}, ()),
    (T4, 4, Sharing(Kind.TIME_SLICING, 6, fail_above_one=True), {GPU: 24}, (GPU,)),
    (T4, 2, Sharing(Kind.TIME_SLICING, 4, rename=True), {"nvidia.com/gpu.shared": 8}, ()),
    (
        *(T4, 2, Sharing(Kind.TIME_SLICING, 4, rename=True, fail_above_one=True)),
        *({"nvidia.com/gpu.shared": 8}, ("nvidia.com/gpu.shared",)),
    ),
    (T4, 2, Sharing(Kind.MPS, 8), {GPU: 16}, (GPU,)),
    (None, 2, Sharing(Kind.MPS, 8), {GPU: 16}, (GPU,)),
    (A100, 2, mig(Strategy.SINGLE, *named(A100, 2, "all-1g.5gb")), {GPU: 14}, ()),
    (A100, 2, mig(Strategy.SINGLE, *named(A100, 2, "all-disabled")), {GPU: 2}, ()),
    (A100, 1, mig(Strategy.MIXED, *named(A100, 1, "all-1g.10gb")), {"nvidia.com/mig-1g.10gb": 4}, ()),
    (H100, 1, mig(Strategy.MIXED, *named(H100, 1, "all-1g.10gb")), {"nvidia.com/mig-1g.10gb": 7}, ()),
    (H100, 8, mig(Strategy.MIXED, TWO_SLICED), {"nvidia.com/mig-1g.10gb": 14, GPU: 6}, ()),
    (
        *(A100, 2, mig(Strategy.MIXED, *named(A100, 2, "all-balanced"))),
        *({"nvidia.com/mig-1g.5gb": 4, "nvidia.com/mig-2g.10gb": 2, "nvidia.com/mig-3g.20gb": 2}, ()),
    ),
    (A100, 1, mig(Strategy.MIXED, Layout.uniform({"1g.5gb+me": 1}, 1)), {"nvidia.com/mig-1g.5gb.me": 1}, ()),
    (
        *(RTX, 1, mig(Strategy.MIXED, Layout.uniform({"1g.24gb+me.all": 1, "1g.24gb-me": 3}, 1))),
        *({"nvidia.com/mig-1g.24gb.me.all": 1, "nvidia.com/mig-1g.24gb-me": 3}, ()),
    ),
    (None, 1, mig(Strategy.MIXED, Layout.uniform({"1g.5gb+me": 1}, 1)), {"nvidia.com/mig-1g.5gb.me": 1}, ()),
]


@pytest.mark.parametrize(("gpu", "count", "sharing", "resources", "refused"), OFFERS)
def test_a_node_offers(
    gpu: GpuModel | None, count: int, sharing: Sharing, resources: Mapping[str, int], refused: tuple[str, ...]
) -> None:
    (offer,) = offered(gpu, count, GPU, sharing)

    assert dict(offer.resources) == resources
    assert offer.refuses_above_one == frozenset(refused)


def test_whole_gpus_of_another_vendor_are_offered_under_its_name_and_without_nvidias_labels() -> None:
    assert offered(model("MI300X"), 8, "amd.com/gpu", Sharing()) == (Offer((("amd.com/gpu", 8),)),)


def test_several_layouts_are_several_offers_in_their_order() -> None:
    sharing = mig(Strategy.MIXED, *named(A100, 1, "all-3g.20gb", "all-disabled", "all-1g.5gb"))
    offers = offered(A100, 1, GPU, sharing)

    assert [(o.layout_name, o.resources) for o in offers] == [
        ("all-3g.20gb", (("nvidia.com/mig-3g.20gb", 2),)),
        ("all-disabled", ((GPU, 1),)),
        ("all-1g.5gb", (("nvidia.com/mig-1g.5gb", 7),)),
    ]


def test_a_layout_without_a_name_has_none_in_its_offer_and_sets_no_config_label() -> None:
    (offer,) = offered(H100, 8, GPU, mig(Strategy.MIXED, TWO_SLICED))

    assert offer.layout_name is None
    assert "nvidia.com/mig.config" not in offer.labels


PROBLEMS = [
    (T4, 0, Sharing(), "set gpu.count to at least 1"),
    (T4, 1, Sharing(Kind.TIME_SLICING, 1), "set at least 2"),
    (T4, 1, Sharing(Kind.MPS, 0), "set at least 2"),
    (T4, 1, mig(Strategy.MIXED, Layout.uniform({"1g.5gb": 7}, 1)), "T4 has no MIG"),
    (A100, 1, mig(Strategy.MIXED), "names no layout"),
    (A100, 2, mig(Strategy.MIXED, Layout.uniform({"1g.5gb": 7}, 1)), "for 1 GPUs and the node has 2"),
    (A100, 1, mig(Strategy.MIXED, Layout.uniform({"3g.20gb": 2, "1g.5gb": 1}, 1, "mine")), "layout mine: A100-40GB"),
    (A100, 1, mig(Strategy.SINGLE, *named(A100, 1, "all-balanced")), "layout all-balanced: under strategy single"),
    (H100, 8, mig(Strategy.SINGLE, TWO_SLICED), "under strategy single"),
    (
        *(A100, 2, mig(Strategy.SINGLE, Layout.by_index([([0], {"1g.5gb": 7}), ([1], {"2g.10gb": 3})], 2))),
        "under strategy single",
    ),
    (A100, 1, mig(Strategy.MIXED, *named(A100, 1, "all-1g.5gb", "all-1g.5gb")), "listed twice"),
]


@pytest.mark.parametrize(("gpu", "count", "sharing", "says"), PROBLEMS)
def test_what_no_node_can_offer_is_refused_in_one_sentence(
    gpu: GpuModel, count: int, sharing: Sharing, says: str
) -> None:
    problem = sharing_problem(gpu, count, sharing)

    assert problem is not None
    assert says in problem
    with pytest.raises(ValueError, match=re.escape(problem)):
        offered(gpu, count, GPU, sharing)


@pytest.mark.parametrize(
    ("devices", "says"),
    [
        ([([8], {"1g.10gb": 7})], "GPU index 8 is out of range; the node has GPUs 0 to 7"),
        ([([-1], {"1g.10gb": 7})], "out of range"),
        ([([0, 1], {"1g.10gb": 7}), ([1], {"7g.80gb": 1})], "GPU index 1 is given two layouts"),
    ],
)
def test_a_gpu_is_laid_out_once(devices: list[tuple[list[int], dict[str, int]]], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Layout.by_index(devices, 8)


# GPU feature discovery: (sharing, GPUs, gpu.count, gpu.replicas, gpu.sharing-strategy)
LABELS = [
    (Sharing(), 8, "8", "1", "none"),
    (Sharing(Kind.TIME_SLICING, 4), 2, "2", "4", "time-slicing"),
    (Sharing(Kind.TIME_SLICING, 4, rename=True), 2, "2", "4", "time-slicing"),
    (Sharing(Kind.MPS, 3), 2, "2", "3", "mps"),
    (mig(Strategy.SINGLE, *named(A100, 2, "all-1g.5gb")), 2, "14", "1", "none"),
    (mig(Strategy.SINGLE, *named(A100, 2, "all-disabled")), 2, "2", "1", "none"),
    (mig(Strategy.MIXED, *named(A100, 2, "all-1g.5gb")), 2, "2", "0", "none"),
    (mig(Strategy.MIXED, Layout.by_index([([0], {"1g.5gb": 7})], 2)), 2, "2", "1", "none"),
]


@pytest.mark.parametrize(("sharing", "count", "gpus", "replicas", "strategy"), LABELS)
def test_the_labels_of_a_node_say_how_its_gpus_are_shared(
    sharing: Sharing, count: int, gpus: str, replicas: str, strategy: str
) -> None:
    (offer,) = offered(A100, count, GPU, sharing)
    found = {key.removeprefix("nvidia.com/gpu."): value for key, value in offer.labels.items()}

    assert (found["count"], found["replicas"], found["sharing-strategy"]) == (gpus, replicas, strategy)
    assert "product" not in found


def test_the_labels_of_a_mig_node_name_its_layout_and_count_its_slices() -> None:
    (offer,) = offered(A100, 2, GPU, mig(Strategy.MIXED, *named(A100, 2, "all-2g.10gb")))

    assert offer.labels.only(
        ["nvidia.com/mig.config", "nvidia.com/mig.strategy", "nvidia.com/mig.capable", "nvidia.com/mig-2g.10gb.count"]
    ) == {
        "nvidia.com/mig.config": "all-2g.10gb",
        "nvidia.com/mig.strategy": "mixed",
        "nvidia.com/mig.capable": "true",
        "nvidia.com/mig-2g.10gb.count": "6",
    }


@pytest.mark.parametrize(("gpu", "capable"), [(T4, "false"), (A100, "true"), (None, None)])
def test_mig_capable_is_said_of_models_that_are_known(gpu: GpuModel | None, capable: str | None) -> None:
    (offer,) = offered(gpu, 1, GPU, Sharing())

    assert offer.labels.get("nvidia.com/mig.capable") == capable


def test_allocatable_is_count_times_replicas_unless_sliced() -> None:
    for sharing in (Sharing(), Sharing(Kind.TIME_SLICING, 5), Sharing(Kind.MPS, 7)):
        (offer,) = offered(T4, 3, GPU, sharing)
        count, replicas = offer.labels["nvidia.com/gpu.count"], offer.labels["nvidia.com/gpu.replicas"]

        assert dict(offer.resources)[GPU] == int(count) * int(replicas)


CHOICES = offered(
    A100, 2, GPU, mig(Strategy.MIXED, *named(A100, 2, "all-1g.5gb", "all-3g.20gb", "all-balanced", "all-disabled"))
)
SMALL = {"nvidia.com/mig-1g.5gb": 14}
LARGE = {"nvidia.com/mig-3g.20gb": 4}


def config(name: str, state: str | None = "success") -> dict[str, str]:
    labels = {"nvidia.com/mig.config": name}
    return labels | ({"nvidia.com/mig.config.state": state} if state else {})


OBSERVED = [
    ("resources alone", SMALL, {}, "all-1g.5gb"),
    ("resources and label agree", SMALL, config("all-1g.5gb"), "all-1g.5gb"),
    ("resources and label without a state agree", LARGE, config("all-3g.20gb", None), "all-3g.20gb"),
    ("the old success after a new label", SMALL, config("all-3g.20gb"), None),
    ("whole GPUs before the layout is applied", {GPU: 2}, config("all-1g.5gb", None), None),
    ("whole GPUs that are wanted", {GPU: 2}, config("all-disabled"), "all-disabled"),
    ("whole GPUs, no label", {GPU: 2}, {}, "all-disabled"),
    ("change under way", SMALL, config("all-1g.5gb", "pending"), None),
    ("reboot under way", {}, config("all-1g.5gb", "rebooting"), None),
    ("change failed", SMALL, config("all-3g.20gb", "failed"), None),
    ("a slice is sick", {"nvidia.com/mig-1g.5gb": 13}, config("all-1g.5gb"), "all-1g.5gb"),
    ("a slice is sick, no label", {"nvidia.com/mig-1g.5gb": 13}, {}, None),
    ("plugin away, everything at zero", {"nvidia.com/mig-1g.5gb": 0}, config("all-1g.5gb"), None),
    ("another layout than any declared", {"nvidia.com/mig-2g.10gb": 6}, {}, None),
    ("a declared layout and more", {**SMALL, "nvidia.com/mig-7g.40gb": 1}, config("all-1g.5gb"), None),
    ("a label that no layout declares", SMALL, config("custom"), "all-1g.5gb"),
    ("other resources do not matter", {**SMALL, "cpu": 96000, "rdma/shared": 8}, {}, "all-1g.5gb"),
]


@pytest.mark.parametrize(("what", "there", "labels", "layout"), OBSERVED, ids=[row[0] for row in OBSERVED])
def test_the_layout_of_a_real_node(
    what: str, there: Mapping[str, int], labels: Mapping[str, str], layout: str | None
) -> None:
    found = observed_layout(CHOICES, tuple(sorted(there.items())), labels)

    assert (found.layout_name if found else None) == layout, what


def test_every_offer_is_observed_as_itself() -> None:
    for offer in CHOICES:
        node: Amounts = amounts([*offer.resources, ("cpu", 96000)])

        assert observed_layout(CHOICES, node, offer.labels) is offer
        assert observed_layout(CHOICES[::-1], node, {}) is offer
