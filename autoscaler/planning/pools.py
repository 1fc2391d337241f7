"""Pools as decisions read them: the policy file with the catalog resolved, every new node's shape spelled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autoscaler.model.labels import NO_LABELS, Labels
from autoscaler.model.nodes import Taint
from autoscaler.model.resources import NO_AMOUNTS, Amounts


@dataclass(frozen=True, slots=True)
class Template:
    """What a new node of one group (and one MIG layout) offers once it is ready.

    `allocatable` includes `pods` and is before DaemonSets; `labels` lacks only the hostname, `declared_labels` are
    the keys of those that the policy names; `startup_taints` are gone by then and not in `taints`. `accelerators` are
    the names in `allocatable` that count accelerators, `gpus` the physical devices. `usd_per_hour` None: the price is
    not known. `zone` "" for a group over several zones.
    """

    pool: str
    group: str
    zone: str = ""
    layout: str | None = None
    labels: Labels = NO_LABELS
    declared_labels: frozenset[str] = frozenset()
    taints: tuple[Taint, ...] = ()
    startup_taints: tuple[Taint, ...] = ()
    allocatable: Amounts = NO_AMOUNTS
    refuses_above_one: frozenset[str] = frozenset()
    accelerators: frozenset[str] = frozenset()
    gpus: int = 0
    instance_type: str = ""
    capacity_type: str = "on-demand"
    usd_per_hour: float | None = None


@dataclass(frozen=True, slots=True)
class ScaleUpRules:
    """Deadlines and limits of growth; durations in seconds."""

    batch_window_s: float = 0.0
    registration_timeout_s: float = 900.0
    initialization_timeout_s: float = 1200.0
    failure_limit: int = 3
    backoff_initial_s: float = 300.0
    backoff_max_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class ScaleDownRules:
    """When a node of the pool may go; `threshold` as a fraction of 1, durations in seconds."""

    enabled: bool = True
    idle_cooldown_s: float = 600.0
    cooldown_after_scale_up_s: float = 0.0
    utilization: str = "gpu"
    threshold: float = 0.0
    protect_jobs: bool = True
    system_pods: str = "move"
    drain_timeout_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class SpotRules:
    """How a spot pool shares work with its on-demand fallbacks; `max_share` as a fraction of 1."""

    fallback: tuple[str, ...] = ()
    on_demand_base: int = 0
    max_share: float = 1.0


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool of nodes of one shape. `warm_buffer` is the policy's own block (None: no buffer), read by
    `policies.buffers`. `problem`: why the pool cannot be used as configured, or "".
    """

    name: str
    templates: tuple[Template, ...]
    groups: tuple[str, ...]
    capacity_type: str = "on-demand"
    weight: int = 0
    min_nodes: int = 0
    max_nodes: int = 0
    scale_up: ScaleUpRules = ScaleUpRules()
    scale_down: ScaleDownRules = ScaleDownRules()
    spot: SpotRules = SpotRules()
    warm_buffer: Any = None
    problem: str = ""
    _by_group: Mapping[str, tuple[Template, ...]] = field(init=False, repr=False, compare=False)
    _gpus: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Asked for every node and every group of every decision.
        by_group: dict[str, tuple[Template, ...]] = {}
        for template in self.templates:
            by_group[template.group] = (*by_group.get(template.group, ()), template)
        object.__setattr__(self, "_by_group", by_group)
        object.__setattr__(self, "_gpus", max((t.gpus for t in self.templates), default=0))

    @property
    def is_accelerated(self) -> bool:
        """True if its nodes carry accelerators."""
        return any(t.accelerators for t in self.templates)

    @property
    def gpus(self) -> int:
        """Physical accelerators of one node."""
        return self._gpus

    def templates_of(self, group: str) -> tuple[Template, ...]:
        """The templates (one a layout) of one group."""
        return self._by_group.get(group, ())


@dataclass(frozen=True, slots=True)
class ClusterRules:
    """What holds over all pools. Limits are hard and finite; `budgets` is the policy's own list."""

    mode: str = "observe"
    loop_interval_s: float = 10.0
    max_nodes: int = 500
    max_gpus: int = 2000
    max_usd_per_hour: float = 5000.0
    priority_cutoff: int = -10
    ignore_owner_kinds: frozenset[str] = frozenset({"DaemonSet"})
    ignore_labels: tuple[tuple[str, str], ...] = ()
    scheduler_names: frozenset[str] = frozenset()
    accelerator_resources: frozenset[str] = frozenset()
    budgets: Sequence[Any] = ()
    max_parallel_drains: int = 1
    max_unready_nodes: int = 3
    max_unready_share: float = 0.45


@dataclass(frozen=True, slots=True)
class Policies:
    """The compiled policy file; pools sorted by name.

    `derived`: values that others derive from these policies alone and keep for the next decision: a memo,
    never an input.
    """

    cluster: ClusterRules = ClusterRules()
    pools: tuple[Pool, ...] = ()
    by_name: Mapping[str, Pool] = field(default_factory=dict)
    derived: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @classmethod
    def of(cls, cluster: ClusterRules, pools: Sequence[Pool]) -> Policies:
        """Sorted and indexed."""
        ordered = tuple(sorted(pools, key=lambda p: p.name))
        return cls(cluster, ordered, {p.name: p for p in ordered})
