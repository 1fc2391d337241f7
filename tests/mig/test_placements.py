"""Which instances one GPU can hold, and at which starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.catalog import GpuModel, MigProfile
from autoscaler.scheduling.mig import (
    Counts,
    Placed,
    best_start,
    compute_slices,
    fits,
    layout_problem,
    maximal_layouts,
    placements,
)
from providers.catalog.catalog import load_catalog

CATALOG = load_catalog()
SEVEN_SLICES = (
    "A100-40GB A100-80GB H100-80GB H100-94GB H100-96GB H200-141GB GH200-144GB B200-180GB B300-269GB GB200-186GB "
    "GB300-278GB"
)


def model(name: str) -> GpuModel:
    found = CATALOG.gpu_model(name)
    assert found is not None
    return found


def without(gpu: GpuModel, *names: str) -> GpuModel:
    """The model with some of its profiles taken away."""
    kept = tuple(p for p in gpu.profiles if p.name not in names)
    return GpuModel(gpu.id, gpu.product_names, gpu.memory_gb, gpu.compute_slices, gpu.memory_slices, kept)


def plain(gpu: GpuModel) -> GpuModel:
    return without(gpu, *(p.name for p in gpu.profiles if p.attributes))


def placed_states(gpu: GpuModel) -> set[Placed]:
    """Everything that can be reached by placing one instance after another, the empty GPU included."""
    seen: set[Placed] = {()}
    todo: list[Placed] = [()]
    while todo:
        placed = todo.pop()
        for profile in gpu.profiles:
            for start in fits(gpu, placed, profile.name):
                grown = tuple(sorted((*placed, (profile.name, start)), key=lambda i: (i[1], i[0])))
                if grown not in seen:
                    seen.add(grown)
                    todo.append(grown)
    return seen


def is_maximal(gpu: GpuModel, placed: Placed) -> bool:
    return not any(fits(gpu, placed, p.name) for p in gpu.profiles)


def counted(placed: Placed) -> Counts:
    names = [name for name, _ in placed]
    return tuple(sorted((name, names.count(name)) for name in set(names)))


# Derived by enumeration from the MIG User Guide's starts: states, maximal states, combinations, maximal combinations.
NUMBERS = [
    ("A100-40GB", (), (723, 78, 78, 28)),
    ("H100-80GB", (), (723, 78, 78, 28)),
    ("A100-40GB", ("1g.10gb",), (298, 19, 38, 12)),
    ("A30", (), (26, 5, 10, 4)),
    ("RTX-PRO-6000-Blackwell-96GB", (), (26, 5, 10, 4)),
]


@pytest.mark.parametrize(("name", "left_out", "numbers"), NUMBERS)
def test_the_states_of_a_gpu_are_as_many_as_its_starts_allow(
    name: str, left_out: tuple[str, ...], numbers: tuple[int, int, int, int]
) -> None:
    gpu = without(plain(model(name)), *left_out)
    states = placed_states(gpu)

    assert (
        len(states),
        sum(is_maximal(gpu, s) for s in states),
        len({counted(s) for s in states}),
        len(maximal_layouts(gpu)),
    ) == numbers


@pytest.mark.parametrize("name", SEVEN_SLICES.split())
def test_every_gpu_of_seven_slices_has_28_maximal_layouts(name: str) -> None:
    assert len(maximal_layouts(model(name))) == 28


FACTS = Path(__file__).resolve().parents[3] / "shared" / "facts" / "mig-profiles.yaml"


@pytest.mark.skipif(not FACTS.exists(), reason="../shared with the collected MIG facts is not here")
def test_the_maximal_layouts_are_those_that_the_collected_facts_derive() -> None:
    derived = {
        gpu["id"]: gpu["derived"]["maximal_combinations"]
        for gpu in yaml.safe_load(FACTS.read_text(encoding="utf-8"))["gpus"]
        if "derived" in gpu
    }

    assert len(derived) == 13
    for name, combinations in derived.items():
        found = {tuple(sorted(counts.items())) for counts in maximal_layouts(model(name))}
        assert found == {tuple(sorted(counts.items())) for counts in combinations}, name


def test_the_maximal_layouts_of_an_a30_are_these() -> None:
    assert maximal_layouts(model("A30")) == (
        {"4g.24gb": 1},
        {"2g.12gb": 2},
        {"2g.12gb": 1, "1g.6gb": 2},
        {"1g.6gb": 4},
    )


# nebuly/nos lists 12 combinations for an A100-40GB and leaves out the first two here, which are valid.
VALID = [
    ("A100-40GB", {"4g.20gb": 1, "3g.20gb": 1}),
    ("A100-40GB", {"3g.20gb": 1, "1g.5gb": 4}),
    ("A100-40GB", {"2g.10gb": 2, "1g.5gb": 3}),  # missing from the guide's figure, reachable
    ("A100-40GB", {"1g.10gb": 4}),
    ("A100-40GB", {"1g.5gb": 7}),
    ("A100-40GB", {"1g.5gb": 6, "1g.5gb+me": 1}),
    ("A100-40GB", {"1g.5gb.me": 1, "7g.40gb": 0}),
    ("A100-80GB", {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}),
    ("A30", {"2g.12gb+me": 1, "1g.6gb": 2}),
    ("RTX-PRO-6000-Blackwell-96GB", {"1g.24gb+me.all": 1, "1g.24gb-me": 3}),
    ("RTX-PRO-6000-Blackwell-96GB", {"2g.48gb+gfx": 1, "1g.24gb": 2}),
    ("RTX-PRO-5000-Blackwell-48GB", {"1g.24gb": 1, "1g.24gb+gfx": 1}),
]
INVALID = [
    ("A100-40GB", {"3g.20gb": 2, "1g.5gb": 1}, "do not fit its 8 memory slices"),
    ("A100-40GB", {"4g.20gb": 1, "1g.10gb": 3}, "do not fit"),
    ("A100-40GB", {"1g.10gb": 4, "1g.5gb": 1}, "do not fit"),
    ("A100-40GB", {"2g.10gb": 3, "1g.5gb": 2}, "need 8 compute slices and A100-40GB has 7"),
    ("A100-40GB", {"1g.10gb": 7}, "at most 4 x 1g.10gb, not 7"),
    ("A100-40GB", {"1g.5gb+me": 2}, "at most 1 x 1g.5gb+me, not 2"),
    ("A100-80GB", {"1g.5gb": 7}, "no MIG profile 1g.5gb (did you mean 1g.10gb?)"),
    ("A30", {"2g.12gb+me": 1, "1g.6gb+me": 1}, "media extensions (+me) for one instance only"),
    ("A30", {"1g.6gb": -1}, "cannot be negative"),
    ("A30", {}, "use the layout all-disabled"),
    ("A30", {"1g.6gb": 0}, "use the layout all-disabled"),
    ("RTX-PRO-6000-Blackwell-96GB", {"1g.24gb+me.all": 1, "1g.24gb": 1}, "only instances with -me"),
    ("RTX-PRO-6000-Blackwell-96GB", {"1g.24gb+me.all": 1, "2g.48gb+me.all": 1}, "only instances with -me"),
    ("RTX-PRO-6000-Blackwell-96GB", {"2g.48gb": 2, "1g.24gb": 1}, "need 5 compute slices"),
    ("RTX-PRO-5000-Blackwell-48GB", {"1g.24gb": 3}, "at most 2 x 1g.24gb"),
    ("RTX-PRO-5000-Blackwell-48GB", {"2g.48gb": 1, "1g.24gb": 1}, "need 3 compute slices and"),
    ("T4", {"1g.5gb": 1}, "T4 has no MIG"),
]


@pytest.mark.parametrize(("name", "counts"), VALID)
def test_a_layout_that_can_be_placed_is_accepted(name: str, counts: Mapping[str, int]) -> None:
    assert layout_problem(model(name), counts) is None


@pytest.mark.parametrize(("name", "counts", "says"), INVALID)
def test_a_layout_that_cannot_be_placed_is_refused_and_says_why(
    name: str, counts: Mapping[str, int], says: str
) -> None:
    problem = layout_problem(model(name), counts)

    assert problem is not None
    assert says in problem
    assert "\n" not in problem
    assert not placements(model(name), counts)


PLACEMENTS = [
    ({"3g.20gb": 1, "1g.5gb": 4}, (("1g.5gb", 0), ("1g.5gb", 1), ("1g.5gb", 2), ("1g.5gb", 3), ("3g.20gb", 4))),
    ({"4g.20gb": 1, "3g.20gb": 1}, (("4g.20gb", 0), ("3g.20gb", 4))),
    ({"2g.10gb": 3, "1g.10gb": 1}, (("2g.10gb", 0), ("2g.10gb", 2), ("2g.10gb", 4), ("1g.10gb", 6))),
    ({}, ()),
    ({"3g.20gb": 2, "1g.5gb": 1}, None),
    ({"9g.90gb": 1}, None),
]


@pytest.mark.parametrize(("counts", "placed"), PLACEMENTS)
def test_a_placement_is_found_wherever_there_is_one(counts: Mapping[str, int], placed: Placed | None) -> None:
    assert placements(model("A100-40GB"), counts) == placed


def test_a_model_whose_starts_are_unknown_has_no_placement_but_may_have_the_layout() -> None:
    gpu = model("RTX-PRO-5000-Blackwell-48GB")

    assert placements(gpu, {"1g.24gb": 2}) is None
    assert layout_problem(gpu, {"1g.24gb": 2}) is None
    assert fits(gpu, (), "1g.24gb") == ()
    assert compute_slices(gpu) == 2
    assert maximal_layouts(gpu) == ({"2g.48gb": 1}, {"1g.24gb": 2})


FITS = [
    ((), "3g.20gb", (0, 4)),
    ((("1g.5gb", 0), ("1g.5gb", 2), ("1g.5gb", 4)), "3g.20gb", ()),
    ((("1g.5gb", 0), ("1g.5gb", 1)), "3g.20gb", (4,)),
    ((("3g.20gb", 0), ("3g.20gb", 4)), "1g.5gb", ()),  # a compute slice is left, no memory
    ((("4g.20gb", 0),), "4g.20gb", ()),
    ((("1g.5gb+me", 3),), "1g.5gb+me", ()),
    ((("7g.40gb", 0),), "1g.5gb", ()),
    ((("1g.10gb", 6),), "1g.5gb", (0, 1, 2, 3, 4, 5)),
    ((("1g.5gb", 6),), "1g.10gb", (0, 2, 4)),
]


@pytest.mark.parametrize(("placed", "profile", "starts"), FITS)
def test_the_legal_starts_beside_what_is_placed(placed: Placed, profile: str, starts: tuple[int, ...]) -> None:
    assert fits(model("A100-40GB"), placed, profile) == starts


def test_a_start_for_a_profile_of_another_model_is_an_error() -> None:
    with pytest.raises(KeyError, match=r"A100-80GB has no MIG profile 1g\.5gb"):
        fits(model("A100-80GB"), (), "1g.5gb")


def placed_in_turn(gpu: GpuModel, profiles: list[str]) -> list[int | None]:
    placed: Placed = ()
    starts = []
    for name in profiles:
        start = best_start(gpu, placed, name)
        starts.append(start)
        if start is not None:
            placed = (*placed, (name, start))
    return starts


BEST = [
    ("A100-40GB", ["1g.5gb"] * 8, [6, 5, 4, 3, 2, 1, 0, None]),  # 4g and 3g at 0 stay possible for longest
    ("A100-40GB", ["1g.5gb", "1g.5gb", "3g.20gb", "1g.5gb"], [6, 5, 0, 4]),
    ("A100-40GB", ["3g.20gb", "4g.20gb"], [4, 0]),
    ("A100-40GB", ["2g.10gb", "4g.20gb", "1g.5gb"], [4, 0, 6]),
    ("A30", ["1g.6gb", "2g.12gb", "1g.6gb"], [3, 0, 2]),
]


@pytest.mark.parametrize(("name", "profiles", "starts"), BEST)
def test_an_instance_goes_where_the_most_stays_possible(
    name: str, profiles: list[str], starts: list[int | None]
) -> None:
    assert placed_in_turn(model(name), profiles) == starts


MIG_MODELS = [m for name in CATALOG.gpu_model_names() if (m := CATALOG.gpu_model(name)) and m.profiles]
WITH_STARTS = [m for m in MIG_MODELS if m.profiles[0].starts is not None]


@st.composite
def model_and_counts(draw: st.DrawFn) -> tuple[GpuModel, dict[str, int]]:
    gpu = draw(st.sampled_from(WITH_STARTS))
    names = st.sampled_from([p.name for p in gpu.profiles])
    return gpu, draw(st.dictionaries(names, st.integers(0, 4), max_size=4))


def covered(gpu: GpuModel, placed: Placed) -> list[int]:
    units: list[int] = []
    for name, start in placed:
        profile = gpu.profile(name)
        assert profile is not None
        assert profile.memory_slices is not None
        assert start in (profile.starts or ())
        units += range(start, start + profile.memory_slices)
    return units


@settings(max_examples=150, deadline=None)
@given(model_and_counts())
def test_a_placement_holds_the_instances_asked_for_on_units_of_their_own(case: tuple[GpuModel, dict[str, int]]) -> None:
    gpu, counts = case
    placed = placements(gpu, counts)
    if placed is None:
        return
    units = covered(gpu, placed)

    assert dict(counted(placed)) == {name: n for name, n in counts.items() if n}
    assert len(units) == len(set(units))
    assert max(units, default=0) < (gpu.memory_slices or 0)


@settings(max_examples=150, deadline=None)
@given(model_and_counts())
def test_a_layout_is_valid_exactly_if_it_has_instances_and_a_placement(case: tuple[GpuModel, dict[str, int]]) -> None:
    gpu, counts = case
    expected = any(counts.values()) and placements(gpu, counts) is not None

    assert (layout_problem(gpu, counts) is None) == expected


@settings(max_examples=60, deadline=None)
@given(model_and_counts())
def test_less_than_a_valid_layout_is_valid(case: tuple[GpuModel, dict[str, int]]) -> None:
    gpu, counts = case
    if placements(gpu, counts) is None:
        return

    for name in counts:
        assert placements(gpu, {**counts, name: max(0, counts[name] - 1)}) is not None


def test_a_search_finds_what_placing_in_every_order_finds() -> None:
    gpu = plain(model("A100-80GB"))
    reachable = {counted(s) for s in placed_states(gpu)}
    every = {
        tuple(sorted((name, n) for name, n in zip((p.name for p in gpu.profiles), numbers, strict=True) if n))
        for numbers in _up_to([p.max_count for p in gpu.profiles])
    }

    assert {counts for counts in every if placements(gpu, dict(counts)) is not None} == reachable


def _up_to(maxima: list[int]) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [()]
    for highest in maxima:
        found = [(*head, n) for head in found for n in range(highest + 1)]
    return found


def test_a_profile_of_unknown_size_is_never_placed() -> None:
    odd = MigProfile("1g.1gb", "nvidia.com/mig-1g.1gb", 1, None, 1, None)

    assert placements(GpuModel("X", profiles=(odd,)), {"1g.1gb": 1}) is None
