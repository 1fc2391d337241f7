"""Progress on standard error for anything that takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

FIRST_AFTER_S = 2.0
EVERY_S = 0.5


def reporter(what: str) -> Callable[[int, int], None]:
    """A function `(done, total)` that says how far `what` is, first after two seconds, then twice a second."""
    started = time.monotonic()
    last = [started + FIRST_AFTER_S - EVERY_S]
    tty = sys.stderr.isatty()

    def report(done: int, total: int) -> None:
        now = time.monotonic()
        finished = total > 0 and done >= total
        if now - last[0] < (EVERY_S if tty else 5.0) and not (finished and now - started > FIRST_AFTER_S):
            return
        if now - started < FIRST_AFTER_S:
            return
        last[0] = now
        share = f"{100 * done / total:.0f} %" if total else f"{done:,}"
        left = (now - started) * (total - done) / done if done and total else 0.0
        eta = f", about {left:.0f} s left" if left >= 1 else ""
        end = "\n" if not tty or finished else ""
        sys.stderr.write(f"{chr(13) if tty else ''}{what}: {share}{eta}   {end}")
        sys.stderr.flush()

    return report
