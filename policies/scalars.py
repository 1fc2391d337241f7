"""The scalars of a policy: durations, percentages, quantities, money, as strict types with their JSON Schema."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, WithJsonSchema

from autoscaler.model.quantity import QuantityError, amount, milli, text_of
from policies.problems import InnerError, Path, shown

DURATION_MAX_S = 366 * 86400.0
DURATION_CHARACTERS_MAX = 64
COUNT_MAX = 1_000_000
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_UNIT = r"(?:ns|us|µs|μs|ms|s|m|h)"
# durationpy alone would take `1h 30m`, `1h-30m` and its own units of weeks, months and years.
_DURATION = re.compile(rf"(?P<sign>[+-]?)(?:(?P<days>[0-9]+)d)?(?P<rest>(?:{_NUMBER}{_UNIT})*|0)")
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?%", re.ASCII)


def duration(value: object) -> float:
    """Seconds of a Go duration (`1h30m`), days allowed in front (`14d`). Raises ValueError, one sentence.

    Source: Go's time.ParseDuration, but for the days.
    """
    short = isinstance(value, str) and len(value) <= DURATION_CHARACTERS_MAX
    found = _DURATION.fullmatch(value) if isinstance(value, str) and short else None
    if found is None or not (found["days"] or found["rest"]):
        raise ValueError(f"must be a duration such as 10m or 1h30m, got {shown(value)}")
    import durationpy

    try:
        rest = durationpy.from_str(found["rest"]).total_seconds() if found["rest"] else 0.0
    except durationpy.DurationError:
        rest = float("inf")  # more than a timedelta holds
    seconds = float(rest + int(found["days"] or 0) * 86400.0)
    if found["sign"] == "-" and seconds:
        raise ValueError(f"must not be negative, got {shown(value)}")
    if seconds > DURATION_MAX_S:
        raise ValueError(f"must be a duration of at most a year, got {shown(value)}")
    return seconds


def duration_text(seconds: float) -> str:
    """Seconds as a Go duration, to the microsecond: 5400 is `1h30m`, 0 is `0s`."""
    hours, rest = divmod(round(seconds * 1_000_000), 3_600_000_000)
    minutes, micros = divmod(rest, 60_000_000)
    left = f"{micros // 1_000_000}.{micros % 1_000_000:06}".rstrip("0").rstrip(".")
    parts = (f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", f"{left}s" if micros else "")
    return "".join(parts) or "0s"


def percentage(value: object) -> float:
    """`"45%"` as 0.45. Raises ValueError, one sentence."""
    if not isinstance(value, str) or not _PERCENT.fullmatch(value):
        raise ValueError(f'must be a percentage such as "10%", got {shown(value)}')
    share = float(value[:-1]) / 100
    if share > 1.0:
        raise ValueError(f'must be at most "100%", got {shown(value)}')
    return share


def percentage_text(share: float) -> str:
    """0.45 as `45%`."""
    return f"{share * 100:.6g}%"


def count_or_share(value: object) -> int | float:
    """A whole number of nodes, or a percentage of them (a float from 0 to 1). Raises ValueError, one sentence."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value <= COUNT_MAX:
            raise ValueError(f"must be from 0 to {COUNT_MAX}, got {shown(value)}")
        return value
    if not isinstance(value, str):
        raise ValueError(f'must be a whole number of nodes or a percentage such as "10%", got {shown(value)}')
    return percentage(value)


def quantities(value: object) -> object:
    """Amounts by resource name, in the model's units. Raises InnerError with every amount that is none."""
    if not isinstance(value, dict):
        return value
    found: dict[str, int] = {}
    wrong: list[tuple[Path, str]] = []
    for name, given in value.items():
        try:
            text = text_of(given)
            found[name] = amount(name, text)
            # Kubernetes validates extended resources as whole; a part would be rounded up to a device here.
            if "/" in name and milli(text) % 1000:
                wrong.append(((name,), f"devices are whole, got {shown(given)}; write a whole number"))
        except QuantityError as error:
            wrong.append(((name,), str(error)))
    if wrong:
        raise InnerError(*wrong)
    return found


def _positive(seconds: float) -> float:
    if not seconds:
        raise ValueError("must be longer than 0s")
    return seconds


def _count_or_share_text(value: int | float) -> int | str:
    return value if isinstance(value, int) else percentage_text(value)


_GO = {
    "type": "string",
    "pattern": rf"^\+?(([0-9]+d)?({_NUMBER}{_UNIT})*|([0-9]+d)?0)$",
    "minLength": 1,
}
_PERCENTAGE: dict[str, Any] = {"type": "string", "pattern": r"^[0-9]{1,3}(\.[0-9]{1,3})?%$"}
_QUANTITY = {"type": ["string", "number"], "description": "a Kubernetes quantity"}

Duration = Annotated[
    float,
    BeforeValidator(duration),
    PlainSerializer(duration_text, return_type=str, when_used="json"),
    WithJsonSchema(_GO),
]
"""Seconds."""

PositiveDuration = Annotated[Duration, AfterValidator(_positive)]
"""Seconds, more than none."""

Percentage = Annotated[
    float,
    BeforeValidator(percentage),
    PlainSerializer(percentage_text, return_type=str, when_used="json"),
    WithJsonSchema(_PERCENTAGE),
]
"""0 to 1."""

CountOrShare = Annotated[
    int | float,
    BeforeValidator(count_or_share),
    PlainSerializer(_count_or_share_text, when_used="json"),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0, "maximum": COUNT_MAX}, _PERCENTAGE]}),
]
"""A number of nodes (int), or a share of them (float)."""

Quantities = Annotated[
    dict[str, int],
    BeforeValidator(quantities),
    WithJsonSchema({"type": "object", "additionalProperties": _QUANTITY}),
]
"""Amounts in the model's units by resource name."""

Money = Annotated[float, Field(ge=0, allow_inf_nan=False, lt=1e7)]
"""US dollars an hour."""

Count = Annotated[int, Field(ge=0, le=COUNT_MAX)]
"""A number of nodes or devices."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"must be one line of printable text, got {shown(text)}")
    return text


Name = Annotated[str, Field(min_length=1, max_length=253), AfterValidator(_printable)]
"""A name of something outside of the policy: it is repeated in messages, and so has no control characters."""
