"""Cron windows: a start by a cron expression in a time zone, and a duration in real time.

A start that falls into the hour that clocks skip in spring opens the window at the first instant after the gap; a
start in the hour that is repeated in autumn opens it once, at the first pass (cronsim follows Debian's cron). With a
star for the minutes or hours there is no such hour: `0 * * * *` starts in every hour that passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator

from policies.problems import shown
from policies.suggestions import did_you_mean

CRON_CHARACTERS_MAX = 128
CHAIN_MAX = 300  # windows that touch are followed so far; beyond it they count as one that never closes
# Files of a zone database that are no zones, or that mean another zone on another machine.
_NO_ZONES = frozenset({"localtime", "posixrules", "Factory"})


def cron_text(text: str) -> str:
    """A cron expression of five fields that fires at some time. Raises ValueError, one sentence."""
    from cronsim import CronSim, CronSimError

    wanted = 'must be a cron expression of five fields such as "0 8 * * 1-5"'
    if text != text.strip() or len(text.split()) != 5 or len(text) > CRON_CHARACTERS_MAX or not text.isascii():
        raise ValueError(f"{wanted}, got {shown(text)}")
    try:
        next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as wrong:
        field = str(wrong).removeprefix("Bad ")
        raise ValueError(f"{wanted}, got {shown(text)}: its {field} is wrong") from None
    except StopIteration:
        raise ValueError(f"the cron expression {shown(text)} never fires; correct its days or months") from None
    return text


def zone_name(text: str) -> str:
    """An IANA time zone. Raises ValueError, one sentence."""
    if text not in _NO_ZONES and not text.startswith(("posix/", "right/")):
        try:
            ZoneInfo(text)
        except (ValueError, OSError, LookupError):
            pass
        else:
            return text
    raise ValueError(f"must be a time zone such as Europe/Berlin, got {shown(text)}{_close_zone(text)}")


@lru_cache(maxsize=512)
def _close_zone(text: str) -> str:
    return did_you_mean(text, _zones())


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    """Reads the whole database: only where something is wrong."""
    return frozenset(available_timezones())


CronText = Annotated[str, AfterValidator(cron_text)]
ZoneName = Annotated[str, AfterValidator(zone_name)]


def is_open(cron: str, time_zone: str, duration_s: float, now: float) -> bool:
    """True if a window that began at or before `now` (seconds since the epoch) has not ended."""
    last = last_start(cron, time_zone, now)
    return last is not None and now < last + duration_s


@lru_cache(maxsize=512)
def closes(cron: str, time_zone: str, duration_s: float, now: float) -> float | None:
    """When the window that is open at `now` closes, windows that overlap or touch it included.

    None if none is open, or if they follow each other without end.
    """
    last = last_start(cron, time_zone, now)
    if last is None or now >= last + duration_s:
        return None
    for _ in range(CHAIN_MAX):
        following = next_open(cron, time_zone, last)
        if following is None or following > last + duration_s:
            return last + duration_s
        last = following
    return None


@lru_cache(maxsize=512)
def last_start(cron: str, time_zone: str, now: float) -> float | None:
    """The newest start at or before `now`, None if there was none in fifty years."""
    found = next((at for at in _starts(cron, time_zone, now + 60, reverse=True) if at <= now), None)
    # Backwards, the repeated hour of autumn is met at its second pass; forwards at its first, which is the one meant.
    while found is not None:
        after = next_open(cron, time_zone, found)
        if after is None or after > now:
            break
        found = after
    return found


@lru_cache(maxsize=512)
def next_open(cron: str, time_zone: str, now: float) -> float | None:
    """The next start after `now`, None if there is none in fifty years."""
    return next((at for at in _starts(cron, time_zone, now, reverse=False) if at > now), None)


def _starts(cron: str, time_zone: str, now: float, *, reverse: bool) -> Iterator[float]:
    from cronsim import CronSim

    for start in CronSim(cron, datetime.fromtimestamp(now, ZoneInfo(time_zone)), reverse=reverse):
        yield float(start.timestamp())
