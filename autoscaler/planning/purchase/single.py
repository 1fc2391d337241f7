"""Exact purchase for one class of pods, however many."""

from __future__ import annotations

from autoscaler.planning.purchase.problem import Nodes, Plan, Problem

STEPS = 40_000
"""Most cells of the table times kinds of nodes: about 4 ms."""

_Kind = tuple[int, int, int]
"""(pods a node, nano-dollars, template)"""


def cover(problem: Problem, cls: int, pods: int) -> Plan | None:
    """The cheapest nodes for `pods` pods of a class, then the fewest; None if it fits nowhere or would take too long.

    The best ratio takes what it surely takes, a table of the least cost of 0…n pods settles the rest. With k pods a
    node at the best ratio, some optimum has fewer than k other nodes: of any k of them, a few hold a multiple of k
    together and can be exchanged. So at most (k - 1) * (largest node) + k pods are in doubt.
    """
    kinds = _kinds(problem, cls, pods)
    if not kinds:
        return None
    each, _, template = min(kinds, key=lambda kind: (kind[1] / kind[0], -kind[0], kind[2]))
    doubtful = (each - 1) * max(kind[0] for kind in kinds) + each
    bulk = max(0, pods - doubtful) // each
    if (pods - bulk * each) * len(kinds) > STEPS:
        return None
    plan = [Nodes(template, ((cls, each),), bulk)] if bulk else []
    left = pods - bulk * each
    least, choice = [0], [kinds[0]]
    for n in range(1, left + 1):
        best = kinds[0]
        cost = -1
        for kind in kinds:
            total = kind[1] + (least[n - kind[0]] if n > kind[0] else 0)
            if cost < 0 or total < cost:
                cost, best = total, kind
        least.append(cost)
        choice.append(best)
    while left:
        each, _, template = choice[left]
        held = min(each, left)
        plan.append(Nodes(template, ((cls, held),), 1))
        left -= held
    return plan


def _kinds(problem: Problem, cls: int, pods: int) -> list[_Kind]:
    """The kinds of nodes worth a look: cheapest first, each holds more pods than all cheaper ones."""
    kinds: list[_Kind] = []
    offers = zip(problem.fits[cls].tolist(), problem.nano, range(len(problem.nano)), strict=True)
    for each, price, template in sorted(offers, key=lambda offer: (offer[1], -offer[0], offer[2])):
        held = min(each, pods)
        if held > (kinds[-1][0] if kinds else 0):
            kinds.append((held, price, template))
    return kinds
