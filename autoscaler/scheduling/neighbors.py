"""Which pods are where, as far as some class cares: what affinity, spread, host ports and volumes are judged by.

Counts are made when a class first asks and then follow every pod that comes or goes; nothing is counted twice. Only
classes that some selector reads, or that claim ports or volumes, are followed at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import TypeVar

from autoscaler.model.pods import HostPort, SpreadConstraint, Toleration
from autoscaler.scheduling.classes import ClassTable
from autoscaler.scheduling.domains import Presence, SpreadCount, ValueCount
from autoscaler.scheduling.filters import node_affinity
from autoscaler.scheduling.filters.clauses import Clause, reads_name
from autoscaler.scheduling.filters.taints import first_untolerated
from autoscaler.scheduling.loads import Load
from autoscaler.scheduling.relations import Members, clash
from autoscaler.scheduling.roster import Roster
from autoscaler.scheduling.rows import Row
from autoscaler.scheduling.verdicts import clauses_hold
from autoscaler.scheduling.volumes import Attachment, attachments

K = TypeVar("K")


class Neighbors:
    """The pods on the rows of `roster`. `takes(cls, row)`: would an empty node like `row` take the class."""

    def __init__(self, table: ClassTable, roster: Roster, takes: Callable[[int, Row], bool]) -> None:
        self._classes = table.classes
        self._snapshot = table.snapshot
        self._relations = table.relations
        self._roster = roster
        self._takes = takes
        self.watched = table.watched
        self.potential: list[Row] = []
        self.promised: Callable[[], Sequence[Row]] | None = None  # more of them, not made yet
        self.potential_counts = True
        self._where: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._dying: defaultdict[int, dict[int, int]] = defaultdict(dict)
        self._counts: dict[tuple[str, Members], ValueCount] = {}
        self._presences: dict[tuple[object, ...], Presence] = {}
        self._together: dict[int, tuple[ValueCount, ...]] = {}
        self._apart: dict[int, tuple[ValueCount, ...]] = {}
        self._spreads: dict[int, tuple[SpreadCount, ...]] = {}
        self._told: defaultdict[int, list[ValueCount]] = defaultdict(list)
        self._told_spread: defaultdict[int, list[SpreadCount]] = defaultdict(list)
        self._attached: defaultdict[int, dict[Attachment, int]] = defaultdict(dict)
        self._attachments: dict[int, frozenset[Attachment]] = {}
        self._missing: dict[tuple[int, str], tuple[tuple[int, int], int]] = {}
        self._values: dict[tuple[int, str], tuple[int, frozenset[str]]] = {}

    def enter(self, index: int, load: Load) -> None:
        """A row joins, with the pods that it has."""
        if self._presences:
            labels = self._roster.row(index).labels
            for presence in self._presences.values():
                if presence.is_eligible(index):
                    presence.enter(labels[presence.key])
        if load.pods:
            self._put_load(index, load, 1)

    def leave(self, index: int, load: Load) -> None:
        """A row goes, with the pods that it joined with; others must have been taken off before."""
        if load.pods:
            self._put_load(index, load, -1)
        if self._presences:
            labels = self._roster.row(index).labels
            for presence in self._presences.values():
                if presence.is_eligible(index):
                    presence.leave(labels[presence.key])

    def _put_load(self, index: int, load: Load, sign: int) -> None:
        for cls, count in load.pods.items():
            gone = load.dying.get(cls, 0)
            if count != gone:
                self.put(cls, index, sign * (count - gone))
            if gone:
                self.put_dying(cls, index, sign * gone)

    def put(self, cls: int, index: int, pods: int) -> None:
        """Pods of a class come to a row; a negative number goes."""
        if cls not in self.watched:
            return
        self._follow(cls, index, pods)
        labels = self._roster.row(index).labels
        for spread in self._told_spread.get(cls, ()):
            if spread.presence.is_eligible(index):
                spread.add(labels[spread.key], pods)

    def put_dying(self, cls: int, index: int, pods: int) -> None:
        """The same for pods that are being deleted: spread does not count them, everything else does."""
        if cls not in self.watched:
            return
        _add(self._dying[cls], index, pods)
        self._follow(cls, index, pods)

    def dying(self, cls: int, index: int) -> int:
        """How many pods of the class on the row are being deleted."""
        return self._dying[cls].get(index, 0) if cls in self._dying else 0

    def living(self, cls: int, index: int) -> int:
        """How many pods of a watched class on the row are not being deleted."""
        return self._where[cls].get(index, 0) - self.dying(cls, index)

    def together(self, cls: int) -> tuple[ValueCount, ...]:
        """The pods that its affinity wants, by each of its topology keys."""
        found = self._together.get(cls)
        if found is None:
            found = tuple(self._count(key, members) for key, members in self._relations.affinity(cls))
            self._together[cls] = found
        return found

    def may_be_first(self, cls: int) -> bool:
        """True if no pod that its affinity wants is anywhere, and it wants its own kind."""
        counts = self.together(cls)
        return all(cls in c.members and not c.counts for c in counts)

    def apart(self, cls: int) -> tuple[ValueCount, ...]:
        """The pods that may not share a domain with it, by topology key."""
        found = self._apart.get(cls)
        if found is None:
            found = tuple(self._count(key, members) for key, members in self._relations.away(cls))
            self._apart[cls] = found
        return found

    def spreads(self, cls: int) -> tuple[SpreadCount, ...]:
        """The state of its spread constraints."""
        found = self._spreads.get(cls)
        if found is None:
            found = tuple(self._spread(cls, c, members) for c, members in self._relations.spread(cls))
            self._spreads[cls] = found
        return found

    def port_taken(self, cls: int, index: int) -> HostPort | None:
        """The first host port of the class that a pod on the row holds."""
        own = self._classes[cls].spec.host_ports
        rivals = (r for r in self._relations.port_rivals(cls) if r in self._where and index in self._where[r])
        taken = [p for r in rivals if (p := clash(own, self._classes[r].spec.host_ports)) is not None]
        return min(taken, key=own.index, default=None)

    def attached(self, index: int) -> Collection[Attachment]:
        """The volumes that are attached to the row."""
        return self._attached.get(index, {})

    def attachments(self, cls: int) -> frozenset[Attachment]:
        """The volumes that a pod of the class needs attached."""
        found = self._attachments.get(cls)
        if found is None:
            item = self._classes[cls]
            found = attachments(self._snapshot, item.namespace, item.spec.volumes)
            self._attachments[cls] = found
        return found

    def _follow(self, cls: int, index: int, pods: int) -> None:
        _add(self._where[cls], index, pods)
        labels = self._roster.row(index).labels
        for count in self._told.get(cls, ()):
            value = labels.get(count.key)
            if value is not None:
                count.add(value, pods)
        if self._classes[cls].spec.volumes:
            for attachment in self.attachments(cls):
                _add(self._attached[index], attachment, pods)

    def _count(self, key: str, members: Members) -> ValueCount:
        found = self._counts.get((key, members))
        if found is None:
            found = self._counts[key, members] = ValueCount(key, members)
            for cls in members:
                self._told[cls].append(found)
                for index, pods in self._where.get(cls, {}).items():
                    value = self._roster.row(index).labels.get(key)
                    if value is not None:
                        found.add(value, pods)
        return found

    def _spread(self, cls: int, constraint: SpreadConstraint, members: Members) -> SpreadCount:
        presence = self._presence(cls, constraint)
        spread = SpreadCount(
            constraint.topology_key,
            members,
            cls in members,
            constraint.max_skew,
            constraint.min_domains or 1,
            presence,
            lambda p: self._missing_domains(cls, p),
        )
        for member in members:
            self._told_spread[member].append(spread)
            for index in self._where.get(member, ()):
                living = self.living(member, index)
                if living and presence.is_eligible(index):
                    spread.add(self._roster.row(index).labels[spread.key], living)
        return spread

    def _presence(self, cls: int, constraint: SpreadConstraint) -> Presence:
        """The domains that a constraint of the class looks at, shared by classes that look at the same ones."""
        spec = self._classes[cls].spec
        keys = tuple(sorted({c.topology_key for c in spec.spread}))
        clauses = node_affinity.clauses(spec) if constraint.node_affinity_policy == "Honor" else ()
        tolerations = spec.tolerations if constraint.node_taints_policy == "Honor" else None
        known = (constraint.topology_key, keys, clauses, tolerations)
        found = self._presences.get(known)
        if found is None:
            judge = _Eligibility(self._roster, keys, clauses, tolerations)
            found = self._presences[known] = Presence(constraint.topology_key, judge)
            for index in self._roster.present():
                if judge(index):
                    found.enter(self._roster.row(index).labels[found.key])
        return found

    def _missing_domains(self, cls: int, presence: Presence) -> int:
        """How many domains the class could have on nodes that do not exist yet, beyond those it has.

        Only a node that would take the class counts: a pool that is closed to it is no domain for it (karpenter#1306).
        """
        if not self.potential_counts:
            return 0
        if self.promised is not None:
            self.potential += self.promised()
            self.promised = None
        if not self.potential:
            return 0
        values = self._potential_values(cls, presence.key)
        state = (presence.version, len(self.potential))
        kept = self._missing.get((cls, presence.key))
        if kept is None or kept[0] != state:
            kept = state, sum(1 for value in values if value not in presence.rows)
            self._missing[cls, presence.key] = kept
        return kept[1]

    def _potential_values(self, cls: int, key: str) -> frozenset[str]:
        kept = self._values.get((cls, key))
        if kept is None or kept[0] != len(self.potential):
            found = frozenset(v for row in self.potential if (v := row.labels.get(key)) and self._takes(cls, row))
            kept = self._values[cls, key] = len(self.potential), found
        return kept[1]


class _Eligibility:
    """Whether a row counts for a spread constraint: it has all topology keys, and meets what the policies honor."""

    def __init__(
        self,
        roster: Roster,
        keys: tuple[str, ...],
        clauses: tuple[Clause, ...],
        tolerations: tuple[Toleration, ...] | None,
    ) -> None:
        self._roster = roster
        self._keys = keys
        self._clauses = clauses
        self._tolerations = tolerations
        self._by_name = any(map(reads_name, clauses))
        self._kept: dict[int, bool] = {}

    def __call__(self, index: int) -> bool:
        row = self._roster.row(index)
        if not all(key in row.labels for key in self._keys):
            return False
        if self._by_name:
            return self._judge(row)
        shape = self._roster.shape(index)
        found = self._kept.get(shape)
        if found is None:
            found = self._kept[shape] = self._judge(row)
        return found

    def _judge(self, row: Row) -> bool:
        if self._tolerations is not None and first_untolerated(self._tolerations, row.taints) is not None:
            return False
        return clauses_hold(self._clauses, row)


def _add(counts: dict[K, int], key: K, more: int) -> None:
    left = counts.get(key, 0) + more
    if left:
        counts[key] = left
    else:
        del counts[key]
