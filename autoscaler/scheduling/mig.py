"""Choosing among MIG placements: where the next instance goes, which layouts a GPU can be given at all.

What is valid is decided by `autoscaler.model.mig`; its functions are offered here too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from autoscaler.model.catalog import GpuModel, MigProfile
from autoscaler.model.mig import (
    Counts,
    Placed,
    compute_slices,
    counts_of,
    fits,
    has_known_starts,
    layout_problem,
    placements,
    resource_name,
)
from autoscaler.model.resources import Amounts, amounts

__all__ = [
    "Counts",
    "Placed",
    "best_start",
    "compute_slices",
    "counts_of",
    "fits",
    "has_known_starts",
    "layout_problem",
    "layout_resources",
    "maximal_layouts",
    "placements",
    "resource_name",
]


def best_start(model: GpuModel, placed: Placed, profile: str) -> int | None:
    """The legal start that leaves the most (profile, start) pairs legal for what may come; the highest of equals.

    None if the instance does not fit. Raises KeyError for a name that is not a profile of the model.
    """
    starts = fits(model, placed, profile)
    if not starts:
        return None
    return max(starts, key=lambda start: (_options(model, _with(placed, profile, start)), start))


def _with(placed: Placed, profile: str, start: int) -> Placed:
    return tuple(sorted((*placed, (profile, start)), key=lambda instance: (instance[1], instance[0])))


def _options(model: GpuModel, placed: Placed) -> int:
    return sum(len(fits(model, placed, p.name)) for p in plain_profiles(model))


def plain_profiles(model: GpuModel) -> tuple[MigProfile, ...]:
    """The profiles without an attribute (`+me`, `+gfx`, `-me`), largest first."""
    plain = (p for p in model.profiles if not p.attributes)
    return tuple(sorted(plain, key=lambda p: (-p.compute_slices, -(p.memory_slices or 0), p.name)))


def maximal_layouts(model: GpuModel) -> tuple[Mapping[str, int], ...]:
    """Every combination of plain profiles on one GPU to which no further instance can be added, largest first.

    Combinations count instances, wherever they are placed. Attribute variants are left out: they take the place of
    a plain profile of their size. () for a model without MIG.
    """
    return tuple(dict(counts) for counts in _maximal(model))


@lru_cache(maxsize=64)
def _maximal(model: GpuModel) -> tuple[Counts, ...]:
    names = [p.name for p in plain_profiles(model)]
    seen: set[Counts] = set()
    maximal: list[dict[str, int]] = []
    todo: list[Counts] = [()]
    while todo:
        counts = todo.pop()
        larger = [counts_of({**dict(counts), name: dict(counts).get(name, 0) + 1}) for name in names]
        possible = [c for c in larger if layout_problem(model, dict(c)) is None]
        if counts and not possible:
            maximal.append(dict(counts))
        todo += [c for c in possible if c not in seen]
        seen.update(possible)
    maximal.sort(key=lambda counts: [-counts.get(name, 0) for name in names])
    return tuple(tuple((name, counts[name]) for name in names if name in counts) for counts in maximal)


def layout_resources(model: GpuModel | None, counts: Mapping[str, int], gpus: int = 1) -> Amounts:
    """What `gpus` GPUs with these instances each offer under strategy mixed: `nvidia.com/mig-<profile>`.

    For a model that is not known the names follow from the profiles' names.
    """
    found: dict[str, int] = {}
    for name, number in counts.items():
        profile = model.profile(name) if model else None
        resource = profile.resource if profile else resource_name(name)
        found[resource] = found.get(resource, 0) + number * gpus
    return amounts(found)
