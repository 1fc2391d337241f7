"""The generated GPU fleets of the benchmark: cost over a bound that no purchase can be under."""

from __future__ import annotations

import numpy as np
import pytest

from autoscaler.planning.purchase import Effort, purchase
from benchmarks.fleets import Fleet, fleet
from benchmarks.purchase import CHOICES as FIRST_FIT_CHOICES
from benchmarks.purchase import first_fit_decreasing, lower_bound, place_again


def over(cost: float, case: Fleet) -> float:
    return (cost / lower_bound(case) - 1) * 100


@pytest.mark.parametrize(("pods", "seed", "percent"), [(1_000, 1, 5.0), (1_000, 2, 5.0), (10_000, 1, 3.0)])
def test_a_fleet_is_bought_within_a_few_percent_of_the_bound(pods: int, seed: int, percent: float) -> None:
    case = fleet(seed, pods)
    bought = purchase(case.requests, case.demand, case.market)
    place_again(case, bought)
    assert over(bought.cost, case) <= percent


@pytest.mark.parametrize("seed", [2, 4])
def test_each_method_is_worth_its_time(seed: int) -> None:
    case = fleet(seed, 1_000)
    thorough = purchase(case.requests, case.demand, case.market)
    quick = purchase(case.requests, case.demand, case.market, effort=Effort.QUICK)
    plain = min(first_fit_decreasing(case, choose) for choose in FIRST_FIT_CHOICES.values())
    place_again(case, quick)
    assert thorough.cost < quick.cost * 0.998
    assert quick.cost < plain


def test_a_plan_that_is_wrong_is_found_out() -> None:
    case = fleet(1, 1_000)
    bought = purchase(case.requests, case.demand, case.market)
    with pytest.raises(ValueError, match="pods without a node"):
        place_again(Fleet(case.requests, case.demand + 1, case.market, case.machines, 0), bought)
    with pytest.raises(ValueError, match="too full"):
        place_again(Fleet(case.requests * 9, case.demand, case.market, case.machines, 0), bought)


def test_a_fleet_is_the_same_for_the_same_seed() -> None:
    one, other, third = fleet(3, 500), fleet(3, 500), fleet(4, 500)
    assert (one.requests == other.requests).all()
    assert (one.demand == other.demand).all()
    assert not np.array_equal(one.requests, third.requests)
