"""How long a taint is given to reach the scheduler, and how calls are limited."""

from __future__ import annotations

import pytest

from autoscaler.control.latency import Latency
from autoscaler.control.proxies.bucket import TokenBucket


@pytest.mark.parametrize(
    ("calls", "settle"),
    [
        ([], 5.0),
        ([0.1] * 50, 5.0),
        ([2.4] * 50, 5.0),
        ([4.0], 8.0),
        ([0.1] * 99 + [30.0], 60.0),
        ([0.1] * 199 + [30.0], 5.0),  # one call in two hundred is beyond the 99th percentile
    ],
)
def test_a_taint_is_given_five_seconds_or_twice_what_calls_take(calls: list[float], settle: float) -> None:
    latency = Latency()
    for seconds in calls:
        latency.took(seconds)

    assert latency.settle_s() == pytest.approx(settle)


def test_old_calls_are_forgotten() -> None:
    latency = Latency()
    for seconds in [30.0] * 10 + [0.1] * 300:
        latency.took(seconds)

    assert latency.settle_s() == 5.0


def test_a_bucket_lets_a_burst_through_and_then_its_rate() -> None:
    bucket = TokenBucket(rate=2.0, size=3.0)

    assert [bucket.take(10.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert bucket.take(10.0) == pytest.approx(0.5)
    assert bucket.take(10.5) == 0.0
    assert bucket.take(10.5) == pytest.approx(0.5)


def test_a_bucket_never_holds_more_than_its_size() -> None:
    bucket = TokenBucket(rate=2.0, size=3.0)
    bucket.take(0.0)

    assert [bucket.take(1000.0) for _ in range(4)][:3] == [0.0, 0.0, 0.0]
    assert bucket.take(1000.0) > 0
