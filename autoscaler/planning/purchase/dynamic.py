"""Exact purchase of very few pods: dynamic programming over what is left, in whole nano-dollars.

Several classes with a few pods each: what a controller sees most of the time, and what remains at the end of a large
purchase. (One class of any size: `single`.)
"""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.planning.purchase import single
from autoscaler.planning.purchase.maximal import Counts, maximal
from autoscaler.planning.purchase.problem import Nodes, Plan, Problem

STATES = 256
"""Most states (products of pods left + 1) of a purchase of its own."""

PATTERNS = 16
"""Most patterns per state, at the most states; fewer states may have more: the work stays within about 4 ms."""

LOOKS = 4 * STATES
"""Most partial patterns of one template: each is a state of the first few classes."""

_Option = tuple[Counts, int, int]
_Best = dict[Counts, tuple[int, int, Counts]]


def cover(problem: Problem, remaining: Sequence[int], most: int = STATES) -> Plan | None:
    """The cheapest nodes for `remaining` pods per class (then the fewest, then the lowest templates).

    None if that has more than `most` states or too many patterns, or if a class fits nowhere.
    """
    classes = [cls for cls, pods in enumerate(remaining) if pods]
    if len(classes) == 1:
        return single.cover(problem, classes[0], remaining[classes[0]])
    states = 1
    for cls in classes:
        states *= remaining[cls] + 1
        if states > most:
            return None
    start = tuple([remaining[cls] for cls in classes])
    options = _options(problem, classes, start, PATTERNS * most // states)
    if options is None:
        return None
    best: _Best = {(0,) * len(classes): (0, -1, ())}
    by_class = [[option for option in options if option[0][i]] for i in range(len(classes))]
    return None if _least(start, by_class, best) is None else _unfold(start, classes, best)


def _options(problem: Problem, classes: list[int], start: Counts, most: int) -> list[_Option] | None:
    """(pattern, price, template), cheapest first, none covered by a cheaper one; None if there are more than `most`."""
    needs = [problem.needs[cls] for cls in classes]
    found: dict[Counts, tuple[int, int]] = {}
    for price, template in sorted(zip(problem.nano, range(len(problem.nano)), strict=True)):
        if start in found:
            break  # a cheaper node takes everything: nothing dearer can help
        limit = [n if problem.fits[cls, template] else 0 for cls, n in zip(classes, start, strict=True)]
        looked = maximal(needs, limit, problem.rooms[template], LOOKS)
        if looked is None:
            return None
        for pattern in looked[0]:
            found.setdefault(pattern, (price, template))
        if len(found) > most:
            return None
    ordered = sorted(found.items(), key=lambda item: (item[1][0], -sum(item[0]), item[1][1], item[0]))
    kept: list[_Option] = []
    for pattern, (price, template) in ordered:
        if not any(all(a <= b for a, b in zip(pattern, other, strict=True)) for other, _, _ in kept):
            kept.append((pattern, price, template))
    return kept


def _least(state: Counts, by_class: list[list[_Option]], best: _Best) -> int | None:
    """The least cost of `state`; fills `best`. Some node has to take the first class that is left."""
    known = best.get(state)
    if known is not None:
        return known[0]
    first = next(i for i, n in enumerate(state) if n)
    least: tuple[int, int, Counts] | None = None
    for pattern, price, template in by_class[first]:
        if least is not None and price >= least[0]:
            break
        after = tuple([a - b if a > b else 0 for a, b in zip(state, pattern, strict=True)])
        rest = _least(after, by_class, best)
        if rest is not None and (least is None or price + rest < least[0]):
            least = (price + rest, template, after)
    if least is None:
        return None
    best[state] = least
    return least[0]


def _unfold(state: Counts, classes: list[int], best: _Best) -> Plan:
    """The nodes behind the least cost of `state`."""
    plan: Plan = []
    while any(state):
        _, template, after = best[state]
        held = tuple((cls, a - b) for cls, a, b in zip(classes, state, after, strict=True) if a > b)
        plan.append(Nodes(template, held, 1))
        state = after
    return plan
