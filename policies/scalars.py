"""The scalars of a policy: durations, percentages, quantities, money, as strict types with their JSON Schema."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from autoscaler.model.quantity import QuantityError, amount, text_of

_DAYS = re.compile(r"(?P<days>[0-9]+)d(?P<rest>.*)", re.ASCII)
_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,3})?%", re.ASCII)
DURATION_MAX_S = 366 * 86400.0


def duration(value: object) -> float:
    """Seconds of a Go duration (`1h30m`), days allowed in front (`14d`). Raises ValueError, one sentence."""
    if not isinstance(value, str):
        raise ValueError(f"must be a duration such as 10m or 1h30m, got {value!r}")
    import durationpy

    found = _DAYS.fullmatch(value)
    text, days = (found["rest"], int(found["days"][:6])) if found else (value, 0)
    try:
        seconds = durationpy.from_str(text).total_seconds() if text else 0.0
    except (durationpy.DurationError, ValueError, OverflowError):
        raise ValueError(f"must be a duration such as 10m or 1h30m, got {value!r}") from None
    seconds += days * 86400.0
    if seconds < 0 or value.startswith("-"):
        raise ValueError(f"must not be negative, got {value!r}")
    if not value or seconds > DURATION_MAX_S:
        raise ValueError(f"must be a duration of at most a year, got {value!r}")
    return seconds


def percentage(value: object) -> float:
    """`"45%"` as 0.45. Raises ValueError, one sentence."""
    if not isinstance(value, str) or not _PERCENT.fullmatch(value):
        raise ValueError(f'must be a percentage in quotes such as "10%", got {value!r}')
    share = float(value[:-1]) / 100
    if share > 1.0:
        raise ValueError(f'must be at most "100%", got {value!r}')
    return share


def count_or_share(value: object) -> int | float:
    """A whole number of nodes, or a percentage of them (a float from 0 to 1)."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 0:
            raise ValueError(f"must be at least 0, got {value}")
        return value
    return percentage(value)


def quantities(value: object) -> dict[str, int]:
    """Amounts by resource name, in the model's units. Raises ValueError naming the resource."""
    if not isinstance(value, dict):
        raise ValueError(f"must be a mapping of resource names to quantities, got {value!r}")
    found: dict[str, int] = {}
    for name, given in value.items():
        try:
            found[name] = amount(name, text_of(given))
        except QuantityError as wrong:
            raise ValueError(f"{name}: {wrong}") from None
    return found


_GO = {"type": "string", "pattern": r"^([0-9]+d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))*$|^0$"}
_PERCENTAGE: dict[str, Any] = {"type": "string", "pattern": r"^[0-9]{1,3}(\.[0-9]{1,3})?%$"}
_QUANTITY = {"type": ["string", "number"], "description": "a Kubernetes quantity"}

Duration = Annotated[float, BeforeValidator(duration), WithJsonSchema(_GO)]
"""Seconds."""

Percentage = Annotated[float, BeforeValidator(percentage), WithJsonSchema(_PERCENTAGE)]
"""0 to 1."""

CountOrShare = Annotated[
    int | float,
    BeforeValidator(count_or_share),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, _PERCENTAGE]}),
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

Count = Annotated[int, Field(ge=0, le=1_000_000)]
"""A number of nodes or devices."""

Name = Annotated[str, Field(min_length=1, max_length=253)]
