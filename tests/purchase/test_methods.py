"""The methods behind a purchase, each against a plainer way to say the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autoscaler.planning.purchase import Market, purchase
from autoscaler.planning.purchase import bounds as lower
from autoscaler.planning.purchase.dominance import components, undominated
from autoscaler.planning.purchase.dynamic import cover
from autoscaler.planning.purchase.firstfit import Rows
from autoscaler.planning.purchase.linear import LinearProgram, NotSolvedError
from autoscaler.planning.purchase.patterns import PatternMaker, alone, shares
from autoscaler.planning.purchase.problem import Nodes, Problem, build, pods_per_node
from autoscaler.planning.purchase.rightsize import right_size, top_up
from autoscaler.planning.purchase.stock import Stock
from tests.purchase.oracle import market
from tests.purchase.strategies import Case, cases


def problem_of(case: Case) -> Problem:
    """All classes that have demand and fit somewhere, all templates that take one of them."""
    offer = case.market
    fits = pods_per_node(case.requests, offer.capacity, offer.compatible, case.demand)
    classes = np.flatnonzero(fits.any(axis=1))
    templates = np.flatnonzero(fits.any(axis=0))
    caps = np.array([limit.coefficients for limit in offer.limits]).reshape(len(offer.limits), len(offer.price))
    return build(case.requests, case.demand, offer.capacity, fits, offer.price + 1e-6, caps, classes, templates)


def problem(requests: list[list[int]], demand: list[int], offer: Market) -> Problem:
    return problem_of(Case(np.array(requests), np.array(demand), offer))


def test_classes_are_sorted_the_dearest_first_whatever_order_they_come_in() -> None:
    offer = market([[8, 99], [2, 99]], [8.0, 3.0], classes=3)
    asked = problem([[1, 1], [8, 1], [2, 1]], [9, 9, 9], offer)
    assert asked.classes.tolist() == [1, 2, 0]


@given(cases(max_classes=6, max_templates=6, max_pods=60), st.integers(0, 1))
@settings(max_examples=60, deadline=None)
def test_patterns_one_by_one_and_all_at_once_are_the_same(case: Case, order: int) -> None:
    asked = problem_of(case)
    assume(asked.fits.size)
    maker = PatternMaker(asked, shares(asked), alone(asked, asked.demand))
    together = maker.many(np.arange(len(asked.price)), order, asked.demand)
    for template, counts in enumerate(together):
        worth, pattern = maker.one(template, order, asked.demand.tolist())
        assert pattern == tuple((cls, pods) for cls, pods in enumerate(counts.tolist()) if pods)
        assert worth == pytest.approx(float(counts @ np.array(maker.values)))


@given(cases(max_classes=5, max_templates=5, max_pods=40))
@settings(max_examples=60, deadline=None)
def test_a_seeded_pattern_holds_its_seed_and_fits(case: Case) -> None:
    asked = problem_of(case)
    templates, seeds = np.nonzero(asked.fits.T)
    assume(len(seeds))
    maker = PatternMaker(asked, shares(asked), alone(asked, asked.demand))
    counts = maker.many(templates, 0, asked.demand, seeds)
    assert (counts[np.arange(len(seeds)), seeds] >= 1).all()
    assert (counts <= asked.demand[None, :]).all()
    assert (counts @ asked.requests <= asked.capacity[templates]).all()
    assert (counts[asked.fits.T[templates] == 0] == 0).all()


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 900)), min_size=1, max_size=5),
    st.integers(1, 400),
)
@settings(max_examples=100, deadline=None)
def test_one_class_of_any_size_is_bought_at_the_least_cost(offers: list[tuple[int, int]], pods: int) -> None:
    offer = market([[k, 100] for k, _ in offers], [float(cents) for _, cents in offers])
    bought = purchase(np.array([[1, 1]]), np.array([pods]), offer)
    least = [0]
    for n in range(1, pods + 1):
        least.append(min(cents + least[max(0, n - k)] for k, cents in offers))
    assert bought.cost == least[pods]


def test_one_class_of_very_many_small_pods_is_bought_too() -> None:
    offer = market([[97, 200], [110, 200], [64, 200], [13, 200]], [97.5, 109.0, 70.0, 15.0])
    bought = purchase(np.array([[1, 1]]), np.array([150_000]), offer)
    assert bought.unserved.tolist() == [0]
    assert bought.lower_bound <= bought.cost <= bought.lower_bound * 1.001


@given(cases(max_classes=4, max_templates=6, max_pods=30))
@settings(max_examples=60, deadline=None)
def test_a_template_is_dropped_only_for_a_better_one(case: Case) -> None:
    asked = problem_of(case)
    kept = undominated(asked).tolist()
    for dropped in set(range(len(asked.price))) - set(kept):
        assert any(
            asked.price[other] <= asked.price[dropped]
            and ((asked.fits[:, other] >= asked.fits[:, dropped]) | (asked.fits[:, dropped] == 0)).all()
            for other in kept
        )


def test_of_equal_templates_the_first_is_kept() -> None:
    asked = problem([[1, 1]], [5], market([[4, 9], [4, 9], [4, 9]], [1.0, 1.0, 1.0]))
    assert undominated(asked).tolist() == [0]


def test_room_that_nobody_needs_makes_no_template_better() -> None:
    asked = problem([[1, 1]], [2], market([[2, 9], [400, 9]], [1.0, 1.1]))
    assert undominated(asked).tolist() == [0]


def test_classes_that_share_no_template_are_bought_apart() -> None:
    compatible = [[True, False, True], [False, True, False], [False, False, True]]
    offer = market([[4, 9]] * 3, [1.0, 2.0, 3.0], classes=3, compatible=compatible)
    asked = problem([[1, 1]] * 3, [2, 2, 2], offer)
    parts = components(asked, np.arange(3))
    assert sorted(sorted(asked.classes[classes].tolist()) for classes, _ in parts) == [[0, 2], [1]]
    assert sorted(asked.templates[templates].tolist() for _, templates in parts) == [[0, 2], [1]]


@given(cases(max_classes=5, max_templates=5, max_pods=30))
@settings(max_examples=60, deadline=None)
def test_no_bound_is_above_the_cost_of_a_plan(case: Case) -> None:
    asked = problem_of(case)
    assume(asked.fits.size)
    bought = purchase(case.requests, case.demand, case.market)
    cost = bought.cost + 1e-6 * bought.nodes
    assert lower.quick(asked) <= cost * (1 + 1e-9) + 1e-9
    assert lower.fractional(asked) <= cost * (1 + 1e-6) + 1e-6


def test_the_fractional_bound_buys_half_a_node() -> None:
    asked = problem([[1, 1]], [6], market([[4, 9]], [10.0]))
    assert lower.fractional(asked) == pytest.approx(15.0)


def test_a_program_without_an_answer_is_said_to_have_none() -> None:
    program = LinearProgram(np.array([1.0]), np.array([np.inf]))
    with pytest.raises(NotSolvedError):
        program.solve()
    program.add([2.0], np.array([[4.0]]))
    assert program.solve()[0] == pytest.approx(0.5)


def test_too_many_states_are_left_to_other_methods() -> None:
    asked = problem([[1, 1], [2, 1], [3, 1]], [20, 20, 20], market([[8, 9]], [1.0], classes=3))
    assert cover(asked, asked.demand.tolist()) is None
    assert cover(asked, [2, 2, 2]) is not None


def test_a_node_is_exchanged_for_the_cheapest_that_holds_its_pods() -> None:
    asked = problem([[1, 1]], [9], market([[8, 9], [2, 9], [4, 9]], [8.0, 1.0, 3.0]))
    plan = [Nodes(0, ((0, 8),), 1), Nodes(0, ((0, 2),), 3), Nodes(2, ((0, 3),), 1)]
    assert right_size(asked, plan) == [Nodes(0, ((0, 8),), 1), Nodes(1, ((0, 2),), 3), Nodes(2, ((0, 3),), 1)]


def test_an_exchange_keeps_the_caps() -> None:
    offer = market([[8, 9], [2, 9]], [8.0, 1.0], limits=[([0, 1], 2)])
    asked = problem([[1, 1]], [9], offer)
    stock = Stock(asked, np.array([2.0]))
    assert right_size(asked, [Nodes(0, ((0, 2),), 3)], stock) == [Nodes(0, ((0, 2),), 1), Nodes(1, ((0, 2),), 2)]


def test_a_cap_counts_what_is_taken_and_given_back() -> None:
    asked = problem([[1, 1]], [9], market([[8, 9], [2, 9]], [8.0, 1.0], limits=[([4, 1], 9)]))
    stock = Stock(asked, np.array([9.0]))
    assert (stock.allowed(0), stock.allowed(1)) == (2, 9)
    stock.take(0, 1)
    assert (stock.allowed(0), stock.allowed(1)) == (1, 5)
    assert stock.admits([Nodes(0, (), 1), Nodes(1, (), 1)])
    assert not stock.admits([Nodes(0, (), 1), Nodes(1, (), 2)])
    stock.take(0, -1)
    assert stock.allowed(0) == 2


def test_pods_fill_the_room_left_before_anything_is_bought() -> None:
    asked = problem([[2, 1], [1, 1]], [3, 5], market([[8, 9]], [1.0], classes=2))
    two, one = (int(np.flatnonzero(asked.classes == cls)[0]) for cls in (0, 1))
    remaining = [0, 0]
    remaining[one] = 5
    filled = top_up(asked, [Nodes(0, ((two, 3),), 2)], remaining, range(2))
    assert sum(nodes.number * dict(nodes.pattern).get(one, 0) for nodes in filled) == 4
    assert remaining[one] == 1


def test_a_group_of_nodes_is_filled_as_pod_by_pod_first_fit_would() -> None:
    asked = problem([[3, 1], [1, 1]], [9, 30], market([[8, 99]], [1.0], classes=2))
    three, one = (int(np.flatnonzero(asked.classes == cls)[0]) for cls in (0, 1))
    rows = Rows(asked)
    rows.add(0, 4, np.array([2, 97]), [(three, 2)])
    assert rows.fill(one, 5) == 0
    assert sorted((nodes.number, dict(nodes.pattern).get(one, 0)) for nodes in rows.plan()) == [(1, 0), (1, 1), (2, 2)]


HARD = "requests = np.array([[3, 1, 1], [5, 1, 1], [7, 1, 2], [1, 1, 0]])"
PROGRAM = f"""
import sys
import numpy as np
from autoscaler.planning.purchase import Effort, Market, purchase
{HARD}
market = Market(
    np.array([[8, 20, 2], [17, 20, 4], [31, 20, 8]]), np.array([1.0, 2.1, 3.9]), np.ones((4, 3), bool), (),
    np.zeros(3, dtype=np.int64),
)
"""


def _run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, check=True).stdout


def test_a_solver_is_loaded_only_where_it_may_pay_and_writes_nothing() -> None:
    program = """
