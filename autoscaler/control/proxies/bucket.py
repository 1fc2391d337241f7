"""A token bucket, on a clock that is handed in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class TokenBucket:
    """`rate` tokens a second, at most `size` of them; starts full."""

    rate: float
    size: float
    _left: float = -1.0
    _at: float = 0.0

    def take(self, now: float) -> float:
        """Take one token: 0.0, or the seconds until there is one. `now` is monotonic."""
        if self._left < 0:
            self._left, self._at = self.size, now
        self._left = min(self.size, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left >= 1:
            self._left -= 1
            return 0.0
        return (1 - self._left) / self.rate
