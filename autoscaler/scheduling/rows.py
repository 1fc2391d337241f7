"""A row: a node as scheduling sees it, whether it exists, is starting, or would be new."""

from __future__ import annotations

from dataclasses import dataclass

from autoscaler.model.labels import Labels
from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Pod
from autoscaler.model.resources import NO_AMOUNTS, Amounts


@dataclass(frozen=True, slots=True)
class Row:
    """A node that pods may be placed on.

    `name`: the node's name, a placeholder of an instance without a node, or `new/GROUP/N`.
    `allocatable`: what pods may use in all, `pods` (their number) included.
    `pods`: those that are bound to it already, daemons included; finished ones hold nothing and are passed over.
    `refuses_above_one`: shared GPU resources whose device plugin refuses a container that asks for more than one
    (`failRequestsGreaterThanOne`, MPS).
    `attach_limits`: how many volumes of a CSI driver may be attached, by driver.
    `reserved`: what else is spoken for, such as the DaemonSets that will land on a new node.
    """

    name: str
    labels: Labels
    taints: tuple[Taint, ...]
    unschedulable: bool
    allocatable: Amounts
    pods: tuple[Pod, ...] = ()
    refuses_above_one: frozenset[str] = frozenset()
    attach_limits: tuple[tuple[str, int], ...] = ()
    reserved: Amounts = NO_AMOUNTS
