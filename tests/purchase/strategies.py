"""Hypothesis strategies for purchases of every size that a test can afford."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from autoscaler.planning.purchase import Limit, Market
from autoscaler.planning.purchase.market import IntArray

# Hours cost cents and the node overhead is a millionth of a dollar: differences are never lost in it.
PRICES = st.integers(0, 5000).map(lambda cents: cents / 100)


@dataclass(frozen=True)
class Case:
    """The arguments of `purchase`."""

    requests: IntArray
    demand: IntArray
    market: Market


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    max_classes: int = 5,
    max_templates: int = 5,
    max_pods: int = 12,
    limited: bool = False,
) -> Case:
    """Classes of (cpu, pods, gpu) on machines of (cpu, pods, gpu); with `limited`, node limits that often bind."""
    classes = draw(st.integers(1, max_classes))
    templates = draw(st.integers(1, max_templates))
    requests = [[draw(st.integers(0, 12)), 1, draw(st.sampled_from([0, 1, 1, 2, 4]))] for _ in range(classes)]
    capacity = [[draw(st.integers(1, 32)), draw(st.integers(2, 20)), draw(st.integers(0, 8))] for _ in range(templates)]
    compatible = [[draw(st.integers(0, 4)) > 0 for _ in range(templates)] for _ in range(classes)]
    demand = draw(st.lists(st.integers(0, max(1, max_pods // classes)), min_size=classes, max_size=classes))
    limits = []
    if limited:
        limits.append(Limit(np.ones(templates), float(draw(st.integers(0, 4)))))
        gpus = np.array([float(row[2]) for row in capacity])
        limits.append(Limit(gpus, float(draw(st.integers(0, 16)))))
    return Case(
        np.array(requests, dtype=np.int64),
        np.array(demand, dtype=np.int64),
        Market(
            np.array(capacity, dtype=np.int64),
            np.array([draw(PRICES) for _ in range(templates)], dtype=np.float64),
            np.array(compatible, dtype=bool),
            tuple(limits),
            np.zeros(templates, dtype=np.int64),
        ),
    )


@st.composite
def rough_cases(draw: st.DrawFn) -> Case:
    """Tiers, unknown and zero prices, and limits of every kind, some exceeded already and some without an end."""
    case = draw(cases(max_classes=5, max_templates=6, max_pods=60))
    templates = len(case.market.price)
    each = {"min_size": templates, "max_size": templates}
    odd = draw(st.lists(st.sampled_from([1.0, 1.0, 0.0, np.nan]), **each))
    coefficients = st.lists(st.sampled_from([0.0, 1.0, 1.5, 4.0]), **each)
    bounds = st.sampled_from([0.0, 1.0, 3.0, 10.5, 40.0, np.inf, -1.0])
    market = replace(
        case.market,
        price=case.market.price * np.array(odd),
        tier=np.array(draw(st.lists(st.sampled_from([0, 0, 5, -3]), **each)), dtype=np.int64),
        limits=tuple(
            Limit(np.array(row), bound) for row, bound in draw(st.lists(st.tuples(coefficients, bounds), max_size=3))
        ),
    )
    return replace(case, market=market)
