"""The clock of the fast world: virtual time, alike for durations and for instants."""

from __future__ import annotations

from dataclasses import dataclass

from simulations.cloud import Cloud


@dataclass(slots=True)
class VirtualClock:
    """Reads the instant at which the world stands; it does not move during a pass."""

    cloud: Cloud

    def monotonic(self) -> float:
        """Seconds since some instant."""
        return self.cloud.now

    def wall(self) -> float:
        """Seconds since the epoch."""
        return self.cloud.now
