"""The claim of a drain, as it lies on the node: who drains it, since when, why, and what it would terminate.

Taint, cordon and claim are one write, so that no crash leaves one without the others (L2).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from autoscaler.model.instants import parse_rfc3339, rfc3339
from autoscaler.model.memory import Writer
from autoscaler.model.nodes import DRAIN_CLAIM, DRAINING_TAINT, IDLE_SINCE, Node, Taint
from autoscaler.model.ports import NodePatch


@dataclass(frozen=True, slots=True)
class Claim:
    """`by`: epoch and identity of the leader that drains. `policy`: digest of the policy that wanted it.

    `cordoned`: the cordon is ours, to be undone with the drain; a node that somebody had cordoned before stays so.
    """

    by: Writer
    since: float
    reason: str
    instance: str
    policy: str
    cordoned: bool

    def text(self) -> str:
        """The value of the annotation."""
        return json.dumps(
            {
                "epoch": self.by.epoch,
                "holder": self.by.holder,
                "since": rfc3339(self.since),
                "reason": self.reason,
                "instance": self.instance,
                "policy": self.policy,
                "cordoned": self.cordoned,
            },
            separators=(", ", ": "),
        )


def claim_of(node: Node) -> Claim | None:
    """The claim on a node; None if there is none, or none that can be read."""
    text = node.annotations.get(DRAIN_CLAIM)
    if text is None:
        return None
    try:
        found: dict[str, Any] = json.loads(text)
        return Claim(
            by=Writer(int(found["epoch"]), str(found["holder"])),
            since=parse_rfc3339(str(found["since"])),
            reason=str(found["reason"]),
            instance=str(found["instance"]),
            policy=str(found["policy"]),
            cordoned=found["cordoned"] is True,
        )
    except (ValueError, KeyError, TypeError):
        return None


def is_tainted(node: Node) -> bool:
    """True if the node carries the taint of a drain."""
    return any(t.key == DRAINING_TAINT for t in node.taints)


def is_marked(node: Node) -> bool:
    """True if anything of a drain is left on the node."""
    return is_tainted(node) or DRAIN_CLAIM in node.annotations


def claiming(claim: Claim) -> NodePatch:
    """The one write that begins a drain. The taint holds seconds since the epoch: its value may not contain colons."""
    return NodePatch(
        taint=Taint(DRAINING_TAINT, str(int(claim.since)), "NoSchedule"),
        unschedulable=True,
        annotations=((DRAIN_CLAIM, claim.text()),),
    )


def releasing(node: Node, *, idle_since: float | None) -> NodePatch:
    """The one write that undoes a drain; `idle_since` starts the idle timer again, None leaves it as it is."""
    claim = claim_of(node)
    annotations: list[tuple[str, str | None]] = [(DRAIN_CLAIM, None)]
    if idle_since is not None:
        annotations.append((IDLE_SINCE, rfc3339(idle_since)))
    return NodePatch(
        untaint=DRAINING_TAINT,
        unschedulable=False if claim is not None and claim.cordoned else None,
        annotations=tuple(annotations),
    )
