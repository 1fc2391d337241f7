"""New nodes for pods that look at each other: spread, (anti-)affinity, host ports, volumes.

Such pods cannot be bought for by resources alone. Each round places what fits on the nodes planned so far, then
tries one more node of each template and takes the one with the lowest price per pod that it gains.
"""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.model.pods import Pod
from autoscaler.planning.market import Shop
from autoscaler.planning.pools import Template
from autoscaler.planning.rows import Kind, Place

Score = tuple[float, float, int, str, str]
"""Weight (negative), price per pod, nodes of the group so far, zone, group: the smallest is taken."""

WHOLE_UNKNOWN = 1e9  # dollars an hour at which a node without a known price is ranked


def buy_one_by_one(
    shop: Shop, cls: int, pods: tuple[Pod, ...], only: Sequence[Template] | None = None
) -> tuple[Pod, ...]:
    """Buy nodes for pods of one class that depends on where others are; the pods that stay unserved."""
    left = shop.placement.fill(cls, pods)
    candidates = [t for t in (only if only is not None else shop.templates) if shop.why.takes(cls, t)]
    while left:
        best = _best(shop, cls, left, candidates)
        if best is None:
            break
        row = shop.add_node(best)
        after = shop.placement.fill(cls, left, [row])
        after = shop.placement.fill(cls, after)
        if len(after) == len(left):
            break  # the trial served a pod and the purchase does not: never loop on such a node
        left = after
    return left


def _best(shop: Shop, cls: int, left: tuple[Pod, ...], candidates: Sequence[Template]) -> Template | None:
    """The template whose next node costs least for each pod that it lets in, higher weights first.

    Candidates are tried from the lowest price that they could reach; one that cannot beat the best any more, and all
    behind it in its weight, are not tried.
    """
    best: tuple[Score, Template] | None = None
    open_ = [(_floor(shop, cls, len(left), t), t) for t in candidates if shop.caps.headroom(t) > 0]
    for floor, template in sorted(open_, key=lambda item: item[0]):
        if best is not None and floor[:2] > best[0][:2]:
            break
        gained = _gain(shop, cls, left, template)
        if gained:
            score = (floor[0], min(shop.price_of(template), WHOLE_UNKNOWN) / gained, *floor[2:])
            if best is None or score < best[0]:
                best = (score, template)
    return best[1] if best is not None else None


def _floor(shop: Shop, cls: int, wanted: int, template: Template) -> Score:
    """A score that no node of the template can beat: its price over the pods that its bare resources hold."""
    room = dict(template.allocatable)
    held = min([wanted, *(room.get(name, 0) // amount for name, amount in shop.table.classes[cls].spec.requests)])
    price = min(shop.price_of(template), WHOLE_UNKNOWN) / max(1, held)
    return -shop.tier_of(template), price, shop.caps.group_size.get(template.group, 0), template.zone, template.group


def _gain(shop: Shop, cls: int, left: tuple[Pod, ...], template: Template) -> int:
    """How many of the pods a further node of this template lets in, on itself or by making room for spread."""
    placement = shop.placement
    token = placement.mark()
    name = f"new/{template.group}/{shop.numbers[template.group] + 1}"
    row = placement.add([Place(shop.maker.empty(template, name), Kind.NEW, name, template.pool, template)])[0]
    after = placement.fill(cls, left, [row])
    gained = len(left) - len(after)
    placement.rollback(token)
    return gained
