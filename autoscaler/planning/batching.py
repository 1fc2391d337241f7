"""Batch windows: a pool may wait for more pods before it buys, so that they are packed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autoscaler.planning.pools import Policies
from autoscaler.planning.units import Unit


def batch_windows(policies: Policies, units: Sequence[Unit], now: float) -> Mapping[str, float]:
    """Pools that do not buy yet, and until when: the window runs from the oldest pod that waits."""
    waiting = [min(p.created, now) for unit in units for pods in unit.pods.values() for p in pods[:1]]
    if not waiting:
        return {}
    opened = min(waiting)
    ends = {p.name: opened + p.scale_up.batch_window_s for p in policies.pools if p.scale_up.batch_window_s}
    return {name: until for name, until in ends.items() if until > now}
