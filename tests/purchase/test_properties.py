"""What holds for every purchase."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autoscaler.planning.purchase import Effort, Market, purchase
from autoscaler.planning.purchase.market import IntArray
from tests.purchase.oracle import check
from tests.purchase.strategies import Case, cases, rough_cases

MIDDLE = cases(max_classes=6, max_templates=6, max_pods=60)
LIMITED = cases(max_classes=5, max_templates=5, max_pods=40, limited=True)


def _permuted(case: Case, classes: IntArray, templates: IntArray) -> Case:
    market = Market(
        capacity=case.market.capacity[templates],
        price=case.market.price[templates],
        compatible=case.market.compatible[np.ix_(classes, templates)],
        limits=tuple(replace(limit, coefficients=limit.coefficients[templates]) for limit in case.market.limits),
        tier=case.market.tier[templates],
    )
    return Case(case.requests[classes], case.demand[classes], market)


@given(st.one_of(MIDDLE, LIMITED), st.sampled_from(Effort))
@settings(max_examples=120, deadline=None)
def test_every_node_holds_its_pods_and_every_limit_holds(case: Case, effort: Effort) -> None:
    check(case.requests, case.demand, case.market, purchase(case.requests, case.demand, case.market, effort=effort))


@given(MIDDLE)
@settings(max_examples=60, deadline=None)
def test_without_limits_all_pods_are_served_that_fit_anywhere(case: Case) -> None:
    bought = purchase(case.requests, case.demand, case.market)
    fits = (case.requests[:, None, :] <= case.market.capacity[None, :, :]).all(axis=2) & case.market.compatible
    possible = fits.any(axis=1)
    assert bought.unserved.tolist() == np.where(possible, 0, case.demand).tolist()
    assert bought.impossible.tolist() == (~possible).tolist()


@given(MIDDLE)
@settings(max_examples=60, deadline=None)
def test_the_bound_is_at_most_the_cost(case: Case) -> None:
    bought = purchase(case.requests, case.demand, case.market)
    assert bought.lower_bound <= bought.cost * (1 + 1e-9) + 1e-9


@given(MIDDLE, st.data())
@settings(max_examples=60, deadline=None)
def test_one_more_template_never_leaves_a_pod_unserved_that_was_served(case: Case, data: st.DataObject) -> None:
    assume(len(case.market.price) > 1)
    without = data.draw(st.integers(0, len(case.market.price) - 1))
    kept = np.delete(np.arange(len(case.market.price)), without)
    fewer = _permuted(case, np.arange(len(case.demand)), kept)
    before = purchase(fewer.requests, fewer.demand, fewer.market)
    after = purchase(case.requests, case.demand, case.market)
    assert (after.unserved <= before.unserved).all()


@given(MIDDLE, st.sampled_from([2.0, 10.0, 0.5]))
@settings(max_examples=60, deadline=None)
def test_scaled_prices_scale_the_cost(case: Case, factor: float) -> None:
    before = purchase(case.requests, case.demand, case.market)
    scaled = replace(case.market, price=case.market.price * factor)
    after = purchase(case.requests, case.demand, scaled, node_overhead_usd=1e-6 * factor)
    assert after.cost == pytest.approx(before.cost * factor)
    assert after.nodes == before.nodes


@given(st.one_of(MIDDLE, LIMITED), st.data())
@settings(max_examples=100, deadline=None)
def test_the_order_of_classes_and_templates_changes_nothing(case: Case, data: st.DataObject) -> None:
    # Where prices tie, the lower template wins: make them differ by amounts that no sum of others makes up for.
    distinct = np.array([2.0**-t for t in range(len(case.market.price))]) * 1e-3
    case = replace(case, market=replace(case.market, price=case.market.price + distinct))
    classes = np.array(data.draw(st.permutations(range(len(case.demand)))))
    templates = np.array(data.draw(st.permutations(range(len(case.market.price)))))
    before = purchase(case.requests, case.demand, case.market)
    other = _permuted(case, classes, templates)
    after = purchase(other.requests, other.demand, other.market)
    assert after.unserved.sum() == before.unserved.sum()
    assert after.cost == pytest.approx(before.cost)
    if not case.market.limits:
        nodes = Counter[int]()
        for group in after.bought:
            nodes[int(templates[group.template])] += group.count
        assert nodes == sum((Counter({group.template: group.count}) for group in before.bought), Counter[int]())


@given(st.one_of(MIDDLE, LIMITED))
@settings(max_examples=40, deadline=None)
def test_the_same_purchase_twice_is_the_same(case: Case) -> None:
    once = purchase(case.requests, case.demand, case.market)
    again = purchase(case.requests.copy(), case.demand.copy(), case.market)
    assert again.bought == once.bought
    assert again.method == once.method


@given(MIDDLE)
@settings(max_examples=60, deadline=None)
def test_more_work_never_costs_more(case: Case) -> None:
    quick = purchase(case.requests, case.demand, case.market, effort=Effort.QUICK)
    thorough = purchase(case.requests, case.demand, case.market)
    assert thorough.cost <= quick.cost + 1e-6 * quick.nodes


@given(LIMITED, st.data())
@settings(max_examples=60, deadline=None)
def test_limits_never_cost_an_important_pod_for_an_unimportant_one(case: Case, data: st.DataObject) -> None:
    priority = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(case.demand), max_size=len(case.demand))))
    bought = purchase(case.requests, case.demand, case.market, priority=priority)
    check(case.requests, case.demand, case.market, bought)
    top = priority == priority.max()
    alone = purchase(case.requests, np.where(top, case.demand, 0), case.market)
    assert bought.unserved[top].sum() <= alone.unserved[top].sum()


@given(rough_cases(), st.lists(st.sampled_from([0, 0, 10, -10]), min_size=5, max_size=5), st.sampled_from(Effort))
@settings(max_examples=100, deadline=None)
def test_a_pod_is_left_out_only_where_no_room_is_left_and_no_node_may_be_added(
    case: Case, priorities: list[int], effort: Effort
) -> None:
    offer, priority = case.market, np.array(priorities[: len(case.demand)])
    bought = purchase(case.requests, case.demand, offer, priority=priority, effort=effort)
    check(case.requests, case.demand, offer, bought)
    nodes = np.zeros(len(offer.price))
    for group in bought.bought:
        nodes[group.template] += group.count
    for cls in np.flatnonzero(bought.unserved):
        takes = offer.compatible[cls] & (case.requests[cls] <= offer.capacity).all(axis=1)
        for template in np.flatnonzero(takes):
            weights = [(limit.coefficients, limit.bound) for limit in offer.limits]
            assert any(row[template] > 0 and row @ nodes + row[template] > bound for row, bound in weights)
        for group in bought.bought:
            used = sum(pods * case.requests[held] for held, pods in group.pattern)
            assert not (takes[group.template] and (used + case.requests[cls] <= offer.capacity[group.template]).all())
