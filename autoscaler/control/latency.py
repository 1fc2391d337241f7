"""How slow the API has been lately, and so how long a taint may take to reach the scheduler (S2)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

SETTLE_MIN_S = 5.0
KEPT = 200


@dataclass(slots=True)
class Latency:
    """Durations of the last calls, in seconds."""

    calls: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT))

    def took(self, seconds: float) -> None:
        """Count one call."""
        self.calls.append(seconds)

    def settle_s(self) -> float:
        """How long to wait after a taint: 5 s, or twice the 99th percentile of the calls if that is more."""
        if not self.calls:
            return SETTLE_MIN_S
        ordered = sorted(self.calls)
        return max(SETTLE_MIN_S, 2 * ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))])
