"""Cron windows over the days on which clocks change, against a reading minute by minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.windows import cron_text, is_open, next_open, zone_name

DAY = 86400.0
CHANGES = [(2026, 3, 8), (2026, 11, 1), (2026, 3, 29), (2026, 10, 25), (2026, 4, 5), (2026, 9, 6), (2026, 4, 24)]
ZONES = ["America/New_York", "Europe/Berlin", "America/Santiago", "Africa/Cairo", "UTC", "Asia/Kolkata"]


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def field(text: str, number: int, last: int) -> bool:
    for term in text.split(","):
        span, _, step = term.partition("/")
        low, high = (0, last) if span == "*" else (int(p) for p in (span.split("-") * 2)[:2])
        if number in range(low, (last if step and span != "*" and "-" not in span else high) + 1, int(step or 1)):
            return True
    return False


def fires(minute: str, hour: str, days: str, local: datetime) -> bool:
    weekday = (local.weekday() + 1) % 7
    return field(minute, local.minute, 59) and field(hour, local.hour, 23) and field(days, weekday, 6)


def starts(minute: str, hour: str, days: str, zone: str, base: float) -> list[float]:
    """All starts from two days before `base` to three days after it, one minute after the other."""
    tz, found = ZoneInfo(zone), set()
    first = datetime.fromtimestamp(base - 2 * DAY, UTC)
    for number in range(5 * 1440):
        instant = first + timedelta(minutes=number)
        if minute.startswith("*") or hour.startswith("*"):  # by real time
            if fires(minute, hour, days, instant.astimezone(tz)):
                found.add(instant.timestamp())
        elif fires(minute, hour, days, local := instant.replace(tzinfo=None)):  # by the clock on the wall
            while local.replace(tzinfo=tz).astimezone(UTC).astimezone(tz).replace(tzinfo=None) != local:
                local += timedelta(minutes=1)  # inside the gap: on to its end
            found.add(local.replace(tzinfo=tz, fold=0).timestamp())
    return sorted(found)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_starts_are_those_of_the_clock_on_the_wall(data: st.DataObject) -> None:
    minute = data.draw(st.sampled_from(["30", "0", "15,45", "*/20", "59"]))
    hour = data.draw(st.sampled_from(["2", "1", "0", "3", "*", "0,23", "1-3"]))
    days, zone = data.draw(st.sampled_from(["*", "0", "1-5"])), data.draw(st.sampled_from(ZONES))
    base = datetime(*data.draw(st.sampled_from(CHANGES)), tzinfo=UTC).timestamp()
    known = starts(minute, hour, days, zone, base)
    cron = f"{minute} {hour} * * {days}"
    near = st.one_of(st.integers(-int(DAY), int(2 * DAY)).map(lambda s: base + s), st.sampled_from(known or [base]))
    for now in data.draw(st.lists(near, min_size=5, max_size=12)):
        if now > base + 2 * DAY or now < base - DAY:
            continue
        for duration in (1800.0, 3600.0, 0.75 * DAY):
            assert is_open(cron, zone, duration, now) == any(s <= now < s + duration for s in known)
        coming = next((s for s in known if s > now), None)
        assert coming is None or next_open(cron, zone, now) == coming


@pytest.mark.parametrize(
    ("now", "is_it"),
    [
        ("2026-03-08T06:59:59+00:00", False),  # 01:59 EST
        ("2026-03-08T07:00:00+00:00", True),  # 03:00 EDT, the first instant after the gap
        ("2026-03-08T07:30:00+00:00", True),
        ("2026-03-08T07:59:59+00:00", True),
        ("2026-03-08T08:00:00+00:00", False),
    ],
)
def test_a_start_in_the_hour_that_spring_skips_comes_when_the_hour_is_over(now: str, is_it: bool) -> None:
    assert is_open("30 2 * * *", "America/New_York", 3600.0, at(now)) is is_it


@pytest.mark.parametrize(
    ("now", "is_it"),
    [
        ("2026-11-01T05:30:00+00:00", True),  # 01:30 EDT
        ("2026-11-01T05:59:59+00:00", True),
        ("2026-11-01T06:00:00+00:00", False),
        ("2026-11-01T06:30:00+00:00", False),  # 01:30 again, now EST
    ],
)
def test_a_start_in_the_hour_that_autumn_repeats_comes_once(now: str, is_it: bool) -> None:
    assert is_open("30 1 * * *", "America/New_York", 1800.0, at(now)) is is_it


def test_windows_longer_than_the_time_between_starts_are_open_throughout() -> None:
    assert all(is_open("0 * * * *", "UTC", 2 * 3600.0, 1_780_000_000.0 + n * 600) for n in range(50))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@daily",
        "* * * *",
        "* * * * * *",
        "60 0 * * *",
        "0 24 * * *",
        "0 0 30 2 *",
        "0 0 31 4,6 *",
        "0 0 * * 8",
        "0 0 * * FRI-SUN",
        "x 0 * * *",
        "0 0 * * *\n",
        "٣ 0 * * *",
        "0 0 * * " + "1," * 200 + "1",
    ],
)
def test_a_cron_expression_that_is_wrong_or_never_fires_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="cron"):
        cron_text(text)


@pytest.mark.parametrize(
    "text", ["", "Berlin", "europe/berlin", "posix/UTC", "localtime", "../UTC", "/etc/localtime", "Europe"]
)
def test_a_zone_that_is_not_the_same_everywhere_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="time zone"):
        zone_name(text)
