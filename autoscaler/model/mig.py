"""MIG geometry: which instances one GPU can hold at the same time.

A GPU is a grid of placement units (8 on the 7-slice family, 4 on the A30, 12 on the RTX PRO 6000). An instance of a
profile covers `memory_slices` units from one of the profile's allowed starts. A set of instances is valid if they do
not overlap, no profile is above its `max_count`, the compute slices suffice and the media engines are not promised
twice. Sums of "g" are not enough: a third 1g at unit 4 blocks every 3g there. Source: NVIDIA MIG User Guide,
"Supported MIG Profiles"; starts as `nvidia-smi mig -lgipp` prints them.

Where the starts of a model are not known, `max_count` and the compute slices alone decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from autoscaler.model.catalog import GpuModel, MigProfile

Counts = tuple[tuple[str, int], ...]
"""Profile name and number of instances on one GPU, sorted by name, no zeros; () is a whole GPU."""

Placed = tuple[tuple[str, int], ...]
"""Profile name and first unit of each instance, sorted by unit."""

# Profiles with one of these are variants of a profile that has the same size.
MEDIA, ALL_MEDIA, NO_MEDIA = "me", "me.all", "no-me"


def counts_of(items: Mapping[str, int] | Iterable[tuple[str, int]]) -> Counts:
    """Sorted by name, without zeros."""
    pairs = items.items() if isinstance(items, Mapping) else items
    return tuple(sorted((name, number) for name, number in pairs if number))


def resource_name(profile: str) -> str:
    """The extended resource of a profile under strategy mixed: `+` becomes `.`, a trailing `-me` stays.

    Source: k8s-device-plugin, internal/rm.
    """
    return f"nvidia.com/mig-{profile.replace('+', '.')}"


def has_known_starts(model: GpuModel) -> bool:
    """True if the placements of the model's profiles are known."""
    return bool(model.profiles) and all(p.starts is not None for p in model.profiles)


def compute_slices(model: GpuModel) -> int:
    """Compute slices of the GPU; where they are not published, what its profiles reach at their maximum."""
    if model.compute_slices is not None:
        return model.compute_slices
    return max((p.compute_slices * p.max_count for p in model.profiles), default=0)


def placements(model: GpuModel, counts: Mapping[str, int]) -> Placed | None:
    """A valid placement of these instances on one GPU, the same one every time.

    None if there is none, if a profile is not the model's, or if the model's starts are not known.
    """
    if not has_known_starts(model):
        return None
    instances = _profiles(model, counts)
    if instances is None or _refusal(model, instances) is not None:
        return None
    return _search(model, tuple(sorted(counts_of((p.name, n) for p, n in instances.items()))))


def fits(model: GpuModel, placed: Placed, profile: str) -> tuple[int, ...]:
    """The legal starts of one more instance beside those that are placed; () if there are none or none is known.

    Raises KeyError for a name that is not a profile of the model.
    """
    new = _named(model, profile)
    held = [_named(model, name) for name, _ in placed]
    instances = {p: held.count(p) for p in held}
    instances[new] = instances.get(new, 0) + 1
    if new.starts is None or _refusal(model, instances) is not None:
        return ()
    taken = 0
    for one, (_, start) in zip(held, placed, strict=True):
        taken |= _units(one, start)
    return tuple(start for start in new.starts if not taken & _units(new, start))


def layout_problem(model: GpuModel, counts: Mapping[str, int]) -> str | None:
    """Why one GPU of this model cannot be laid out so, in one sentence with the way out; None if it can."""
    if not model.profiles:
        return f"{model.id} has no MIG; leave `sharing.mig` out, or use timeSlicing or mps"
    for name, number in sorted(counts.items()):
        if model.profile(name) is None:
            return f"{model.id} has no MIG profile {name}{_similar(name, model)}; it has {_list(_names(model))}"
        if number < 0:
            return f"{number} instances of {name}: the number of instances cannot be negative"
    instances = _profiles(model, counts) or {}
    if not instances:
        return "MIG without instances offers no GPU at all; use the layout all-disabled for whole GPUs"
    refusal = _refusal(model, instances)
    if refusal is None and has_known_starts(model) and placements(model, counts) is None:
        text = " + ".join(f"{n} x {p.name}" for p, n in instances.items())
        refusal = f"{model.id} cannot hold {text} at once: they do not fit its {model.memory_slices} memory slices"
    return refusal


def _profiles(model: GpuModel, counts: Mapping[str, int]) -> dict[MigProfile, int] | None:
    """Instances by profile, names resolved and sorted; None if a name is not the model's."""
    found: dict[MigProfile, int] = {}
    for name, number in sorted(counts.items()):
        profile = model.profile(name)
        if profile is None or number < 0:
            return None
        if number:
            found[profile] = found.get(profile, 0) + number
    return found


def _refusal(model: GpuModel, instances: Mapping[MigProfile, int]) -> str | None:
    """The rule that these instances break wherever they are placed, or None."""
    for profile, number in instances.items():
        if number > profile.max_count:
            return f"{model.id} holds at most {profile.max_count} x {profile.name}, not {number}"
    wanted = sum(p.compute_slices * n for p, n in instances.items())
    if wanted > compute_slices(model):
        return f"the instances need {wanted} compute slices and {model.id} has {compute_slices(model)}"
    # Media engines: one instance with `+me`; beside one with `+me.all` every other must do without.
    if sum(n for p, n in instances.items() if MEDIA in p.attributes) > 1:
        return f"{model.id} has media extensions (+me) for one instance only"
    everything = sum(n for p, n in instances.items() if ALL_MEDIA in p.attributes)
    without = sum(n for p, n in instances.items() if NO_MEDIA in p.attributes)
    if everything > 1 or (everything and everything + without < sum(instances.values())):
        return f"beside an instance with all media engines (+me.all) {model.id} holds only instances with -me"
    return None


@lru_cache(maxsize=4096)
def _search(model: GpuModel, counts: Counts) -> Placed | None:
    """Exact: the largest instances first, starts in ascending order, equal instances in ascending order."""
    profiles = [_named(model, name) for name, number in counts for _ in range(number)]
    order = sorted(profiles, key=lambda p: (-(p.memory_slices or 0), len(p.starts or ()), p.name))
    found = _place(order, 0, [])
    return None if found is None else tuple(sorted(found, key=lambda instance: (instance[1], instance[0])))


def _place(order: Sequence[MigProfile], taken: int, placed: list[tuple[str, int]]) -> list[tuple[str, int]] | None:
    if len(placed) == len(order):
        return placed
    profile = order[len(placed)]
    after = placed[-1][1] if placed and placed[-1][0] == profile.name else -1
    for start in profile.starts or ():
        units = _units(profile, start)
        if start > after and not taken & units:
            found = _place(order, taken | units, [*placed, (profile.name, start)])
            if found is not None:
                return found
    return None


def _units(profile: MigProfile, start: int) -> int:
    """The units that an instance covers, as bits."""
    return ((1 << (profile.memory_slices or 0)) - 1) << start


def _named(model: GpuModel, name: str) -> MigProfile:
    profile = model.profile(name)
    if profile is None:
        raise KeyError(f"{model.id} has no MIG profile {name}")
    return profile


def _names(model: GpuModel) -> tuple[str, ...]:
    return tuple(p.name for p in model.profiles)


def _similar(name: str, model: GpuModel) -> str:
    """A profile with as many compute slices, the smallest first: `1g.5gb` on a larger GPU was meant as its 1g."""
    near = [p.name for p in model.profiles if p.name.split("g.")[0] == name.split("g.")[0]]
    return f" (did you mean {near[0]}?)" if near else ""


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)
