"""A site: one class of pods in front of one row. It is all that a filter gets to see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autoscaler.model.pods import PodSpec
from autoscaler.model.snapshot import Snapshot
from autoscaler.scheduling.rows import Row

if TYPE_CHECKING:
    from autoscaler.scheduling.classes import PodClass
    from autoscaler.scheduling.neighbors import Neighbors


@dataclass(frozen=True, slots=True)
class Site:
    """`free`: what is left of a resource on the row.

    `neighbors`: the pods of the whole fleet, with `index` for this row; None for an empty node in an empty cluster,
    on which only what the node itself lacks can speak against a pod.
    """

    pod: PodClass
    row: Row
    snapshot: Snapshot
    free: Callable[[str], int]
    neighbors: Neighbors | None = None
    index: int = 0

    @property
    def spec(self) -> PodSpec:
        """The pods' spec."""
        return self.pod.spec
