"""What one pass did, and what it did not do and why: for logs, metrics, the status page and the tests (E1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from autoscaler.model.reasons import Reason
from autoscaler.planning.plan import Plan


class Effect(StrEnum):
    """The kinds of effects there are. There is none that lowers a size."""

    RAISE = "Raise"
    CLAIM = "Claim"
    EVICT = "Evict"
    TERMINATE = "Terminate"
    DISCARD = "Discard"  # terminate an instance that never became a node
    RELEASE = "Release"
    ANNOTATE = "Annotate"
    RELABEL = "Relabel"


class Outcome(StrEnum):
    """How an effect ended. `UNKNOWN`: no answer in time, it may have taken hold."""

    DONE = "Done"
    HELD = "Held"
    FAILED = "Failed"
    UNKNOWN = "Unknown"


@dataclass(frozen=True, slots=True)
class Deed:
    """One effect of a pass: on what, how it ended, and why."""

    effect: Effect
    subject: str
    outcome: Outcome
    why: str = ""
    reason: Reason | None = None


@dataclass(slots=True)
class PassReport:
    """One pass. `plan` None: it ended before it could decide, and `stopped` says why."""

    at: float
    plan: Plan | None = None
    stopped: str = ""
    leading: bool = False
    doubts: tuple[str, ...] = ()
    held: tuple[Reason, ...] = ()
    deeds: list[Deed] = field(default_factory=list)

    def note(self, effect: Effect, subject: str, outcome: Outcome, why: str = "", reason: Reason | None = None) -> None:
        """Add a deed."""
        self.deeds.append(Deed(effect, subject, outcome, why, reason))

    @property
    def acted(self) -> bool:
        """True if anything was changed, or may have been."""
        return any(d.outcome in (Outcome.DONE, Outcome.UNKNOWN) for d in self.deeds)
