"""Names of MIG layouts, and what one GPU of a model offers under each.

Since gpu-operator v26.3 mig-parted makes the configuration on the node from what NVML reports: `all-<profile>` for each
profile at its maximum (`+` becomes `.`), `all-balanced`, `all-disabled`, `all-enabled`. The static default
configuration that it falls back to agrees where both apply, but leaves models out (an H200 NVL has no
`all-1g.35gb`) and has counts that are too large for some; so the profile rule comes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autoscaler.model.catalog import GpuModel
from autoscaler.model.mig import Counts, counts_of, layout_problem

DISABLED, ENABLED = "all-disabled", "all-enabled"
PREFIX = "all-"


class Layouts:
    """Layout names resolved for GPU models."""

    def __init__(
        self,
        rules: Mapping[str, Sequence[Any]],
        devices: Mapping[str, frozenset[str]],
        models: Sequence[GpuModel],
    ) -> None:
        """`rules`: as in mig-layouts.json. `devices`: PCI device ids (`0X20B2`) of each model id."""
        self._rules = rules
        self._devices = devices
        self._models = tuple(model for model in models if model.profiles)

    def find(self, name: str, model: GpuModel) -> Counts | None:
        """Counts for one GPU, () for whole GPUs; None for a name that does not apply."""
        if not model.profiles:
            return None
        if name == DISABLED:
            return ()
        profile = None if "+" in name else model.profile(name.removeprefix(PREFIX))
        if profile is not None and name.startswith(PREFIX):
            return ((profile.name, profile.max_count),)
        for filters, enabled, counts in self._rules.get(name, ()):
            if enabled and counts and self._applies(filters, model) and layout_problem(model, counts) is None:
                return counts_of(counts)
        return None

    def _applies(self, filters: Sequence[str] | None, model: GpuModel) -> bool:
        """True if a `device-filter` (`0x20B210DE`: device, then vendor) names the model; without one it names all."""
        return filters is None or any(f.upper()[:6] in self._devices.get(model.id, ()) for f in filters)

    def names(self, model: GpuModel) -> tuple[str, ...]:
        """Every name that applies to the model, sorted."""
        made = (PREFIX + profile.name.replace("+", ".") for profile in model.profiles)
        candidates = {DISABLED, *self._rules, *made}
        return tuple(name for name in sorted(candidates) if self.find(name, model) is not None)

    def problem(self, name: str, model: GpuModel) -> str | None:
        """Why a name does not apply to the model, in one sentence with the way out; None if it does."""
        if not model.profiles:
            return layout_problem(model, {})
        if self.find(name, model) is not None:
            return None
        if name == ENABLED:
            return (
                f"{ENABLED} turns MIG on without instances, so that a node offers no GPU; use {DISABLED} for whole GPUs"
            )
        others = [m.id for m in self._models if self.find(name, m) is not None]
        if others:
            return f"layout {name} is for {' and '.join(others[:3])}, not for {model.id}; it has {self._list(model)}"
        return f"there is no layout {name}{self._similar(name, model)}; {model.id} has {self._list(model)}"

    def _list(self, model: GpuModel) -> str:
        return ", ".join(self.names(model))

    def _similar(self, name: str, model: GpuModel) -> str:
        from difflib import get_close_matches  # only where something is wrong

        near = get_close_matches(name.replace("+", "."), self.names(model), n=1)
        return f" (did you mean {near[0]}?)" if near else ""
