"""RFC 3339 instants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoscaler.model.instants import parse_rfc3339, rfc3339

NOON = 1780315200.0  # 2026-06-01T12:00:00Z


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-06-01T12:00:00Z", NOON),
        ("2026-06-01t12:00:00z", NOON),
        ("2026-06-01T14:00:00+02:00", NOON),
        ("2026-06-01T06:30:00-05:30", NOON),
        ("2026-06-01T12:00:00-00:00", NOON),
        ("2026-06-01T12:00:00.5Z", NOON + 0.5),
        ("2026-06-01T12:00:00.123456789Z", NOON + 0.123456),
        ("2016-12-31T23:59:60Z", 1483228800),
        ("1969-12-31T23:59:59Z", -1),
        ("0001-01-01T00:00:00Z", -62135596800),
        ("9999-12-31T23:59:59Z", 253402300799),
    ],
)
def test_an_instant_is_read(text: str, seconds: float) -> None:
    assert parse_rfc3339(text) == seconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-06-01T12:00:00", "has no time zone; add Z for UTC or an offset such as +02:00"),
        ("2026-06-01", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
        ("2026-06-01 12:00:00Z", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
        ("2026-06-01T12:00Z", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
        ("2026-06-01T12:00:00.Z", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
        ("٢026-06-01T12:00:00Z", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
        (
            "2026-02-30T12:00:00Z",
            "is not a time that exists (day is out of range for month); write it like 2026-06-01T12:00:00Z",
        ),
        (
            "2026-06-01T24:00:00Z",
            "is not a time that exists (hour must be in 0..23); write it like 2026-06-01T12:00:00Z",
        ),
        ("2026-06-01T12:00:00+24:00", "has an offset that does not exist; write it like 2026-06-01T12:00:00Z"),
        ("", "is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z"),
    ],
)
def test_what_is_no_instant_is_refused_with_the_fix(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"RFC 3339|zone|exist") as caught:
        parse_rfc3339(text)

    assert str(caught.value) == f'"{text}" {message}'


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (NOON, "2026-06-01T12:00:00Z"),
        (NOON + 0.25, "2026-06-01T12:00:00.25Z"),
        (NOON + 10, "2026-06-01T12:00:10Z"),
        (0.000001, "1970-01-01T00:00:00.000001Z"),
        (-62135596800, "0001-01-01T00:00:00Z"),
    ],
)
def test_an_instant_is_written_with_a_fraction_only_where_there_is_one(seconds: float, text: str) -> None:
    assert rfc3339(seconds) == text


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e18, -1e12])
def test_what_is_no_instant_is_not_written(seconds: float) -> None:
    with pytest.raises(ValueError, match="is not an instant of the years 1 to 9999"):
        rfc3339(seconds)


@given(st.integers(0, 4_000_000_000_000_000))
def test_what_is_written_is_read_again_to_the_microsecond(micros: int) -> None:
    assert parse_rfc3339(rfc3339(micros / 1_000_000)) == micros / 1_000_000
