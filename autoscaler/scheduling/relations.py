"""Which classes of pods select which: the terms of affinity, anti-affinity and spread, resolved to sets of classes.

A term is read once for all pods of a class, and matched against classes instead of pods. An index by label value
keeps that from being classes x terms. Source of the rules: kube-scheduler's InterPodAffinity and PodTopologySpread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from autoscaler.model.labels import Labels, LabelSelector, Requirement
from autoscaler.model.pods import HostPort, PodAffinityTerm, PodSpec, SpreadConstraint

Members = frozenset[int]
NOBODY: Members = frozenset()
ANY_ADDRESS = "0.0.0.0"
NAMESPACE_NAME = "kubernetes.io/metadata.name"


class Selectable(Protocol):
    """What a relation reads of a class."""

    @property
    def spec(self) -> PodSpec:
        """The pods' spec."""

    @property
    def labels(self) -> Labels:
        """The pods' labels, as far as selectors read them."""

    @property
    def namespace(self) -> str:
        """The pods' namespace."""


class Relations:
    """Who selects whom among `classes`. `namespaces`: labels of the Namespace objects, as far as they are known."""

    def __init__(self, classes: Sequence[Selectable], namespaces: Mapping[str, Labels]) -> None:
        self._classes = classes
        self._by_label: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for cls, item in enumerate(classes):
            for pair in item.labels.items():
                self._by_label[pair].append(cls)
        # Every namespace carries its own name as a label, set by the API server.
        self._namespaces = {
            name: namespaces.get(name, Labels()).plus({NAMESPACE_NAME: name}) for name in {c.namespace for c in classes}
        }
        self._scopes: dict[tuple[tuple[str, ...], LabelSelector], frozenset[str]] = {}
        self._members: dict[tuple[LabelSelector, frozenset[str]], Members] = {}
        self._away = self._all_away()
        self._ports = self._port_rivals()

    def affinity(self, cls: int) -> tuple[tuple[str, Members], ...]:
        """For each topology key of the required affinity: the classes that match ALL of its terms.

        Source: `podMatchesAllAffinityTerms`.
        """
        terms = self._classes[cls].spec.pod_affinity
        if not terms:
            return ()
        members = frozenset.intersection(*[self._of_term(cls, term) for term in terms])
        return tuple((key, members) for key in dict.fromkeys(t.topology_key for t in terms))

    def away(self, cls: int) -> tuple[tuple[str, Members], ...]:
        """For each topology key: the classes with which `cls` may not share a domain.

        Those that its own anti-affinity selects, and those whose anti-affinity selects it (both are required).
        """
        return self._away.get(cls, ())

    def spread(self, cls: int) -> tuple[tuple[SpreadConstraint, Members], ...]:
        """Each spread constraint with the classes that it counts, all of the pod's own namespace."""
        item = self._classes[cls]
        own = frozenset((item.namespace,))
        return tuple(
            (c, self._matching(folded(c.selector, item.labels, c.match_label_keys), own)) for c in item.spec.spread
        )

    def port_rivals(self, cls: int) -> Members:
        """Classes that claim a host port of `cls`; itself, if it claims any."""
        return self._ports.get(cls, NOBODY)

    def watched(self) -> Members:
        """Classes whose place matters to some class: they are selected, or claim ports or volumes."""
        found: set[int] = set(self._ports)
        for cls, item in enumerate(self._classes):
            if item.spec.volumes:
                found.add(cls)
            for _, members in (*self.affinity(cls), *self.spread(cls), *self.away(cls)):
                found |= members
        return frozenset(found)

    def _of_term(self, cls: int, term: PodAffinityTerm) -> Members:
        item = self._classes[cls]
        selector = folded(term.selector, item.labels, term.match_label_keys, term.mismatch_label_keys)
        return self._matching(selector, self._scope(item.namespace, term))

    def _scope(self, own: str, term: PodAffinityTerm) -> frozenset[str]:
        if term.namespace_selector is None:
            return frozenset(term.namespaces or (own,))
        key = (term.namespaces, term.namespace_selector)
        found = self._scopes.get(key)
        if found is None:
            selected = (n for n, labels in self._namespaces.items() if term.namespace_selector.matches(labels))
            found = self._scopes[key] = frozenset((*term.namespaces, *selected))
        return found

    def _matching(self, selector: LabelSelector | None, namespaces: frozenset[str]) -> Members:
        if selector is None:
            return NOBODY
        key = (selector, namespaces)
        found = self._members.get(key)
        if found is None:
            found = frozenset(
                cls
                for cls in self._candidates(selector)
                if self._classes[cls].namespace in namespaces and selector.matches(self._classes[cls].labels)
            )
            self._members[key] = found
        return found

    def _candidates(self, selector: LabelSelector) -> Iterable[int]:
        """Classes that one `In` expression lets through, or all."""
        for requirement in selector.requirements:
            if requirement.operator == "In":
                return {cls for v in requirement.values for cls in self._by_label.get((requirement.key, v), ())}
        return range(len(self._classes))

    def _all_away(self) -> dict[int, tuple[tuple[str, Members], ...]]:
        found: defaultdict[int, defaultdict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
        for cls, item in enumerate(self._classes):
            for term in item.spec.pod_anti_affinity:
                members = self._of_term(cls, term)
                found[cls][term.topology_key] |= members
                for other in members:
                    found[other][term.topology_key].add(cls)
        return {
            cls: tuple((key, frozenset(members)) for key, members in sorted(keys.items()) if members)
            for cls, keys in found.items()
        }

    def _port_rivals(self) -> dict[int, Members]:
        holders: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        for cls, item in enumerate(self._classes):
            for port in {(p.port, p.protocol or "TCP") for p in item.spec.host_ports if p.port > 0}:
                holders[port].append(cls)
        found: defaultdict[int, set[int]] = defaultdict(set)
        for classes in holders.values():
            for cls in classes:
                own = self._classes[cls].spec.host_ports
                found[cls].update(c for c in classes if clash(own, self._classes[c].spec.host_ports))
        return {cls: frozenset(members) for cls, members in found.items()}


def folded(
    selector: LabelSelector | None, labels: Labels, match: Sequence[str], mismatch: Sequence[str] = ()
) -> LabelSelector | None:
    """The selector with `matchLabelKeys` and `mismatchLabelKeys` as the API server merges them from the pod's labels.

    Keys that the pod does not carry are passed over; a selector that is not there still matches nothing.
    """
    if selector is None or not (match or mismatch):
        return selector
    more = [Requirement(key, "In", (labels[key],)) for key in match if key in labels]
    more += [Requirement(key, "NotIn", (labels[key],)) for key in mismatch if key in labels]
    return LabelSelector(selector.requirements + tuple(more))


def clash(left: Sequence[HostPort], right: Sequence[HostPort]) -> HostPort | None:
    """The first port of `left` that some port of `right` keeps it from: same protocol, and same or any address."""
    for a in left:
        for b in right:
            same = a.port == b.port and (a.protocol or "TCP") == (b.protocol or "TCP")
            if same and a.port > 0 and _overlap(a.ip or ANY_ADDRESS, b.ip or ANY_ADDRESS):
                return a
    return None


def _overlap(left: str, right: str) -> bool:
    return left == right or ANY_ADDRESS in (left, right)
