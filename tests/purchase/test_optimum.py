"""Against a search through all plans, where that is possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from autoscaler.planning.purchase import Effort, purchase
from tests.purchase.oracle import best, check, market
from tests.purchase.strategies import Case, cases


@given(cases(max_classes=4, max_templates=4, max_pods=6))
@settings(max_examples=150, deadline=None)
def test_a_handful_of_pods_is_bought_at_the_least_possible_cost(case: Case) -> None:
    bought = purchase(case.requests, case.demand, case.market)
    check(case.requests, case.demand, case.market, bought)
    served, cost = best(case.requests, case.demand, case.market)
    assert int(case.demand.sum() - bought.unserved.sum()) == served
    assert bought.cost == pytest.approx(cost, abs=1e-4)


@given(cases(max_classes=3, max_templates=3, max_pods=5, limited=True))
@settings(max_examples=60, deadline=None)
def test_under_limits_the_most_pods_are_served_at_the_least_possible_cost(case: Case) -> None:
    bought = purchase(case.requests, case.demand, case.market)
    check(case.requests, case.demand, case.market, bought)
    served, cost = best(case.requests, case.demand, case.market)
    assert int(case.demand.sum() - bought.unserved.sum()) == served
    assert bought.cost == pytest.approx(cost, abs=1e-4)


@given(cases(max_classes=4, max_templates=4, max_pods=6))
@settings(max_examples=60, deadline=None)
def test_the_quick_effort_is_exact_for_a_handful_of_pods_too(case: Case) -> None:
    bought = purchase(case.requests, case.demand, case.market, effort=Effort.QUICK)
    served, cost = best(case.requests, case.demand, case.market)
    assert int(case.demand.sum() - bought.unserved.sum()) == served
    assert bought.cost == pytest.approx(cost, abs=1e-4)


@pytest.mark.parametrize(
    ("cpus", "demand", "machines", "price", "least"),
    [
        ([2, 7, 6], [12, 7, 7], [9, 29], [9.0, 10.0], 40.0),  # 115 cpus: four nodes of 29 at the least
        ([6, 9, 8], [18, 12, 9], [27, 15], [8.0, 25.0], 88.0),  # 288 cpus: eleven nodes of 27 at the least
    ],
)
def test_a_small_batch_is_bought_at_the_least_cost_though_rules_of_thumb_fail(
    cpus: list[int], demand: list[int], machines: list[int], price: list[float], least: float
) -> None:
    requests, wanted = np.array([[cpu, 1] for cpu in cpus]), np.array(demand)
    offer = market([[cpu, 20] for cpu in machines], price, classes=len(cpus))
    bought = purchase(requests, wanted, offer)
    check(requests, wanted, offer, bought)
    assert bought.cost == least
    assert purchase(requests, wanted, offer, effort=Effort.QUICK).cost > least


@pytest.mark.parametrize(
    ("requests", "demand", "machines", "price", "nodes"),
    [
        ([[5, 1, 0], [1, 1, 1], [2, 1, 1]], [1, 2, 3], [[7, 20, 3], [11, 20, 1], [11, 20, 1]], [7.0, 7.0, 3.0], 2),
        ([[4, 1, 2], [3, 1, 0]], [3, 2], [[7, 20, 2], [6, 20, 4], [6, 20, 3]], [4.0, 2.0, 8.0], 3),
    ],
)
def test_a_small_batch_makes_the_most_of_a_cap_though_rules_of_thumb_fail(
    requests: list[list[int]], demand: list[int], machines: list[list[int]], price: list[float], nodes: int
) -> None:
    asked, wanted = np.array(requests), np.array(demand)
    offer = market(machines, price, classes=len(demand), limits=[([1.0] * len(price), nodes)])
    bought = purchase(asked, wanted, offer)
    check(asked, wanted, offer, bought)
    assert bought.unserved.tolist() == [0] * len(demand)
    assert bought.cost == best(asked, wanted, offer)[1]
    assert purchase(asked, wanted, offer, effort=Effort.QUICK).unserved.any()
