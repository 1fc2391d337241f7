"""Kubernetes quantities, in integers only.

Rules of apimachinery's `resource.Quantity`: a signed decimal number and a suffix, decimal (n u m, none, k M G T P E),
binary (Ki Mi Gi Ti Pi Ei) or an exponent (e3, E-2); what is finer than the unit asked for is rounded up, away from
zero; values are capped at 2^63 - 1. The library parsers accept more than the API server does (`NaN`, `1K`, `1_000`).
Stricter than apimachinery in two points: a digit is needed (there `.` and `Ki` are zero), and exponents end at 128.

Source: apimachinery, pkg/api/resource/quantity.go.
"""

from __future__ import annotations

import re
from functools import lru_cache

CAP = 2**63 - 1
LENGTH_MAX = 64
BITS_MAX = 212  # of integers of 64 digits; longer ones are not turned into text
BITS_MAX = 213  # of integers of 64 digits; Python declines to write out integers of thousands
EXPONENT_MAX = 128  # far beyond what the cap leaves of any number of 64 characters

_FORM = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<suffix>[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?",
    re.ASCII,
)
_TENS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_TWOS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BYTES = frozenset({"memory", "ephemeral-storage"})


class QuantityError(ValueError):
    """Not a quantity; one sentence."""


def value(text: str) -> int:
    """`text` in base units (bytes, devices), rounded up away from zero, at most 2^63 - 1 in size."""
    return _scaled(text, 0)


def milli(text: str) -> int:
    """`text` in thousandths, rounded up away from zero, at most 2^63 - 1 in size."""
    return _scaled(text, 3)


def amount(resource: str, text: str) -> int:
    """`text` in the model's unit for `resource`: thousandths for cpu, base units for everything else; not negative."""
    found = milli(text) if resource == "cpu" else value(text)
    if found < 0:
        raise QuantityError(f"{text!r} is negative; amounts of {resource} start at 0")
    return found


@lru_cache(maxsize=8192)
def _scaled(text: str, shift: int) -> int:
    """`text` times 10^shift."""
    found = _FORM.fullmatch(text) if len(text) <= LENGTH_MAX else None
    if found is None or not (found["whole"] or found["part"]):
        shown = text if len(text) <= LENGTH_MAX else text[:LENGTH_MAX] + "…"
        raise QuantityError(f"{shown!r} is no quantity; write a number with a unit such as 500m, 2 or 64Gi")
    digits, part = found["whole"] or "", found["part"] or ""
    mantissa = int(digits + part or "0")
    suffix = found["suffix"] or ""
    tens, twos = shift - len(part), 0
    if suffix in _TWOS:
        twos = _TWOS[suffix]
    elif suffix in _TENS:
        tens += _TENS[suffix]
    else:
        exponent = suffix[1:].lstrip("+-").lstrip("0") or "0"
        if len(exponent) > 3 or int(exponent) > EXPONENT_MAX:
            raise QuantityError(f"{text!r} has an exponent beyond {EXPONENT_MAX}; write the number out")
        tens += int(exponent) if suffix[1] != "-" else -int(exponent)
    size = min(CAP, _ratio_up(mantissa << twos, tens))
    return -size if found["sign"] == "-" else size


def _ratio_up(mantissa: int, tens: int) -> int:
    """mantissa * 10^tens, rounded up."""
    if tens >= 0:
        return int(mantissa * 10**tens)
    divisor = 10**-tens
    return int(-(-mantissa // divisor))


def text_of(scalar: object) -> str:
    """A YAML or JSON scalar as the text of a quantity: `2` and `0.5` are numbers there. Raises QuantityError."""
    if isinstance(scalar, str):
        return scalar
    if isinstance(scalar, int) and not isinstance(scalar, bool):
        if scalar.bit_length() > BITS_MAX:
            raise QuantityError(f"a number of more than {LENGTH_MAX} digits is no quantity; write it shorter")
        return str(scalar)
    if isinstance(scalar, float) and scalar == scalar and abs(scalar) != float("inf"):
        return repr(scalar)
    raise QuantityError(
        f"{repr(scalar)[:LENGTH_MAX]} is no quantity; write a number with a unit such as 500m, 2 or 64Gi"
    )


EXACT_BELOW = 100_000  # up to five digits are shown as they are, so that two amounts that differ do not look equal


def format_amount(resource: str, number: int) -> str:
    """An amount for people: `7.5` cores, `64Gi` of memory, `8` devices.

    Exact for cores and devices; bytes that would take more than five digits are rounded to a tenth of a unit.
    """
    sign, size = "-" if number < 0 else "", abs(number)
    if resource == "cpu":
        return f"{sign}{size // 1000}.{size % 1000:03}".rstrip("0").rstrip(".")
    if resource not in _BYTES and not resource.startswith("hugepages-"):
        return str(number)
    for suffix, power in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10), ("", 0)):
        whole, rest = divmod(size, 1 << power)
        if not rest and whole < EXACT_BELOW:
            return f"{sign}{whole}{suffix}" if whole else str(number)
    suffix, power = next((s, p) for s, p in (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)) if size >> p)
    return f"{sign}{_tenths(size, power)}{suffix}"


def _tenths(size: int, power: int) -> str:
    """size / 2^power to one decimal, halves to the even digit."""
    tenths, rest = divmod(size * 10, 1 << power)
    half = 1 << (power - 1)
    tenths += rest > half or (rest == half and tenths % 2)
    return f"{tenths // 10}.{tenths % 10}"
