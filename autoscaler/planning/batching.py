"""Batch windows: a pool may wait for more pods before it buys, so that they are packed together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from autoscaler.planning.placement import Remaining
from autoscaler.planning.pools import Policies, Template
from autoscaler.planning.units import Unit


def batch_windows(
    policies: Policies, unmet: Sequence[tuple[Unit, Remaining]], takes: Callable[[int, Template], bool], now: float
) -> Mapping[str, float]:
    """Pools that do not buy yet, and until when: the window runs from the oldest pod that the pool would buy for.

    `unmet`: pods that nothing there or on its way takes. `takes(class, template)`: would a new node serve the class.
    """
    oldest: dict[int, float] = {}
    for _, rest in unmet:
        for cls, pods in rest.items():
            oldest[cls] = min(oldest.get(cls, now), *(p.created for p in pods[:1]))
    found: dict[str, float] = {}
    for pool in policies.pools:
        if not pool.scale_up.batch_window_s:
            continue
        waiting = [at for cls, at in sorted(oldest.items()) if any(takes(cls, t) for t in pool.templates)]
        until = min(waiting, default=now) + pool.scale_up.batch_window_s
        if waiting and until > now:
            found[pool.name] = until
    return found
