"""The switch that people hold: pause, and approvals. A ConfigMap that `kubectl` alone can write; we only read it (S12).

kubectl patch configmap gpu-autoscaler-switch --type merge -p '{"data":{"paused":"true"}}'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autoscaler.model.instants import parse_rfc3339, rfc3339

PAUSED, UNTIL, WHY, APPROVE = "paused", "pausedUntil", "pauseReason", "approve"
TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "")


@dataclass(frozen=True, slots=True)
class Switch:
    """`paused` holds until `until` (None: until resumed). `approved`: ids of plans, or digests of policies."""

    paused: bool = False
    until: float | None = None
    why: str = ""
    approved: frozenset[str] = frozenset()

    def is_paused(self, now: float) -> bool:
        """True while nothing may be changed."""
        return self.paused and (self.until is None or now < self.until)


def switch_of(data: Mapping[str, str]) -> Switch:
    """The switch as people wrote it. What cannot be read pauses: a stop that was misspelled is still a stop."""
    word = data.get(PAUSED, "").strip().lower()
    paused = word not in FALSE
    why = data.get(WHY, "")
    if paused and word not in TRUE:
        why = why or f"data.{PAUSED} is {word!r}, neither true nor false; it counts as true"
    until: float | None = None
    text = data.get(UNTIL, "").strip()
    if text:
        try:
            until = parse_rfc3339(text)
        except ValueError:
            why = why or f"data.{UNTIL} is no RFC 3339 instant; paused until it is resumed"
    approved = frozenset(data.get(APPROVE, "").replace(",", " ").split())
    return Switch(paused, until, why, approved)


def paused_data(data: Mapping[str, str], until: float | None, why: str) -> dict[str, str]:
    """The data of the switch with a pause in it; approvals stay."""
    kept = {k: v for k, v in data.items() if k not in (PAUSED, UNTIL, WHY)}
    pause = {PAUSED: "true", **({UNTIL: rfc3339(until)} if until is not None else {}), **({WHY: why} if why else {})}
    return {**kept, **pause}


def resumed_data(data: Mapping[str, str]) -> dict[str, str]:
    """The data of the switch without a pause."""
    return {k: v for k, v in data.items() if k not in (PAUSED, UNTIL, WHY)}


def approved_data(data: Mapping[str, str], subject: str) -> dict[str, str]:
    """The data of the switch that approves one plan or policy, and nothing that was approved before."""
    return {**data, APPROVE: subject}
