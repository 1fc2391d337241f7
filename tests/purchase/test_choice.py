"""Which nodes are bought: cases as a table. Resources are (millicores, pods, GPUs)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autoscaler.planning.purchase import Effort, purchase
from tests.purchase.oracle import check, market

NODE_1 = [8000, 110, 1]
NODE_4 = [48000, 110, 4]
NODE_8 = [96000, 110, 8]
POD_1 = [1000, 1, 1]
POD_4 = [1000, 1, 4]
POD_CPU = [1000, 1, 0]

Nodes = dict[int, int]

CASES: list[tuple[str, list[list[int]], list[int], list[list[int]], list[float], Nodes, float]] = [
    ("two small nodes, not one large one", [POD_1], [2], [NODE_1, NODE_4], [1.006, 5.672], {0: 2}, 2.012),
    ("one pod of four GPUs", [POD_4], [1], [NODE_1, NODE_4], [1.006, 5.672], {1: 1}, 5.672),
    ("the cheapest mix", [POD_1], [5], [NODE_1, NODE_4], [1.0, 3.0], {0: 1, 1: 1}, 4.0),
    ("a bulk discount for many", [POD_1], [1000], [NODE_1, NODE_4], [1.0, 3.0], {1: 250}, 750.0),
    ("the remainder on the small one", [POD_1], [1001], [NODE_1, NODE_4], [1.0, 3.0], {0: 1, 1: 250}, 751.0),
    ("equal cost: fewer nodes", [POD_1], [4], [NODE_1, NODE_4], [1.0, 4.0], {1: 1}, 4.0),
    ("equal cost and count: the first", [POD_1], [2], [NODE_1, NODE_1], [1.0, 1.0], {0: 2}, 2.0),
    ("equal cost and count: the first, though smaller", [POD_1], [1], [NODE_1, NODE_4], [1.0, 1.0], {0: 1}, 1.0),
    ("a free node before a cheap one", [POD_1], [3], [NODE_1, NODE_1], [0.2, 0.0], {1: 3}, 0.0),
    ("free nodes: fewer of them", [POD_1], [3], [NODE_1, NODE_4], [0.0, 0.0], {1: 1}, 0.0),
    ("free for some pods", [POD_4, POD_1], [1, 2], [NODE_1, NODE_4], [0.0, 7.0], {0: 2, 1: 1}, 7.0),
    ("an unknown price comes last", [POD_1], [2], [NODE_1, NODE_1], [math.nan, 9.0], {1: 2}, 18.0),
    ("an unknown price where nothing else fits", [POD_4], [1], [NODE_1, NODE_4], [1.0, math.inf], {1: 1}, 0.0),
    ("unknown prices: the smallest machine", [POD_1], [1], [NODE_8, NODE_1], [math.nan, math.nan], {1: 1}, 0.0),
    ("a pod beside a pod", [POD_4, POD_CPU], [1, 20], [NODE_1, NODE_4], [1.0, 3.0], {1: 1}, 3.0),
    ("nothing wanted", [POD_1], [0], [NODE_1], [1.0], {}, 0.0),
    ("nothing fits", [POD_4], [3], [NODE_1], [1.0], {}, 0.0),
]


@pytest.mark.parametrize("effort", Effort)
@pytest.mark.parametrize(
    ("requests", "demand", "capacity", "price", "nodes", "cost"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_the_cheapest_nodes_are_bought(
    requests: list[list[int]],
    demand: list[int],
    capacity: list[list[int]],
    price: list[float],
    nodes: Nodes,
    cost: float,
    effort: Effort,
) -> None:
    offer = market(capacity, price, classes=len(requests))
    asked, wanted = np.array(requests), np.array(demand)
    bought = purchase(asked, wanted, offer, effort=effort)
    check(asked, wanted, offer, bought)
    count: Nodes = {}
    for group in bought.bought:
        count[group.template] = count.get(group.template, 0) + group.count
    assert count == nodes
    assert bought.cost == cost


def test_a_class_goes_only_where_it_may() -> None:
    offer = market([NODE_1, NODE_1], [1.0, 2.0], classes=2, compatible=[[True, True], [False, True]])
    bought = purchase(np.array([POD_1, POD_1]), np.array([1, 1]), offer)
    assert [(group.template, group.pattern) for group in bought.bought] == [(0, ((0, 1),)), (1, ((1, 1),))]


def test_pods_that_fit_nowhere_are_unserved_and_said_to_be_impossible() -> None:
    offer = market([NODE_1], [1.0], classes=3, compatible=[[True], [False], [True]])
    bought = purchase(np.array([POD_1, POD_1, POD_4]), np.array([1, 2, 3]), offer)
    assert bought.unserved.tolist() == [0, 2, 3]
    assert bought.impossible.tolist() == [False, True, True]


def test_nodes_of_unknown_price_are_counted_and_left_out_of_the_cost() -> None:
    offer = market([NODE_1, NODE_4], [1.0, math.nan], classes=2)
    bought = purchase(np.array([POD_1, POD_4]), np.array([1, 2]), offer)
    assert (bought.cost, bought.unpriced, bought.nodes) == (1.0, 2, 3)


def test_a_dear_node_overhead_buys_fewer_larger_nodes() -> None:
    offer = market([NODE_1, NODE_4], [1.0, 4.4])
    few = purchase(np.array([POD_1]), np.array([4]), offer, node_overhead_usd=0.5)
    many = purchase(np.array([POD_1]), np.array([4]), offer)
    assert [(group.template, group.count) for group in few.bought] == [(1, 1)]
    assert [(group.template, group.count) for group in many.bought] == [(0, 4)]
    assert few.cost == 4.4


def test_pods_that_ask_for_nothing_cost_one_node() -> None:
    offer = market([NODE_1], [1.0])
    bought = purchase(np.array([[0, 0, 0]]), np.array([500]), offer)
    assert [(group.template, group.count, group.pattern) for group in bought.bought] == [(0, 1, ((0, 500),))]


def test_a_market_without_templates_serves_nobody() -> None:
    bought = purchase(np.array([POD_1]), np.array([2]), market([], []))
    assert (bought.bought, bought.unserved.tolist(), bought.impossible.tolist()) == ((), [2], [True])
