"""Durations, percentages and amounts as a policy writes them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.scalars import count_or_share, duration, duration_text, percentage, percentage_text, quantities


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("0s", 0),
        ("-0s", 0),
        ("10m", 600),
        ("+10m", 600),
        ("1h30m", 5400),
        ("30m1h", 5400),
        ("1.5h", 5400),
        (".5m", 30),
        ("1.s", 1),
        ("500ms", 0.5),
        ("250us", 0.00025),
        ("250µs", 0.00025),
        ("14d", 14 * 86400),
        ("1d12h", 129600),
        ("1d0", 86400),
        ("0000014d", 14 * 86400),
        ("366d", 366 * 86400),
    ],
)
def test_durations_are_go_durations_with_days(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "must be a duration such as 10m or 1h30m, got ''"),
        ("10", "must be a duration such as 10m or 1h30m, got '10'"),
        ("1w", "must be a duration such as 10m or 1h30m, got '1w'"),
        ("1y", "must be a duration such as 10m or 1h30m, got '1y'"),
        ("1mm", "must be a duration such as 10m or 1h30m, got '1mm'"),
        ("1M", "must be a duration such as 10m or 1h30m, got '1M'"),
        ("1h 30m", "must be a duration such as 10m or 1h30m, got '1h 30m'"),
        ("1h-30m", "must be a duration such as 10m or 1h30m, got '1h-30m'"),
        ("1h\n", "must be a duration such as 10m or 1h30m, got '1h\\n'"),
        ("1..5h", "must be a duration such as 10m or 1h30m, got '1..5h'"),
        ("1e3s", "must be a duration such as 10m or 1h30m, got '1e3s'"),
        ("2h1d", "must be a duration such as 10m or 1h30m, got '2h1d'"),
        ("1.5d", "must be a duration such as 10m or 1h30m, got '1.5d'"),
        ("١h", "must be a duration such as 10m or 1h30m, got '١h'"),
        (".h", "must be a duration such as 10m or 1h30m, got '.h'"),
        ("infs", "must be a duration such as 10m or 1h30m, got 'infs'"),
        ("s" * 5000, f"must be a duration such as 10m or 1h30m, got '{'s' * 56}..."),
        (10, "must be a duration such as 10m or 1h30m, got 10"),
        (1.5, "must be a duration such as 10m or 1h30m, got 1.5"),
        (True, "must be a duration such as 10m or 1h30m, got True"),
        (None, "must be a duration such as 10m or 1h30m, got None"),
        (["1h"], "must be a duration such as 10m or 1h30m, got a list"),
        ("-1h", "must not be negative, got '-1h'"),
        ("367d", "must be a duration of at most a year, got '367d'"),
        ("9" * 60 + "h", f"must be a duration of at most a year, got '{'9' * 56}..."),
    ],
)
def test_other_durations_are_refused_in_one_sentence(given: object, told: str) -> None:
    with pytest.raises(ValueError, match="must") as caught:
        duration(given)

    assert str(caught.value) == told


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 366 * 86_400_000))
def test_a_duration_as_text_reads_back_as_it_was(milliseconds: int) -> None:
    seconds = milliseconds / 1000

    assert duration(duration_text(seconds)) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (1.5, "1.5s"), (60, "1m"), (5400, "1h30m"), (3601, "1h1s"), (14 * 86400, "336h"), (59.9999999, "1m")],
)
def test_a_duration_is_written_as_go_writes_it_without_zeros(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@pytest.mark.parametrize(
    ("text", "share"),
    [("0%", 0.0), ("45%", 0.45), ("0.5%", 0.005), ("99.999%", 0.99999), ("100%", 1.0), ("007%", 0.07)],
)
def test_percentages_are_shares_of_one(text: str, share: float) -> None:
    assert percentage(text) == pytest.approx(share)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 100_000))
def test_a_percentage_as_text_reads_back_as_it_was(thousandths: int) -> None:
    share = percentage(f"{thousandths // 1000}.{thousandths % 1000:03}%")

    assert percentage(percentage_text(share)) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    "given", ["10", "101%", "-1%", "1.2345%", " 1%", "1 %", "1%\n", "\uff11%", ".5%", "%", 10, 0.1, True]
)
def test_other_percentages_are_refused(given: object) -> None:
    with pytest.raises(ValueError, match="must be"):
        percentage(given)


@pytest.mark.parametrize(("given", "wanted"), [(0, 0), (7, 7), ("0%", 0.0), ("100%", 1.0), (1_000_000, 1_000_000)])
def test_a_count_and_a_share_are_told_apart_by_their_type(given: object, wanted: float) -> None:
    found = count_or_share(given)

    assert (type(found), found) == (type(wanted), wanted)


@pytest.mark.parametrize("given", [-1, 1_000_001, 1.0, True, None, "7", "-1%", [1]])
def test_other_counts_are_refused(given: object) -> None:
    with pytest.raises(ValueError, match="must be"):
        count_or_share(given)


def test_amounts_are_in_the_units_of_the_model() -> None:
    given = {"cpu": "500m", "memory": "4Gi", "pods": 110, "nvidia.com/gpu": "8", "rdma/shared": 1, "a/b": "1k"}

    assert quantities(given) == {
        "cpu": 500,
        "memory": 4 << 30,
        "pods": 110,
        "nvidia.com/gpu": 8,
        "rdma/shared": 1,
        "a/b": 1000,
    }
