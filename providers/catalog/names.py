"""The many names of one GPU model, and what to say where a name is not known.

The same silicon is `A100-80GB` in a policy, `NVIDIA A100-SXM4-80GB` to NVML, `NVIDIA-A100-SXM4-80GB-SHARED` or
`...-MIG-1g.10gb` in GPU feature discovery's label, `nvidia-a100-80gb` on GKE and `A100 80GB` in a price list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from autoscaler.model.catalog import GpuModel

# GPU feature discovery appends these to the product name (k8s-device-plugin, internal/lm/resource.go).
SUFFIX = re.compile(r"(-mig-.*|-shared)$", re.IGNORECASE)
VENDORS = re.compile(r"^(nvidia|tesla|amd|instinct|aws|habana|intel|google)(?![a-z])")
UNREADABLE = re.compile(r"[/(]")  # two names in one, or a remark: such names are listed one by one in gpu-names.csv


def key(name: str) -> str:
    """What of a name counts: lower case, without vendor, suffixes, blanks and signs."""
    text = name.strip().lower()
    while (shorter := SUFFIX.sub("", text)) != text:
        text = shorter
    while (shorter := VENDORS.sub("", text).lstrip(" -")) != text:
        text = shorter
    return re.sub(r"[^a-z0-9]", "", text)


def did_you_mean(name: str, known: Iterable[str], names_max: int) -> str:
    """` (did you mean X or Y?)` with up to `names_max` names, or ""."""
    from difflib import get_close_matches  # only where something is wrong

    by_key = {key(one): one for one in sorted(known, reverse=True)}
    wanted = key(name)
    starting = [by_key[k] for k in sorted(by_key) if wanted and k.startswith(wanted)]
    near = starting or [by_key[k] for k in get_close_matches(wanted, sorted(by_key), n=names_max, cutoff=0.8)]
    return f" (did you mean {' or '.join(near[:names_max])}?)" if near else ""


class GpuNames:
    """Names to model ids. An id or product name always means its model; a name that is sold as several means none,
    unless gpu-names.csv lists it as it is.
    """

    def __init__(
        self,
        models: Sequence[GpuModel],
        listed: Iterable[tuple[str, str]],
        sold_as: Iterable[tuple[str, str]],
    ) -> None:
        """`listed`: further (name, id). `sold_as`: (accelerator name of an instance type, id), the weakest."""
        self._models = tuple(models)
        self._exact = {name.lower(): id_ for name, id_ in listed}
        self._sold_as = tuple(sold_as)

    def find(self, name: str) -> str | None:
        """The id of the model, or None."""
        return self._exact.get(name.lower()) or self._by_key.get(key(name))

    def problem(self, name: str) -> str | None:
        """Why a name means no model, in one sentence with the way out."""
        if self.find(name):
            return None
        ids = sorted(model.id for model in self._models)
        sizes = [id_ for id_ in ids if id_.startswith(f"{name.upper()}-")]
        if len(sizes) > 1:
            return f"{name} is the name of several GPU models; write {' or '.join(sizes)}"
        return f"GPU model {name or '(empty)'} is not in the catalog{did_you_mean(name, ids, names_max=2)}"

    @cached_property
    def _by_key(self) -> dict[str, str]:
        found: dict[str, set[str]] = {}
        for name, id_ in self._sold_as:
            found.setdefault(key(name), set()).add(id_)
        unique = {k: next(iter(ids)) for k, ids in found.items() if len(ids) == 1}
        shared = found.keys() - unique.keys()
        for name, id_ in self._exact.items():
            if key(name) not in shared:  # GKE's nvidia-tesla-a100 is not every A100
                unique[key(name)] = id_
        for model in self._models:
            for name in model.product_names:
                if not UNREADABLE.search(name):
                    unique[key(name)] = model.id
        return unique | {key(model.id): model.id for model in self._models}
