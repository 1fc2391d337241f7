"""Cron windows: a start by a cron expression in a time zone, and a duration in real time.

A start that falls into the hour that clocks skip in spring opens the window at the first instant after the gap; a
start in the hour that is repeated in autumn opens it once (cronsim follows Debian's cron).
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator


def cron_text(text: str) -> str:
    """A cron expression that fires at some time. Raises ValueError, one sentence."""
    from cronsim import CronSim, CronSimError

    if len(text.split()) != 5:
        raise ValueError(f'must be a cron expression of five fields such as "0 8 * * 1-5", got {text!r}')
    try:
        next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as wrong:
        raise ValueError(f'must be a cron expression such as "0 8 * * 1-5", got {text!r}: {wrong}') from None
    except StopIteration:
        raise ValueError(f"the cron expression {text!r} never fires") from None
    return text


def zone_name(text: str) -> str:
    """An IANA time zone. Raises ValueError, one sentence."""
    try:
        ZoneInfo(text)
    except Exception:
        raise ValueError(f"must be a time zone such as Europe/Berlin, got {text!r}") from None
    return text


CronText = Annotated[str, AfterValidator(cron_text)]
ZoneName = Annotated[str, AfterValidator(zone_name)]


def is_open(cron: str, time_zone: str, duration_s: float, now: float) -> bool:
    """True if a window that began at or before `now` has not ended."""
    last = last_start(cron, time_zone, now)
    return last is not None and now < last + duration_s


@lru_cache(maxsize=512)
def last_start(cron: str, time_zone: str, now: float) -> float | None:
    """The newest start at or before `now`."""
    from cronsim import CronSim

    found = None
    for start in CronSim(cron, datetime.fromtimestamp(now + 60, ZoneInfo(time_zone)), reverse=True):
        if start.timestamp() <= now:
            found = float(start.timestamp())
            break
    # Backwards, the repeated hour of autumn is met at its second pass; forwards at its first, which is the one meant.
    while found is not None:
        after = next_open(cron, time_zone, found)
        if after is None or after > now:
            break
        found = after
    return found


@lru_cache(maxsize=512)
def next_open(cron: str, time_zone: str, now: float) -> float | None:
    """The next start after `now`."""
    from cronsim import CronSim

    for start in CronSim(cron, datetime.fromtimestamp(now, ZoneInfo(time_zone))):
        at = start.timestamp()
        if at > now:
            return float(at)
    return None
