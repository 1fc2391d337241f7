"""The rows that pods can be placed on: nodes that are ready, nodes on their way, nodes that could be had back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from autoscaler.model.nodes import DRAINING_TAINT, HOSTNAME, Node
from autoscaler.model.pods import Pod
from autoscaler.model.resources import NO_AMOUNTS, Amounts
from autoscaler.model.snapshot import Snapshot
from autoscaler.planning.daemon_sets import daemon_sets_of
from autoscaler.planning.pools import Template
from autoscaler.scheduling.daemons import daemon_load
from autoscaler.scheduling.rows import Row


class Kind(Enum):
    """What a row stands for, in the order of preference."""

    READY = "ready"
    COMING = "coming"
    FREEING = "freeing"
    DRAINING = "draining"
    RESLICED = "resliced"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Place:
    """A row with what planning knows of it. `node` is "" where no node object exists yet.

    `choices`: the templates between which a row of a pool with several MIG layouts may still choose.
    """

    row: Row
    kind: Kind
    node: str = ""
    pool: str | None = None
    template: Template | None = None
    choices: tuple[Template, ...] = ()


class RowMaker:
    """Makes rows; the load of DaemonSets on a new node is computed once a template, and an empty node is made once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._daemon_sets = daemon_sets_of(snapshot)
        self._named = frozenset((d.namespace, d.name) for d in self._daemon_sets)
        self._loads: dict[int, tuple[Template, Amounts]] = snapshot.derived.setdefault("daemon-loads", {})
        self._kept: dict[str, Row] = snapshot.derived.setdefault("rows", {})
        self._empty: dict[tuple[int, str], tuple[Template, Row]] = snapshot.derived.setdefault("new-rows", {})

    def empty(self, template: Template, name: str, pods: tuple[Pod, ...] = (), *, hostname: bool = True) -> Row:
        """A node of this template as it will be when it is ready, with the DaemonSets that will land on it."""
        if pods or not hostname:
            return self._make(template, name, pods, hostname=hostname)
        kept = self._empty.get((id(template), name))
        if kept is None:
            kept = self._empty[id(template), name] = template, self._make(template, name)
        return kept[1]

    def _make(self, template: Template, name: str, pods: tuple[Pod, ...] = (), *, hostname: bool = True) -> Row:
        labels = template.labels.plus({HOSTNAME: name}) if hostname else template.labels
        kept = self._loads.get(id(template))
        if kept is None:
            bare = Row(name, labels, template.taints, False, template.allocatable)
            kept = (template, daemon_load(self._daemon_sets, bare))
            self._loads[id(template)] = kept
        return Row(
            name=name,
            labels=labels,
            taints=template.taints,
            unschedulable=False,
            allocatable=template.allocatable,
            pods=pods,
            refuses_above_one=template.refuses_above_one,
            reserved=kept[1],
        )

    def counts_daemon(self, pod: Pod) -> bool:
        """True for a pod of a DaemonSet whose load `empty` counts; not of one that the snapshot lacks."""
        owner = pod.owner
        return owner is not None and owner.kind == "DaemonSet" and (pod.namespace, owner.name) in self._named

    def as_is(self, node: Node, pods: tuple[Pod, ...], template: Template | None) -> Row:
        """A node that is used as it is; one object a snapshot, so that what is read from it is read once."""
        refuses = template.refuses_above_one if template else frozenset()
        kept = self._kept.get(node.name)
        if kept is None or kept.refuses_above_one != refuses:
            kept = self._kept[node.name] = Row(
                name=node.name,
                labels=node.labels,
                taints=node.taints,
                unschedulable=node.unschedulable,
                allocatable=node.allocatable,
                pods=pods,
                refuses_above_one=refuses,
                attach_limits=node.attach_limits,
                reserved=NO_AMOUNTS,
            )
        return kept

    def without_drain(self, node: Node, pods: tuple[Pod, ...], template: Template | None) -> Row:
        """A draining node as it will be when its drain is undone."""
        row = self.as_is(node, pods, template)
        taints = tuple(t for t in row.taints if t.key not in (DRAINING_TAINT, "node.kubernetes.io/unschedulable"))
        return Row(row.name, row.labels, taints, False, row.allocatable, pods, row.refuses_above_one, row.attach_limits)
