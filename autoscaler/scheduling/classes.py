"""Pods grouped by what scheduling reads of them: equal pods are one class, and a class is asked once.

A class is a `PodSpec`, the labels that some selector of the cluster reads, and the namespace where it matters. Labels
that no selector reads (a pod's own name, a template hash) would make a class of every pod; they are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from autoscaler.model.labels import Labels
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.resources import PODS, Axis, Vector
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.relations import Relations
from autoscaler.scheduling.verdicts import Verdicts

_Key = tuple[int, tuple[str | None, ...], str]
"""Number of the spec, values of the labels that are read, namespace."""

Need = tuple[int, int]
"""Position on an axis, and the amount asked for (above zero)."""


@dataclass(frozen=True, slots=True, eq=False)
class PodClass:
    """All pods that scheduling cannot tell apart. `labels`: only those that selectors read; `namespace` may be ""."""

    id: int
    spec: PodSpec
    labels: Labels
    namespace: str
    _needs: dict[tuple[str, ...], tuple[Need, ...]] = field(default_factory=dict, repr=False)
    _vectors: dict[tuple[str, ...], Vector] = field(default_factory=dict, repr=False)

    def vector(self, axis: Axis) -> Vector:
        """What one pod asks for, as int64[len(axis)], `pods` = 1 included; read-only.

        Raises ValueError if the pod asks for a resource that the axis does not have.
        """
        kept = self._vectors.get(axis.names)
        if kept is None:
            self.needs(axis)
            kept = self._vectors[axis.names] = axis.vector((*self.spec.requests, (PODS, 1)))
            kept.setflags(write=False)
        return kept

    def needs(self, axis: Axis) -> tuple[Need, ...]:
        """The same without zeros, sorted: what a node must have left. What is not asked for may be overdrawn."""
        kept = self._needs.get(axis.names)
        if kept is None:
            asked = [(name, amount) for name, amount in (*self.spec.requests, (PODS, 1)) if amount > 0]
            missing = [name for name, _ in asked if name not in axis.index]
            if missing:
                raise ValueError(
                    f"pods ask for {missing[0]}, which the axis lacks; make it from the requests of all classes"
                )
            kept = self._needs[axis.names] = tuple(sorted((axis.index[name], amount) for name, amount in asked))
        return kept


class ClassTable:
    """The classes of `pods`, for selectors and objects of `snapshot`.

    Ids are positions in `classes`, which is sorted by content: they do not depend on the order of the pods (E2).
    A bound pod of a DaemonSet is pinned to its node by name; that pin is dropped, for it has done its work and would
    make a class of every such pod.
    """

    def __init__(self, snapshot: Snapshot, pods: Iterable[Pod]) -> None:
        self.snapshot = snapshot
        self.kept: dict[object, object] = {}  # what others derive from this table alone
        self._pods = tuple(pods)  # kept alive: `_of` knows them by identity
        self._specs = _Specs(self._pods)
        selecting = [s for s in self._specs.all if s.pod_affinity or s.pod_anti_affinity or s.spread]
        self._keys = tuple(sorted(set().union(*map(label_keys, selecting))))
        self._namespaced = [bool(selecting or s.volumes or s.claims) for s in self._specs.all]
        found: dict[_Key, int] = {}
        of = {id(pod): found.setdefault(key, len(found)) for pod, key in zip(self._pods, self._all_keys(), strict=True)}
        keys = list(found)
        order = self._sorted(keys)
        place = {old: new for new, old in enumerate(order)}
        self.classes: list[PodClass] = [self._make(new, keys[old]) for new, old in enumerate(order)]
        self._ids = {keys[old]: new for new, old in enumerate(order)}
        self._of = {pod: place[old] for pod, old in of.items()}

    def class_of(self, pod: Pod) -> int:
        """The id of the pod's class; LookupError for a pod unlike all those that the table was made from."""
        found = self._of.get(id(pod))
        if found is None:
            found = self._ids.get(self._key(pod)) if self._specs.knows(pod) else None
            if found is None:
                raise LookupError(f"pod {pod.key} is of no class of this table; make the table from all pods")
        return found

    def classes_of(self, pods: Iterable[Pod]) -> list[int]:
        """The id of each pod's class."""
        of = self._of
        return [found if (found := of.get(id(pod))) is not None else self.class_of(pod) for pod in pods]

    @cached_property
    def relations(self) -> Relations:
        """Which classes select which."""
        return Relations(self.classes, self.snapshot.namespaces)

    @cached_property
    def watched(self) -> frozenset[int]:
        """Classes whose place matters to some class."""
        return self.relations.watched()

    @cached_property
    def verdicts(self) -> Verdicts:
        """Which classes fit which kinds of nodes, other pods and room aside."""
        return Verdicts(self.classes, self.snapshot)

    def _key(self, pod: Pod) -> _Key:
        spec = self._specs.number(pod)
        return spec, tuple(map(pod.labels.get, self._keys)), pod.namespace if self._namespaced[spec] else ""

    def _all_keys(self) -> Iterator[_Key]:
        """`_key` of every pod, without a call for each: there may be hundreds of thousands."""
        keys, namespaced, numbers = self._keys, self._namespaced, self._specs.by_id
        for pod in self._pods:
            spec = numbers.get(id(pod.spec))
            if spec is None or (pod.node and pod.spec.node_affinity is not None):
                yield self._key(pod)
            else:
                yield spec, tuple(map(pod.labels.get, keys)), pod.namespace if namespaced[spec] else ""

    def _make(self, new: int, key: _Key) -> PodClass:
        spec, read, namespace = key
        labels = Labels({k: v for k, v in zip(self._keys, read, strict=True) if v is not None})
        return PodClass(new, self._specs.all[spec], labels, namespace)

    def _sorted(self, keys: Sequence[_Key]) -> list[int]:
        """Positions in `keys` by content: by what is cheap to compare, and by the whole spec only among equals."""
        alike: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for at, (number, read, namespace) in enumerate(keys):
            spec = self._specs.all[number]
            present = tuple((v is not None, v or "") for v in read)
            alike[spec.requests, spec.node_selector, spec.priority, namespace, present].append(at)
        order: list[int] = []
        for cheap in sorted(alike):
            members = alike[cheap]
            if len(members) > 1:
                members.sort(key=lambda at: repr(self._specs.all[keys[at][0]]))
            order += members
        return order


