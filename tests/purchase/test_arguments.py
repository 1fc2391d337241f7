"""Wrong arguments are refused in one sentence that names them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from autoscaler.planning.purchase import Limit, Market, purchase
from tests.purchase.oracle import market

REQUESTS = np.array([[1000, 1, 1], [2000, 1, 0]])
DEMAND = np.array([3, 4])
OFFER = market([[8000, 110, 1]], [1.0], classes=2)


def _limited(coefficients: list[float], bound: float) -> Market:
    return replace(OFFER, limits=(Limit(np.array(coefficients), bound),))


CASES: list[tuple[str, Callable[[], object]]] = [
    (r"requests has shape \(2,\)", lambda: purchase(DEMAND, DEMAND, OFFER)),
    (r"demand has shape \(3,\), expected \(2,\)", lambda: purchase(REQUESTS, np.array([1, 2, 3]), OFFER)),
    (
        r"capacity has shape \(1, 2\), expected \(1, 3\)",
        lambda: purchase(REQUESTS, DEMAND, replace(OFFER, capacity=np.array([[1, 1]]))),
    ),
    (
        r"compatible has shape \(1, 1\), expected \(2, 1\)",
        lambda: purchase(REQUESTS, DEMAND, replace(OFFER, compatible=np.array([[True]]))),
    ),
    (
        r"tier has shape \(2,\), expected \(1,\)",
        lambda: purchase(REQUESTS, DEMAND, replace(OFFER, tier=np.array([0, 0]))),
    ),
    (
        r"limits\[0\].coefficients has shape \(2,\), expected \(1,\)",
        lambda: purchase(REQUESTS, DEMAND, _limited([1.0, 1.0], 1)),
    ),
    (r"priority has shape \(1,\), expected \(2,\)", lambda: purchase(REQUESTS, DEMAND, OFFER, priority=np.array([1]))),
    ("requests has a negative amount", lambda: purchase(-REQUESTS, DEMAND, OFFER)),
    ("demand has a negative amount", lambda: purchase(REQUESTS, -DEMAND, OFFER)),
    ("capacity has a negative amount", lambda: purchase(REQUESTS, DEMAND, replace(OFFER, capacity=-OFFER.capacity))),
    (r"limits\[0\].coefficients has a negative", lambda: purchase(REQUESTS, DEMAND, _limited([-1.0], 1))),
    (r"limits\[0\].coefficients has a negative", lambda: purchase(REQUESTS, DEMAND, _limited([float("nan")], 1))),
    (r"limits\[0\].bound is not a number", lambda: purchase(REQUESTS, DEMAND, _limited([1.0], float("nan")))),
    ("price has a negative amount", lambda: purchase(REQUESTS, DEMAND, replace(OFFER, price=np.array([-1.0])))),
    ("node_overhead_usd is 0.0", lambda: purchase(REQUESTS, DEMAND, OFFER, node_overhead_usd=0.0)),
]


@pytest.mark.parametrize(("message", "call"), CASES, ids=[message for message, _ in CASES])
def test_a_wrong_argument_is_named(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_the_arguments_are_left_as_they_were() -> None:
    requests, demand = REQUESTS.copy(), DEMAND.copy()
    offer = _limited([1.0], 2)
    purchase(requests, demand, offer, priority=np.array([0, 1]))
    assert (requests == REQUESTS).all()
    assert (demand == DEMAND).all()
    assert (offer.capacity == OFFER.capacity).all()
