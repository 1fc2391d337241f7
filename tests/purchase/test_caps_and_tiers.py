"""Caps, tiers and priorities: cases as a table. Resources are (millicores, pods, GPUs)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from autoscaler.planning.purchase import Effort, Purchase, purchase
from tests.purchase.oracle import check, market

NODE_1 = [8000, 110, 1]
NODE_4 = [48000, 110, 4]
NODE_8 = [96000, 110, 8]
POD_1 = [1000, 1, 1]
POD_4 = [1000, 1, 4]
POD_8 = [1000, 1, 8]

Limits = list[tuple[list[float], float]]


def nodes_of(bought: Purchase) -> dict[int, int]:
    count: dict[int, int] = {}
    for group in bought.bought:
        count[group.template] = count.get(group.template, 0) + group.count
    return count


CASES: list[tuple[str, list[list[int]], list[int], list[list[int]], list[float], Limits, list[int], object, object]] = [
    (
        "a pool at its maximum spills to the next",
        [POD_1], [3], [NODE_1, NODE_1], [1.0, 3.0], [([1, 0], 2)], [0, 0], {0: 2, 1: 1}, [0],
    ),
    (
        "GPUs of the cluster",
        [POD_8], [3], [NODE_8], [50.0], [([8], 8)], [0], {0: 1}, [2],
    ),
    (
        "nodes of the cluster: larger nodes, though dearer",
        [POD_1], [5], [NODE_1, NODE_4], [1.0, 9.0], [([1, 1], 2)], [0, 0], {0: 1, 1: 1}, [0],
    ),
    (
        "dollars an hour",
        [POD_1], [10], [NODE_1, NODE_4], [1.0, 3.0], [([1.0, 3.0], 7.5)], [0, 0], {0: 1, 1: 2}, [1],
    ),
    (
        "dollars that add up to the cap exactly",
        [POD_1], [4], [NODE_1], [0.1], [([0.1], 0.3)], [0], {0: 3}, [1],
    ),
    (
        "a cap of nothing",
        [POD_1], [4], [NODE_1], [1.0], [([1], 0)], [0], {}, [4],
    ),
    (
        "a cap that is exceeded already",
        [POD_1], [4], [NODE_1], [1.0], [([1], -2)], [0], {}, [4],
    ),
    (
        "a cap without an end",
        [POD_1], [4], [NODE_1], [1.0], [([1], math.inf)], [0], {0: 4}, [0],
    ),
    (
        "a cap on other templates",
        [POD_1], [4], [NODE_1, NODE_4], [1.0, 9.0], [([0, 1], 0)], [0, 0], {0: 4}, [0],
    ),
    (
        "the scarce node is left to the pod that has no other",
        [POD_1, POD_4], [4, 1], [NODE_4, NODE_1], [1.0, 3.0], [([1, 0], 1)], [0, 0], {0: 1, 1: 4}, [0, 0],
    ),
    (
        "as many pods as possible",
        [POD_8, POD_1], [1, 8], [NODE_8], [50.0], [([1], 1)], [0], {0: 1}, [1, 0],
    ),
    (
        "the higher tier goes before the price",
        [POD_1], [2], [NODE_1, NODE_1], [5.0, 1.0], [([1, 0], 1)], [10, 0], {0: 1, 1: 1}, [0],
    ),
    (
        "without a cap the higher tier takes all it can",
        [POD_1, POD_4], [2, 1], [NODE_1, NODE_4], [5.0, 1.0], [], [10, 0], {0: 2, 1: 1}, [0, 0],
    ),
    (
        "cost decides within a tier",
        [POD_1], [2], [NODE_1, NODE_1, NODE_1], [5.0, 4.0, 1.0], [], [1, 1, 0], {1: 2}, [0],
    ),
    (
        "room left on a node of the higher tier is filled first",
        [POD_4, POD_1], [1, 6], [NODE_8, NODE_1], [9.0, 1.0], [([1, 0], 1)], [1, 0], {0: 1, 1: 2}, [0, 0],
    ),
    (
        "an unknown price comes last in its tier, not after the lower one",
        [POD_1], [2], [NODE_1, NODE_1], [math.nan, 1.0], [], [1, 0], {0: 2}, [0],
    ),
    (
        "free nodes up to their cap",
        [POD_1], [5], [NODE_1, NODE_1], [0.0, 2.0], [([1, 0], 3)], [0, 0], {0: 3, 1: 2}, [0],
    ),
]  # fmt: skip


@pytest.mark.parametrize("effort", Effort)
@pytest.mark.parametrize(
    ("requests", "demand", "capacity", "price", "limits", "tier", "nodes", "unserved"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_caps_and_tiers_hold_within_one_purchase(
    requests: list[list[int]],
    demand: list[int],
    capacity: list[list[int]],
    price: list[float],
    limits: Limits,
    tier: list[int],
    nodes: dict[int, int],
    unserved: list[int],
    effort: Effort,
) -> None:
    offer = market(capacity, price, classes=len(requests), limits=limits, tier=tier)
    asked, wanted = np.array(requests), np.array(demand)
    bought = purchase(asked, wanted, offer, effort=effort)
    check(asked, wanted, offer, bought)
    assert nodes_of(bought) == nodes
    assert bought.unserved.tolist() == unserved


@pytest.mark.parametrize(
    ("priority", "unserved"),
    [([0, 0], [1, 0]), ([1, 0], [0, 8]), ([0, 1], [1, 0]), ([-5, -9], [0, 8])],
    ids=["equal: the most pods", "the large pod first", "the small pods first", "negative priorities are ordered too"],
)
def test_where_caps_leave_pods_out_the_important_ones_are_served(priority: list[int], unserved: list[int]) -> None:
    offer = market([NODE_8], [50.0], classes=2, limits=[([1], 1)])
    bought = purchase(np.array([POD_8, POD_1]), np.array([1, 8]), offer, priority=np.array(priority))
    assert bought.unserved.tolist() == unserved


def test_unimportant_pods_ride_in_the_room_that_important_ones_leave() -> None:
    offer = market([NODE_8], [50.0], classes=2, limits=[([1], 1)])
    bought = purchase(np.array([POD_4, POD_1]), np.array([1, 9]), offer, priority=np.array([1, 0]))
    assert bought.unserved.tolist() == [0, 5]


def test_a_priority_changes_nothing_where_caps_do_not_bind() -> None:
    offer = market([NODE_1, NODE_8], [1.0, 6.0], classes=2, limits=[([1, 1], 100)])
    asked, wanted = np.array([POD_4, POD_1]), np.array([1, 9])
    assert purchase(asked, wanted, offer, priority=np.array([0, 7])).bought == purchase(asked, wanted, offer).bought


def test_an_important_pod_of_a_lower_tier_comes_before_an_unimportant_one_of_a_higher() -> None:
    offer = market(
        [NODE_1, NODE_1],
        [1.0, 1.0],
        classes=2,
        compatible=[[True, False], [False, True]],
        limits=[([1, 1], 1)],
        tier=[1, 0],
    )
    bought = purchase(np.array([POD_1, POD_1]), np.array([1, 1]), offer, priority=np.array([0, 1]))
    assert bought.unserved.tolist() == [1, 0]
