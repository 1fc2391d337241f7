"""First fit for pods that look at other pods: spread, affinity and anti-affinity, host ports, volume limits.

It gives what one pod after the other over the rows in order would give, but asks per group of rows: rows in the same
domains get the same verdict. A group that is too full for a spread constraint is parked until the fewest pods of any
domain are more; one that is closed for good is dropped. Pods are placed several at a time where that changes nothing
for rows further up.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from autoscaler.scheduling.capacity import Capacity, Needs
from autoscaler.scheduling.classes import PodClass
from autoscaler.scheduling.domains import WITHOUT_LIMIT
from autoscaler.scheduling.filters.volume_limits import over_limit
from autoscaler.scheduling.neighbors import Neighbors
from autoscaler.scheduling.roster import Roster


@dataclass(slots=True)
class _Group:
    """Rows in the same domains, with their positions, first to last. `waits`: parked, or dropped for good."""

    labels: dict[str, str]
    rows: deque[tuple[int, int]] = field(default_factory=deque)
    queued: bool = False
    waits: bool = False


class WatchfulFill:
    """One fill of one class. The rows have to be those that the class fits by labels, taints and claims."""

    def __init__(
        self, pod: PodClass, needs: Needs, roster: Roster, neighbors: Neighbors, capacity: Capacity, rows: Iterable[int]
    ) -> None:
        self._pod = pod
        self._needs = needs
        self._roster = roster
        self._neighbors = neighbors
        self._capacity = capacity
        self._candidates: Iterator[tuple[int, int]] = enumerate(rows)
        cls = pod.id
        self._together = neighbors.together(cls)
        self._apart = [c for c in neighbors.apart(cls) if c.counts or cls in c.members]
        self._spreads = neighbors.spreads(cls)
        keys = {c.key for c in (*self._together, *self._apart)} | {s.key for s in self._spreads}
        self._keys = tuple(sorted(keys))
        alone = not (self._together or self._apart or pod.spec.host_ports or pod.spec.volumes)
        self._takes_turns = alone and len(self._spreads) == 1 and self._spreads[0].counts_itself
        self._groups: dict[tuple[str | None, ...], _Group] = {}
        self._heap: list[tuple[int, int, _Group]] = []
        self._waiting_for_floor: defaultdict[int, list[tuple[int, int, int, _Group]]] = defaultdict(list)
        self._serial = 0
        self._placed: dict[int, int] = {}

    def run(self, count: int) -> dict[int, int]:
        """Place up to `count` pods; how many went to each row, in the order of the first pod on each."""
        while count > 0:
            if self._heap:
                count -= self._try(count)
            elif not self._discover():
                break
        return self._placed

    def _discover(self) -> bool:
        """Take the next candidate into its group; False if there is none left."""
        found = next(self._candidates, None)
        if found is None:
            return False
        labels = self._roster.row(found[1]).labels
        values = tuple([labels.get(key) for key in self._keys])
        group = self._groups.get(values)
        if group is None:
            present = {k: v for k, v in zip(self._keys, values, strict=True) if v is not None}
            group = self._groups[values] = _Group(present)
        group.rows.append(found)
        if not group.queued and not group.waits:
            self._queue(group)
        return True

    def _queue(self, group: _Group) -> None:
        if group.rows:
            group.queued = True
            self._serial += 1
            heapq.heappush(self._heap, (group.rows[0][0], self._serial, group))

    def _try(self, count: int) -> int:
        """Place pods on the first row of the first group, or put the group aside; how many were placed."""
        group = heapq.heappop(self._heap)[2]
        group.queued = False
        if self._is_blocked(group):
            return 0
        turns = self._whole_turns(group, count)
        if turns:
            self._queue(group)
            return turns
        row = group.rows[0][1]
        limit = self._row_limit(row)
        pods = min(count, limit, self._domain_limit(group)) if limit else 0
        if pods:
            self._place(row, pods)
            self._wake()
        if pods == limit:
            group.rows.popleft()
        self._queue(group)
        return pods

    def _whole_turns(self, last: _Group, count: int) -> int:
        """Place several pods in every domain of the only spread constraint at once; how many in all.

        Once every other domain is as full as may be and waits, each turn puts one pod into every domain: first into
        `last`, which has the fewest, then into those that this lets in again. (`last` does come last in row order, or
        it would not have had to wait for the others.) Turns are the same until the first row of one of them is full.
        """
        waiting = self._waiting_for_floor[0] if self._takes_turns else []
        domains = len(waiting) + 1
        if not waiting or self._heap or count < 2 * domains:
            return 0
        spread = self._spreads[0]
        if domains != len(spread.presence.rows) or spread.missing(spread.presence) or domains < spread.min_domains:
            return 0  # the floor would not rise
        floor = spread.floor()
        if any(wanted != floor + 1 for wanted, _, _, _ in waiting):
            return 0
        rows = [last.rows[0][1], *(group.rows[0][1] for _, _, _, group in waiting)]
        turns = min(count // domains, *(self._capacity.room(self._needs, row) for row in rows))
        for row in rows if turns else ():
            self._place(row, turns)
        self._waiting_for_floor[0] = [(wanted + turns, at, serial, group) for wanted, at, serial, group in waiting]
        return turns * domains

    def _is_blocked(self, group: _Group) -> bool:
        """True if the group takes no pod now; it is then parked or dropped."""
        labels = group.labels
        for count in self._apart:
            if count.counts.get(labels.get(count.key, ""), 0) and count.key in labels:
                group.waits = True
                return True
        if any(not c.counts.get(labels[c.key]) for c in self._together):
            # Company never comes later: pods of this class only go where it is, but for the very first of them.
            group.waits = not self._neighbors.may_be_first(self._pod.id)
            if group.waits:
                return True
        for at, spread in enumerate(self._spreads):
            here = labels[spread.key]
            if spread.room(here) < 1:
                group.waits = True
                if spread.counts_itself:
                    wanted = spread.counts.get(here, 0) + 1 - spread.max_skew
                    self._serial += 1
                    heapq.heappush(self._waiting_for_floor[at], (wanted, group.rows[0][0], self._serial, group))
                return True
        return False

    def _row_limit(self, row: int) -> int:
        """How many pods the row itself takes."""
        cls = self._pod.id
        room = self._capacity.room(self._needs, row)
        if not room:
            return 0
        if self._pod.spec.host_ports:
            if self._neighbors.port_taken(cls, row) is not None:
                return 0
            room = 1
        if self._pod.spec.volumes:
            attached = set(self._neighbors.attached(row))
            if over_limit(self._roster.row(row), attached, self._neighbors.attachments(cls)) is not None:
                return 0
        return room

    def _domain_limit(self, group: _Group) -> int:
        """How many pods may follow each other here before the verdict on any group could change in their favor."""
        cls = self._pod.id
        if any(cls in c.members for c in self._apart):
            return 1
        limit = WITHOUT_LIMIT
        for spread in self._spreads:
            here = group.labels[spread.key]
            if spread.counts_itself:
                # In a domain with the fewest pods, one more may raise the floor and let rows further up in again.
                fewest = spread.counts.get(here, 0) <= spread.floor()
                limit = min(limit, 1 if fewest else spread.room(here))
        return limit

    def _place(self, row: int, pods: int) -> None:
        self._capacity.take(self._needs, (row,), (pods,))
        self._neighbors.put(self._pod.id, row, pods)
        self._placed[row] = self._placed.get(row, 0) + pods

    def _wake(self) -> None:
        """Let those in again that waited for the floor where it is now."""
        for at, waiting in self._waiting_for_floor.items():
            floor = self._spreads[at].floor() if waiting else 0
            while waiting and waiting[0][0] <= floor:
                group = heapq.heappop(waiting)[3]
                group.waits = False
                self._queue(group)
