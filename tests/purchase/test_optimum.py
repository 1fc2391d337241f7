"""Against a search through all plans, where that is possible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from autoscaler.planning.purchase import Effort, purchase
from tests.purchase.oracle import best, check
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
