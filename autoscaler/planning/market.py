"""What can be bought now, as columns for the purchase, and the bought nodes as rows.

Templates of one pool that differ only in their group (one a zone) are one column; which group delivers a node is
decided after the purchase, by the fewest nodes first, so that zones stay balanced.
"""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autoscaler.model.labels import Labels
from autoscaler.model.lazy_numpy import np
from autoscaler.model.nodes import REGION, ZONE
from autoscaler.model.pods import Pod
from autoscaler.model.resources import Vector
from autoscaler.planning.caps import Caps
from autoscaler.planning.exclusives import Slot
from autoscaler.planning.placement import Placement, Remaining
from autoscaler.planning.pools import Template
from autoscaler.planning.purchase import Bought, Effort, Market, purchase
from autoscaler.planning.rows import Kind, Place, RowMaker
from autoscaler.planning.why import Why
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.rows import Row

Family = tuple[Template, ...]

MANY = 60_000
"""Classes times columns above which a purchase is quick: the last tenths of a percent would cost seconds."""

PLACES = frozenset({ZONE, REGION, "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"})

FULL = 1 << 40  # above every size of a group


@dataclass(slots=True)
class Shop:
    """Buys for one decision. `templates`: those that may be bought now, in tier order within the policy."""

    templates: tuple[Template, ...]
    why: Why
    caps: Caps
    placement: Placement
    maker: RowMaker
    table: ClassTable
    slots: Mapping[int, tuple[Slot, ...]] = field(default_factory=dict)
    # True for the last purchase of a decision: nobody looks at its nodes' hostnames any more.
    last: bool = False
    price: Mapping[int, float] = field(default_factory=dict)
    numbers: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    bought: list[tuple[int, Template]] = field(default_factory=list)

    def families(self, classes: Sequence[int], only: Sequence[Template] | None = None) -> list[Family]:
        """Columns for these classes: templates that differ in their group alone and that each class treats alike."""
        open_ = [t for t in (only if only is not None else self.templates) if self.caps.headroom(t) > 0]
        if not open_ or not classes:
            return []
        at = [self.why.positions[id(t)] for t in open_]
        takes = np.array([self.why.takes_row(cls)[at] for cls in classes])
        found: dict[tuple[object, ...], list[Template]] = {}
        for column in np.flatnonzero(takes.any(axis=0)):
            key = (*_shape(open_[column]), takes[:, column].tobytes())
            found.setdefault(key, []).append(open_[column])
        return [tuple(family) for family in found.values()]

    def quote(
        self, left: Remaining, only: Sequence[Template] | None = None
    ) -> tuple[list[Family], Sequence[Bought], Remaining]:
        """What would be bought for the pods that are left: columns, nodes by column, and pods that stay unserved."""
        classes = sorted(left)
        columns = self.families(classes, only)
        if not columns or not classes:
            return columns, (), left
        axis = self.placement.fleet.axis
        requests = np.array([self.table.classes[c].vector(axis) for c in classes])
        demand = np.array([len(left[c]) for c in classes], dtype=np.int64)
        rows = [self.maker.empty(family[0], f"new/{family[0].group}/1") for family in columns]
        capacity = np.array([axis.vector(r.allocatable) - axis.vector(r.reserved) for r in rows])
        requests, capacity = self._with_slots(classes, requests, np.maximum(capacity, 0))
        market = Market(
            capacity=capacity,
            price=np.array([self.price_of(f[0]) for f in columns]),
            compatible=np.array(
                [self.why.takes_row(c)[[self.why.positions[id(f[0])] for f in columns]] for c in classes]
            ),
            limits=self.caps.limits(columns),
            tier=np.array([self.tier_of(f[0]) for f in columns], dtype=np.int64),
        )
        priority = np.array([self.table.classes[c].spec.priority for c in classes], dtype=np.int64)
        effort = Effort.QUICK if len(classes) * len(columns) > MANY else Effort.THOROUGH
        answer = purchase(requests, demand, market, priority=priority, effort=effort)
        unserved = {c: left[c][len(left[c]) - int(n) :] for c, n in zip(classes, answer.unserved, strict=True) if n > 0}
        named = [
            Bought(b.template, b.count, tuple((classes[at], pods) for at, pods in b.pattern)) for b in answer.bought
        ]
        return columns, named, unserved

    def _with_slots(self, classes: Sequence[int], requests: Vector, capacity: Vector) -> tuple[Vector, Vector]:
        """Requests and capacities with a column for each slot that the classes want; every node has one of it."""
        wanted = sorted({slot for c in classes for slot in self.slots.get(c, ())}, key=repr)
        if not wanted:
            return requests, capacity
        asks = [[int(slot in self.slots.get(c, ())) for slot in wanted] for c in classes]
        ones = np.ones((len(capacity), len(wanted)), dtype=np.int64)
        return np.hstack([requests, np.array(asks, dtype=np.int64)]), np.hstack([capacity, ones])

    def buy(self, left: Remaining, only: Sequence[Template] | None = None, *, alike: bool = False) -> Remaining:
        """Buy for the pods that are left and place them; what stays unserved."""
        columns, nodes, unserved = self.quote(left, only)
        templates = [t for item in nodes for t in self.spread(self._liked(columns[item.template], item), item.count)]
        rows = iter(self.add_nodes(templates, alike=alike))
        shares: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for item in nodes:
            for row in itertools.islice(rows, item.count):
                for cls, number in item.pattern:
                    shares[cls].append((row, number))
        for cls in sorted(shares):
            self.placement.put_many(cls, left[cls], shares[cls])
        return unserved

    def _liked(self, family: Family, item: Bought) -> Family:
        """The templates that the pods of a node prefer by their node affinity, where those can deliver all of it.

        A preference costs nothing here: the family is alike in everything but its place (kubernetes/autoscaler#7314).
        """
        terms = [term for cls, pods in item.pattern if pods for term in self.table.classes[cls].spec.preferred_nodes]
        if not terms or len(family) == 1:
            return family
        liking = [sum(weight for weight, term in terms if term.matches(t.labels, "")) for t in family]
        liked = tuple(t for t, value in zip(family, liking, strict=True) if value == max(liking))
        room = sum(max(0, self.caps.group_room(t)) for t in liked)
        return liked if room >= item.count else family

    def spread(self, family: Sequence[Template], count: int) -> list[Template]:
        """`count` templates of the family, each time the one whose group has the fewest nodes and may still grow."""
        if len(family) == 1:
            return [family[0]] * count
        sizes = {t.group: self.caps.group_size.get(t.group, 0) for t in family}
        rooms = {t.group: self.caps.group_room(t) for t in family}
        heap = [(sizes[t.group], t.zone, t.group, at) for at, t in enumerate(family)]
        heapq.heapify(heap)
        chosen: list[Template] = []
        while len(chosen) < count:
            size, zone, group, at = heapq.heappop(heap)
            chosen.append(family[at])
            rooms[group] -= 1
            # Groups that are full are asked again only when nothing else is left; the purchase has bounded the sum.
            penalty = 0 if rooms[group] > 0 else FULL
            heapq.heappush(heap, (size + 1 + penalty, zone, group, at))
        return chosen

    def pick(self, family: Sequence[Template]) -> Template:
        """The member of the family whose group has the fewest nodes and may still grow."""
        open_ = [t for t in family if self.caps.headroom(t) > 0] or list(family)
        return min(open_, key=lambda t: (self.caps.group_size.get(t.group, 0), t.zone, t.group))

    def add_node(self, template: Template) -> int:
        """Plan one node of this template; its row."""
        return self.add_nodes([template])[0]

    def add_nodes(self, templates: Sequence[Template], *, alike: bool = False) -> range:
        """Plan nodes; their rows, in order. `alike`: nodes of a template share one row, without a hostname.

        That is for pods that look at no hostname: tens of thousands of rows cost what one does.
        """
        places: list[Place] = []
        shared: dict[int, Row] = {}
        for template in templates:
            number = self.numbers[template.group] = self.numbers[template.group] + 1
            name = f"new/{template.group}/{number}"
            row = shared.get(id(template)) if alike else None
            if row is None:
                row = shared[id(template)] = self.maker.empty(template, name, hostname=not alike)
            places.append(Place(row, Kind.NEW, name, template.pool, template))
        rows = self.placement.add(places)
        known = {id(template): template for template in templates}
        for key, number in Counter(map(id, templates)).items():
            self.caps.add(known[key], number)
        self.bought.extend(zip(rows, templates, strict=True))
        return rows

    def price_of(self, template: Template) -> float:
        """Dollars an hour to plan with; unknown prices come last."""
        kept = self.price.get(id(template))
        return kept if kept is not None else (template.usd_per_hour if template.usd_per_hour is not None else np.inf)

    def tier_of(self, template: Template) -> int:
        """The pool's weight: higher ones are used up first."""
        return self.why.policies.by_name[template.pool].weight

    def mark(self) -> tuple[object, int, dict[str, int]]:
        """A point to come back to: pods, rows, caps and numbers."""
        return self.placement.mark(), len(self.bought), dict(self.numbers)

    def rollback(self, token: tuple[object, int, dict[str, int]]) -> None:
        """Take back everything planned since `mark`."""
        self.placement.rollback(token[0])  # type: ignore[arg-type]
        for _, template in self.bought[token[1] :]:
            self.caps.add(template, -1)
        del self.bought[token[1] :]
        self.numbers = defaultdict(int, token[2])


def _shape(template: Template) -> tuple[object, ...]:
    """What makes templates one column: everything but the group and where it is."""
    return (
        template.pool,
        template.layout,
        template.allocatable,
        template.taints,
        _placeless(template.labels),
        template.usd_per_hour,
    )


def _placeless(labels: Labels) -> frozenset[tuple[str, str]]:
    return frozenset((k, v) for k, v in labels.items() if k not in PLACES)


def pods_of(left: Remaining) -> tuple[Pod, ...]:
    """All pods of what is left."""
    return tuple(p for members in left.values() for p in members)
