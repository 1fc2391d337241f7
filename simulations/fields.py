"""Scalars of a scenario that a policy does not have: instants, and single quantities."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, WithJsonSchema

from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.quantity import QuantityError, amount, text_of
from autoscaler.model.resources import CPU, MEMORY
from policies.scalars import duration


class Moment(BaseModel, frozen=True):
    """An instant, or a duration from the start of the simulation: `at` seconds, counted from the epoch or the start."""

    at: float
    from_start: bool

    def instant(self, start: float) -> float:
        """Seconds since the epoch."""
        return start + self.at if self.from_start else self.at


def _text(value: object) -> object:
    """YAML reads an unquoted time as a date: back to its text, so that one rule reads both."""
    return value.isoformat() if isinstance(value, dt.datetime) else value


def instant(value: object) -> float:
    """RFC 3339 as seconds since the epoch; a number is taken as such seconds."""
    value = _text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, str):
        raise ValueError(f"must be a time such as 2026-06-01T12:00:00Z, got {value!r}")
    return parse_rfc3339(value)


def moment(value: object) -> Moment:
    """RFC 3339, or a duration (`36h`) from the start."""
    if isinstance(value, Moment):
        return value
    value = _text(value)
    if isinstance(value, str):
        try:
            return Moment(at=parse_rfc3339(value), from_start=False)
        except ValueError:
            pass
        try:
            return Moment(at=duration(value), from_start=True)
        except ValueError:
            pass
    raise ValueError(
        f"must be a time such as 2026-06-01T12:00:00Z, or a duration from the start such as 36h, got {value!r}"
    )


def until(value: object) -> Moment | None:
    """`drained` (None), or a moment."""
    value = _text(value)
    if value is None or value == "drained":
        return None
    try:
        return moment(value)
    except ValueError:
        told = "must be drained, a time such as 2026-06-01T12:00:00Z, or a duration from the start such as 36h"
        raise ValueError(f"{told}, got {value!r}") from None


def _quantity(resource: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value == 0:
        return 0  # a default of ours
    try:
        found = amount(resource, text_of(value))
    except QuantityError as wrong:
        raise ValueError(str(wrong)) from None
    if found < 0:
        raise ValueError(f"must not be negative, got {value!r}")
    return found


_QUANTITY = {"type": ["string", "number"], "description": "a Kubernetes quantity"}
_MOMENT = {"type": "string", "description": "RFC 3339, or a duration from the start"}

Instant = Annotated[float, BeforeValidator(instant), WithJsonSchema({"type": ["string", "number"]})]
"""Seconds since the epoch."""

AtMoment = Annotated[Moment, BeforeValidator(moment), WithJsonSchema(_MOMENT)]

Until = Annotated[Moment | None, BeforeValidator(until), WithJsonSchema(_MOMENT)]
"""None: until drained."""

MilliCpu = Annotated[int, BeforeValidator(lambda v: _quantity(CPU, v)), WithJsonSchema(_QUANTITY)]
"""Thousandths of a core."""

MemoryBytes = Annotated[int, BeforeValidator(lambda v: _quantity(MEMORY, v)), WithJsonSchema(_QUANTITY)]
"""Bytes."""
