"""Why a pool does not take a pod: one reason a pool, the one that comes closest to serving it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autoscaler.model.labels import Labels
from autoscaler.model.lazy_numpy import np
from autoscaler.model.memory import NO_MEMORY, Memory
from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.caps import Caps
from autoscaler.planning.futility import quarantined
from autoscaler.planning.pool_health import PoolHealth
from autoscaler.planning.pools import Policies, Pool, Template
from autoscaler.planning.rows import RowMaker
from autoscaler.scheduling.classes import ClassTable, PodClass
from autoscaler.scheduling.fleet import Fleet
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    import numpy.typing as npt


# The order in which filters are asked; a template that fails later is closer to serving the pod.
FILTER_ORDER: tuple[Code, ...] = (
    Code.GPU_POOL_FOR_GPU_PODS,
    Code.NODE_UNSCHEDULABLE,
    Code.NODE_NAME_SET,
    Code.NO_POOL_DECLARES_LABEL,
    Code.TAINT_NOT_TOLERATED,
    Code.NODE_SELECTOR_MISMATCH,
    Code.NODE_AFFINITY_MISMATCH,
    Code.MIG_PROFILE_NOT_OFFERED,
    Code.INSUFFICIENT_RESOURCE,
    Code.SHARED_GPU_REQUEST_TOO_LARGE,
    Code.RESOURCE_CLAIM,
    Code.VOLUME_ZONE,
    Code.VOLUME_LIMIT,
    Code.HOST_PORT,
    Code.TOPOLOGY_SPREAD,
    Code.POD_AFFINITY,
    Code.POD_ANTI_AFFINITY,
)
RANK = {code: rank for rank, code in enumerate(FILTER_ORDER)}


Beside = Callable[[Template], Reason | None]


@dataclass(slots=True)
class Why:
    """Answers for one decision, memoized by class."""

    policies: Policies
    health: Mapping[str, PoolHealth]
    table: ClassTable
    fleet: Fleet
    maker: RowMaker
    accelerated: Sequence[bool]
    held: Mapping[str, float] = field(default_factory=dict)
    memory: Memory = NO_MEMORY
    now: float = 0.0
    positions: Mapping[int, int] = field(init=False)
    _never: dict[tuple[int, int], Reason | None] = field(init=False)
    _takes: dict[int, npt.NDArray[np.bool_]] = field(init=False)
    _labels: dict[tuple[str, str | None], bool] = field(default_factory=dict)
    _plain: dict[int, bool] = field(default_factory=dict)
    _rows: dict[int, Row] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # What an empty node takes follows from the snapshot and the policies alone; it is kept for the next decision.
        derived = self.fleet.snapshot.derived
        kept = derived.get("empty-nodes")
        if kept is None or kept[0] is not self.policies:
            templates = [t for p in self.policies.pools for t in p.templates]
            kept = derived["empty-nodes"] = (self.policies, {}, {}, {id(t): at for at, t in enumerate(templates)})
        _, self._never, self._takes, self.positions = kept

    def never(self, cls: int, template: Template) -> Reason | None:
        """Why an empty node of this template would never take the class; None: it would."""
        key = (cls, id(template))
        if key not in self._never:
            row = self._rows.get(id(template))
            if row is None:
                row = self._rows[id(template)] = self.maker.empty(template, f"new/{template.group}/1")
            self._never[key] = self.fleet.why_not_empty(cls, row)
        return self._never[key]

    def takes(self, cls: int, template: Template) -> bool:
        """True if a new node of this template may be bought for the class, health and caps aside."""
        if self.never(cls, template) is not None:
            return False
        if self.futile(cls, template.pool) is not None:
            return False
        return self.accelerated[cls] or not template.accelerators or not self.has_plain_pool(cls)

    def futile(self, cls: int, pool: str) -> Reason | None:
        """Why the pool is not asked for the class: nodes were bought for it before and it did not use them (L3)."""
        if not self.memory.futility:
            return None
        entry = quarantined(self.memory, pool, self.table.classes[cls].spec, self.now)
        return None if entry is None else Reason.of(Code.FUTILE_SCALE_UP, until=entry.until)

    def takes_row(self, cls: int) -> npt.NDArray[np.bool_]:
        """`takes` for all templates of the policy, in the order of `positions`; kept with the snapshot."""
        found = self._takes.get(cls)
        if found is None:
            found = self.fleet.takes_all_empty(cls, self._all_rows()).copy()
            if not self.accelerated[cls]:
                plain = np.array([not t.accelerators for p in self.policies.pools for t in p.templates], dtype=bool)
                if (found & plain).any():
                    found &= plain  # a pool without accelerators can serve it: GPU pools are not for it then
            self._takes[cls] = found
        if self.memory.futility:
            pools = [p for p in self.policies.pools for _ in p.templates]
            open_ = np.array([self.futile(cls, p.name) is None for p in pools], dtype=bool)
            masked: npt.NDArray[np.bool_] = found & open_
            return masked
        return found

    def _all_rows(self) -> tuple[Row, ...]:
        """An empty node of every template; one tuple a snapshot, by which the answers of all classes are kept."""
        derived = self.fleet.snapshot.derived
        kept = derived.get("empty-rows")
        if kept is None or kept[0] is not self.policies:
            rows = tuple(self.maker.empty(t, f"new/{t.group}/1") for p in self.policies.pools for t in p.templates)
            kept = derived["empty-rows"] = (self.policies, rows)
        found: tuple[Row, ...] = kept[1]
        return found

    def has_plain_pool(self, cls: int) -> bool:
        """True if some pool without accelerators can serve the class, full or not: GPU pools are not for it then."""
        if cls not in self._plain:
            self._plain[cls] = any(
                not t.accelerators and self.never(cls, t) is None for p in self.policies.pools for t in p.templates
            )
        return self._plain[cls]

    def pool_reason(self, cls: int, pool: Pool, caps: Caps, beside: Beside | None = None) -> Reason:
        """The reason of one pool, for a pod of this class that it does not serve now.

        `beside`: why a further node of a template would not do where an empty cluster's would: the pods there are.
        """
        rejections = [self.never(cls, t) for t in pool.templates]
        fitting = [t for t, why in zip(pool.templates, rejections, strict=True) if why is None]
        if not fitting:
            closest = max(
                (r for r in rejections if r is not None),
                key=lambda r: RANK.get(r.code, 0),
                default=Reason.of(Code.POOL_DEGRADED, cause=pool.problem or "no groups"),
            )
            return self._undeclared(closest)
        futile = self.futile(cls, pool.name)
        if futile is not None:
            return futile
        if not any(self.takes(cls, t) for t in fitting):
            return Reason.of(Code.GPU_POOL_FOR_GPU_PODS)
        return self._blocked(pool, fitting, caps, beside)

    def _blocked(self, pool: Pool, fitting: Sequence[Template], caps: Caps, beside: Beside | None) -> Reason:
        """What keeps the templates that would do from doing it; what passes by itself is named first."""
        health = self.health[pool.name]
        if health.blocked is not None and health.blocked.code is not Code.BACKOFF:
            return Reason.of(Code.POOL_DEGRADED, cause=degraded_cause(health.blocked))
        if pool.name in self.held:
            return Reason.of(Code.BATCH_WINDOW, until=self.held[pool.name])
        reasons = []
        for template in fitting:
            blocked = health.groups[template.group].blocked
            if blocked is None:
                reason = caps.binding(template)
                other = beside(template) if reason is None and beside is not None else None
                # With room for one node and no place: too little for all of a gang, the tightest limit names it.
                reasons.append((2 if other is None else 3, 0.0, other or reason or caps.tightest(template)))
            elif blocked.code is Code.BACKOFF:
                until = float(blocked.param("until") or 0.0)  # type: ignore[arg-type]
                cause = blocked.param("cause")
                reasons.append((0, until, Reason.of(Code.POOL_IN_BACKOFF, until=until, cause=cause)))
            else:
                reasons.append((1, 0.0, Reason.of(Code.POOL_DEGRADED, cause=degraded_cause(blocked))))
        return min(reasons, key=lambda r: r[:2])[2]

    def _undeclared(self, reason: Reason) -> Reason:
        """A selector that no pool could ever meet is said as such: it is the policy that lacks the label."""
        if reason.code is not Code.NODE_SELECTOR_MISMATCH:
            return reason
        key, value = str(reason.param("key")), reason.param("value")
        wanted = None if value is None else str(value)
        found = self._labels.get((key, wanted))
        if found is None:
            found = any(_declares(t.labels, key, wanted) for p in self.policies.pools for t in p.templates)
            self._labels[(key, wanted)] = found
        return reason if found else Reason.of(Code.NO_POOL_DECLARES_LABEL, key=key, value=wanted)

    def class_of(self, cls: int) -> PodClass:
        """The class by its id."""
        return self.table.classes[cls]


def _declares(labels: Labels, key: str, value: str | None) -> bool:
    found = labels.get(key)
    return found is not None if value is None else found == value


def degraded_cause(reason: Reason) -> str:
    """A pool's own reason in a few words, as the cause of a pod's wait."""
    match reason.code:
        case Code.FAILURE_LIMIT:
            return f"{reason.param('failures')} nodes in a row came up without {reason.param('missing')}"
        case Code.CONFIG_ERROR:
            return str(reason.param("detail"))
        case Code.DEGRADED:
            return str(reason.param("cause"))
        case Code.NOT_OWNED:
            return "the group does not carry this cluster's ownership tag"
        case _:
            return str(reason.code)


def headline(lines: Sequence[tuple[str, Reason]]) -> Reason:
    """The one reason for the pod: of the pool that comes closest to serving it; pools that could come first."""
    serving = [r for _, r in lines if r.code not in RANK]
    if serving:
        order = (Code.POOL_IN_BACKOFF, Code.POOL_AT_MAX, Code.CLUSTER_LIMIT_REACHED, Code.COST_CAP_REACHED)
        return min(serving, key=lambda r: order.index(r.code) if r.code in order else len(order))
    return max((r for _, r in lines), key=lambda r: RANK[r.code])


def can_serve(lines: Sequence[tuple[str, Reason]]) -> bool:
    """True if some pool would serve the pod once what blocks it is gone."""
    return any(r.code not in RANK for _, r in lines)
