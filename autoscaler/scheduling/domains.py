"""How many pods of some classes are in each topology domain, kept up to date pod by pod."""

from __future__ import annotations

from collections.abc import Callable

from autoscaler.scheduling.relations import Members

WITHOUT_LIMIT = 2**62


class ValueCount:
    """Pods of `members` in each domain of `key`; `counts` has no zeros."""

    __slots__ = ("counts", "key", "members")

    def __init__(self, key: str, members: Members) -> None:
        self.key = key
        self.members = members
        self.counts: dict[str, int] = {}

    def add(self, value: str, pods: int) -> None:
        """Count `pods` more (or less) in the domain."""
        left = self.counts.get(value, 0) + pods
        if left:
            self.counts[value] = left
        else:
            del self.counts[value]


class Presence:
    """The domains of a topology key, by the rows that a constraint looks at (node affinity and taints policies).

    `rows`: how many such rows each domain has. `version` changes whenever a domain comes or goes.
    """

    __slots__ = ("is_eligible", "key", "rows", "version")

    def __init__(self, key: str, is_eligible: Callable[[int], bool]) -> None:
        self.key = key
        self.is_eligible = is_eligible
        self.rows: dict[str, int] = {}
        self.version = 0

    def enter(self, value: str) -> None:
        """A row of the domain joins."""
        have = self.rows.get(value, 0)
        self.rows[value] = have + 1
        self.version += not have

    def leave(self, value: str) -> None:
        """A row of the domain goes."""
        if self.rows[value] == 1:
            del self.rows[value]
            self.version += 1
        else:
            self.rows[value] -= 1


class SpreadCount:
    """The state of one spread constraint of one class.

    A pod may go where `pods there + (1 if the constraint counts the pod itself) - fewest pods in any domain` is at most
    `max_skew` (kube-scheduler, PodTopologySpread `Filter`). `missing` says how many domains there could be besides.
    """

    __slots__ = (
        "_levels",
        "counts",
        "counts_itself",
        "key",
        "max_skew",
        "members",
        "min_domains",
        "missing",
        "presence",
    )

    def __init__(
        self,
        key: str,
        members: Members,
        counts_itself: bool,  # noqa: FBT001 - a fact about the pod, not a mode
        max_skew: int,
        min_domains: int,
        presence: Presence,
        missing: Callable[[Presence], int],
    ) -> None:
        self.key = key
        self.members = members
        self.counts_itself = counts_itself
        self.max_skew = max_skew
        self.min_domains = min_domains
        self.presence = presence
        self.missing = missing
        self.counts: dict[str, int] = {}
        self._levels: dict[int, int] = {}

    def add(self, value: str, pods: int) -> None:
        """Count `pods` more (or less) in the domain."""
        before = self.counts.get(value, 0)
        after = before + pods
        if before:
            self._level(before, -1)
        if after:
            self.counts[value] = after
            self._level(after, 1)
        else:
            del self.counts[value]

    def floor(self) -> int:
        """The fewest pods in any domain (`minMatchNum`)."""
        domains = len(self.presence.rows) + self.missing(self.presence)
        if domains < self.min_domains or domains > len(self.counts):
            return 0
        return min(self._levels, default=0)

    def room(self, value: str) -> int:
        """How many more pods of the class the domain takes, if nothing else changes."""
        slack = self.max_skew + self.floor() - self.counts.get(value, 0)
        if self.counts_itself:
            return slack
        return WITHOUT_LIMIT if slack >= 0 else 0

    def _level(self, level: int, domains: int) -> None:
        left = self._levels.get(level, 0) + domains
        if left:
            self._levels[level] = left
        else:
            del self._levels[level]