purchase(requests[:1], np.array([500]), Market(market.capacity, market.price, market.compatible[:1], (), market.tier))
purchase(requests, np.array([2, 1, 1, 2]), market)
purchase(requests, np.array([30, 20, 30, 40]), market, effort=Effort.QUICK)
before = "highspy" in sys.modules
bought = purchase(requests, np.array([30, 20, 30, 40]), market)
sys.stdout.write(f"{before} {'highspy' in sys.modules}")
"""
    assert _run(program) == "False True"


def test_without_a_solver_there_is_still_an_answer() -> None:
    program = """
sys.modules["highspy"] = None
bought = purchase(requests, np.array([30, 20, 30, 40]), market)
quick = purchase(requests, np.array([30, 20, 30, 40]), market, effort=Effort.QUICK)
sys.stdout.write(f"{bought.bought == quick.bought} {bought.unserved.sum()}")
"""
    assert _run(program) == "True 0"


@given(cases(max_classes=5, max_templates=4, max_pods=40))
@settings(max_examples=40, deadline=None)
def test_unrelated_purchases_cost_the_same_together_and_apart(case: Case) -> None:
    classes, templates = case.market.compatible.shape
    nothing = np.zeros((classes, templates), dtype=bool)
    both = Market(
        capacity=np.concatenate([case.market.capacity, case.market.capacity]),
        price=np.concatenate([case.market.price, case.market.price]),
        compatible=np.block([[case.market.compatible, nothing], [nothing, case.market.compatible]]),
        limits=(),
        tier=np.zeros(2 * templates, dtype=np.int64),
    )
    alone_ = purchase(case.requests, case.demand, replace(case.market, limits=()))
    together = purchase(np.tile(case.requests, (2, 1)), np.tile(case.demand, 2), both)
    assert together.cost == pytest.approx(2 * alone_.cost, abs=1e-3)
