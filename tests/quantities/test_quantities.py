"""Kubernetes quantities: what the API server reads, what it refuses, and how amounts are shown."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.quantity import CAP, QuantityError, amount, format_amount, milli, text_of, value

SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
PARTS = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(.*)")


def slow(text: str, unit: Fraction) -> int:
    """The same by exact fractions: an independent reading of apimachinery's rules."""
    found = PARTS.fullmatch(text)
    assert found
    sign, whole, part, suffix = found.groups()
    number = Fraction(int((whole + (part or "")) or "0"), 10 ** len(part or ""))
    if suffix in BINARY:
        number *= 2 ** BINARY[suffix]
    elif suffix in SUFFIXES:
        number *= Fraction(10) ** SUFFIXES[suffix]
    else:
        number *= Fraction(10) ** int(suffix[1:])
    size = min(CAP, -((-number / unit) // 1))
    return -int(size) if sign == "-" else int(size)


DIGITS = st.text("0123456789", max_size=12)
EXPONENTS = st.builds(
    lambda e, s, n: f"{e}{s}{n}", st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), st.integers(0, 40)
)
TEXTS = st.builds(
    lambda sign, whole, part, suffix: f"{sign}{whole or '0'}{part}{suffix}",
    st.sampled_from(["", "", "+", "-"]),
    DIGITS,
    st.one_of(st.just(""), DIGITS.map(lambda d: f".{d}")),
    st.one_of(st.sampled_from([*SUFFIXES, *BINARY]), EXPONENTS),
)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_every_quantity_is_read_as_exact_fractions_read_it(text: str) -> None:
    assert value(text) == slow(text, Fraction(1))
    assert milli(text) == slow(text, Fraction(1, 1000))


@pytest.mark.parametrize(
    ("text", "base", "thousandths"),
    [
        ("0", 0, 0),
        ("1", 1, 1000),
        (".5", 1, 500),
        ("1.", 1, 1000),
        ("100m", 1, 100),
        ("1u", 1, 1),
        ("0.1n", 1, 1),
        ("-1u", -1, -1),
        ("1.5Gi", 3 << 29, (3 << 29) * 1000),
        ("1E", 10**18, CAP),
        ("1e3", 1000, 10**6),
        ("1E3", 1000, 10**6),
        ("1e-3", 1, 1),
        ("9223372036854775807", CAP, CAP),
        ("8Ei", CAP, CAP),
        ("-8Ei", -CAP, -CAP),
    ],
)
def test_what_is_finer_than_the_unit_is_rounded_up_and_the_rest_is_capped(
    text: str, base: int, thousandths: int
) -> None:
    assert (value(text), milli(text)) == (base, thousandths)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 ",
        " 1",
        "1 Gi",
        "+",
        "-",
        ".",
        "1K",
        "1_000",
        "1e3m",
        "12e6Ki",
        "1mi",
        "1GI",
        "1e",
        "1e+",
        "1e1.5",
        "NaN",
        "inf",
        "Infinity",
        "0x10",
        "1,5",
        "１",
        "٣",
        "1²",
        "--1",
        "1.2.3",
        "1\n",
        "1" * 65,
        "1e129",
        "1e999999999",
    ],
)
def test_what_the_api_server_refuses_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(QuantityError) as caught:
        value(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.text(max_size=70))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_quantity_or_refused_as_one(text: str) -> None:
    try:
        found = value(text)
    except QuantityError:
        return
    assert abs(found) <= CAP


def test_cpu_counts_in_thousandths_and_the_rest_in_whole_units() -> None:
    assert (amount("cpu", "7.5"), amount("memory", "64Gi"), amount("nvidia.com/gpu", "8")) == (7500, 64 << 30, 8)


def test_a_negative_amount_is_refused() -> None:
    with pytest.raises(QuantityError, match="negative"):
        amount("cpu", "-1m")


@pytest.mark.parametrize(("scalar", "text"), [("2", "2"), (2, "2"), (0.5, "0.5"), (1e22, "1e+22"), (-3, "-3")])
def test_numbers_of_yaml_are_quantities_too(scalar: object, text: str) -> None:
    assert text_of(scalar) == text


@pytest.mark.parametrize(
    "scalar", [True, None, [1], {}, float("nan"), float("inf"), 10**5000], ids=lambda scalar: type(scalar).__name__
)
def test_other_scalars_are_none(scalar: object) -> None:
    with pytest.raises(QuantityError):
        text_of(scalar)


@given(st.integers(-(2**63), 2**63))
@settings(max_examples=200, deadline=None)
def test_whole_cores_and_exact_bytes_read_back_as_they_were(number: int) -> None:
    assert milli(format_amount("cpu", number)) == max(-CAP, min(CAP, number))
    kibibytes = number % 90_000
    assert value(format_amount("memory", kibibytes << 10)) == kibibytes << 10


@pytest.mark.parametrize(
    ("resource", "number", "text"),
    [
        ("cpu", 0, "0"),
        ("cpu", 1, "0.001"),
        ("cpu", 7500, "7.5"),
        ("cpu", 8000, "8"),
        ("cpu", -250, "-0.25"),
        ("cpu", CAP, "9223372036854775.807"),
        ("nvidia.com/gpu", 8, "8"),
        ("pods", 110, "110"),
        ("memory", 0, "0"),
        ("memory", 1023, "1023"),
        ("memory", 64 << 30, "64Gi"),
        ("memory", 3 << 29, "1536Mi"),
        ("memory", 63975 << 20, "63975Mi"),
        ("memory", (64 << 30) - (3 << 10), "64.0Gi"),
        ("memory", -(5 << 40), "-5Ti"),
        ("ephemeral-storage", 10**12, "931.3Gi"),
        ("hugepages-2Mi", 4 << 20, "4Mi"),
    ],
)
def test_amounts_are_shown_as_people_write_them(resource: str, number: int, text: str) -> None:
    assert format_amount(resource, number) == text


@given(st.integers(1, CAP))
@settings(max_examples=200, deadline=None)
def test_bytes_are_shown_to_a_tenth_of_their_unit(number: int) -> None:
    text = format_amount("memory", number)
    unit = value(f"1{text.lstrip('0123456789.')}")

    assert abs(slow(text, Fraction(1)) - number) <= unit / 20 + 1


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1e-128", 1),
        ("0.1e-99", 1),
        ("1e" + "0" * 50 + "3", 1000),
        ("9" * 60 + "E99", CAP),
        ("0e128", 0),
        ("-1e128", -CAP),
    ],
)
def test_exponents_up_to_128_are_read(text: str, wanted: int) -> None:
    assert value(text) == wanted


@pytest.mark.parametrize("text", ["1e129", "1e-129", "1E+999", "1e99999999999999999999999999999999", "0e129"])
def test_larger_exponents_are_refused_without_building_their_numbers(text: str) -> None:
    with pytest.raises(QuantityError, match="has an exponent beyond 128; write the number out"):
        value(text)
