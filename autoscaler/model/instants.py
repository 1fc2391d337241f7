"""RFC 3339 instants: text on the outside, seconds since the epoch (UTC) inside."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORM = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))?",
    re.ASCII,
)
_EXAMPLE = "2026-06-01T12:00:00Z"
_MICROSECONDS = 1_000_000


def parse_rfc3339(text: str) -> float:
    """Seconds since the epoch of an RFC 3339 instant.

    `T` and `Z` may be in lower case, a fraction may have any number of digits (microseconds are kept, the rest is
    cut off), and second 60 is a leap second, the same instant as the following second 0 (RFC 3339, 5.6 and 5.7).

    Raises ValueError, one sentence with the fix, for anything else; a time without a zone is refused, because
    it would be read as another instant in another place.
    """
    found = _FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"{_quoted(text)} is not an RFC 3339 time; write it like {_EXAMPLE}")
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = found.groups()
    if zulu is None and sign is None:
        raise ValueError(f"{_quoted(text)} has no time zone; add Z for UTC or an offset such as +02:00")
    leap = second == "60"
    try:
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), 59 if leap else int(second), tzinfo=UTC
        )
    except ValueError as error:
        raise ValueError(f"{_quoted(text)} is not a time that exists ({error}); write it like {_EXAMPLE}") from None
    seconds = (local - _EPOCH) // timedelta(seconds=1) + leap - _offset(text, sign, off_hour, off_minute)
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    return (seconds * _MICROSECONDS + micros) / _MICROSECONDS


def _offset(text: str, sign: str | None, hours: str | None, minutes: str | None) -> int:
    """The offset of local time from UTC in seconds."""
    if sign is None or hours is None or minutes is None:
        return 0
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError(f"{_quoted(text)} has an offset that does not exist; write it like {_EXAMPLE}")
    offset = int(hours) * 3600 + int(minutes) * 60
    return -offset if sign == "-" else offset


def rfc3339(seconds: float) -> str:
    """The instant as `2026-06-01T12:00:00Z`, with a fraction (to the microsecond) only where there is one.

    The inverse of `parse_rfc3339` for instants in whole microseconds. Raises ValueError outside the years
    1 to 9999 and for what is not a number.
    """
    try:
        instant = _EPOCH + timedelta(microseconds=round(seconds * _MICROSECONDS))
    except (OverflowError, ValueError):
        raise ValueError(f"{seconds} seconds since 1970 is not an instant of the years 1 to 9999") from None
    whole = f"{instant.year:04}-{instant:%m-%dT%H:%M:%S}"
    return f"{whole}.{instant.microsecond:06}".rstrip("0") + "Z" if instant.microsecond else f"{whole}Z"


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= 60 else text[:57] + "..."}"'