class _Specs:
    """The distinct specs of some pods, numbered; looked up by identity first, for decoding shares equal specs."""

    def __init__(self, pods: Iterable[Pod]) -> None:
        self.all: list[PodSpec] = []
        self._numbers: dict[PodSpec, int] = {}
        self.by_id: dict[int, int] = {}
        self._daemons: dict[tuple[object, ...], int] = {}
        for pod in pods:
            spec = pod.spec
            if pod.node and spec.node_affinity is not None and pod.is_daemon:
                self._add_daemon(spec)
            elif id(spec) not in self.by_id:
                self.by_id[id(spec)] = self._add(spec)

    def number(self, pod: Pod) -> int:
        """The number of the pod's spec; KeyError if it is unknown."""
        if _is_pinned_daemon(pod):
            return self._daemons[_without_pin(pod.spec)]
        found = self.by_id.get(id(pod.spec))
        return self._numbers[pod.spec] if found is None else found

    def knows(self, pod: Pod) -> bool:
        """True if `number` has an answer."""
        if _is_pinned_daemon(pod):
            return _without_pin(pod.spec) in self._daemons
        return pod.spec in self._numbers

    def _add(self, spec: PodSpec) -> int:
        number = self._numbers.setdefault(spec, len(self.all))
        if number == len(self.all):
            self.all.append(spec)
        return number

    def _add_daemon(self, spec: PodSpec) -> None:
        key = _without_pin(spec)
        if key not in self._daemons:
            self._daemons[key] = self._add(replace(spec, node_affinity=None, _hash=0))


def _is_pinned_daemon(pod: Pod) -> bool:
    return bool(pod.node) and pod.spec.node_affinity is not None and pod.is_daemon


def _without_pin(spec: PodSpec) -> tuple[object, ...]:
    """What still matters of a daemon that is where it belongs."""
    return (
        spec.requests,
        spec.node_selector,
        spec.tolerations,
        spec.host_ports,
        spec.pod_affinity,
        spec.pod_anti_affinity,
        spec.spread,
        spec.volumes,
        spec.claims,
        spec.priority,
    )


def label_keys(spec: PodSpec) -> set[str]:
    """The labels of pods that the selectors of `spec` read, its own included."""
    found: set[str] = set()
    for term in (*spec.pod_affinity, *spec.pod_anti_affinity):
        found.update(term.selector.keys if term.selector else (), term.match_label_keys, term.mismatch_label_keys)
    for constraint in spec.spread:
        found.update(constraint.selector.keys if constraint.selector else (), constraint.match_label_keys)
    return found
