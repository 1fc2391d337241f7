"""Where the pods of nodes that are removed would go."""

from __future__ import annotations

from collections.abc import Sequence

from autoscaler.model.pods import Pod
from autoscaler.planning.placement import Placement
from autoscaler.planning.rows import Kind
from autoscaler.scheduling.classes import ClassTable


class Moves:
    """Tries to place evicted pods on the ready nodes that stay, beside everything already planned for them."""

    def __init__(self, placement: Placement, table: ClassTable) -> None:
        self._placement = placement
        self._table = table
        self._gone: set[int] = set()
        self._received: set[int] = set()
        self._ready = [i for i, p in enumerate(placement.places) if p.kind is Kind.READY and not p.row.unschedulable]

    def close(self, row: int) -> None:
        """The node of this row goes: it takes no pods."""
        self._gone.add(row)

    def received(self, row: int) -> bool:
        """True if pods were moved onto the row."""
        return row in self._received

    def place(self, row: int, pods: Sequence[Pod]) -> tuple[Pod, ...]:
        """Move `pods` off `row`; () if all found a place, else those that did not, and nothing is moved."""
        fleet = self._placement.fleet
        token = fleet.mark()
        classes = [self._table.class_of(pod) for pod in pods]
        for cls in classes:
            fleet.remove(cls, row)
        targets = [i for i in self._ready if i != row and i not in self._gone]
        # Nodes with work first: a pod moved onto an idle node would only keep that one instead.
        targets.sort(key=lambda i: (not self._placement.places[i].row.pods, i))
        homeless: list[Pod] = []
        hosts: list[int] = []
        for cls, pod in zip(classes, pods, strict=True):
            found = fleet.fill(cls, 1, targets) if targets else []
            if found:
                hosts.append(found[0][0])
            else:
                homeless.append(pod)
        if homeless:
            fleet.rollback(token)
            return tuple(homeless)
        self._received.update(hosts)
        return ()
