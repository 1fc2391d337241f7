"""Go durations in annotations that others wrote; an unreadable one counts as none."""

from __future__ import annotations

import re
from functools import lru_cache

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)", re.ASCII)


@lru_cache(maxsize=1024)
def go_duration_s(text: str | None) -> float | None:
    """Seconds of a non-negative Go duration such as `1h30m`; None for anything else."""
    if not text or len(text) > 64:
        return None
    total, at = 0.0, 0
    for part in _PART.finditer(text):
        if part.start() != at:
            return None
        total, at = total + float(part[1]) * _UNITS[part[2]], part.end()
    return total if at == len(text) else None
