"""May this effect happen now? Modes, pause, lease and doubt are asked here alone, before every effect."""

from __future__ import annotations

from dataclasses import dataclass

from autoscaler.control.lease import Elector
from autoscaler.control.report import Effect
from autoscaler.model.ports import Clock

PLAN_TTL_S = 60.0
"""A plan older than this is discarded: the world it was made for is gone (salvo of late plans, reliability F21)."""

DESTRUCTIVE = frozenset({Effect.CLAIM, Effect.EVICT, Effect.TERMINATE, Effect.DISCARD, Effect.RELABEL})
CONTINUING = frozenset({Effect.EVICT, Effect.TERMINATE})
"""What goes on with a drain that was allowed when it began."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What was true when the pass began, and the clocks that may end it. `doubt`: why nothing may be removed, or "".

    `mode`: of the policy. `approved`: a person has approved this very plan. `started`: monotonic.
    """

    elector: Elector
    clock: Clock
    started: float
    mode: str
    paused: bool = False
    doubt: str = ""
    approved: bool = False

    def obstacle(self, effect: Effect) -> str:
        """Why the effect may not happen, or ""."""
        if not self.elector.may_act():
            return "not the leader any more"
        if self.clock.monotonic() - self.started > PLAN_TTL_S:
            return f"the plan is older than {PLAN_TTL_S:.0f} s"
        if effect is Effect.RELEASE:
            return ""  # gives a node back to the scheduler: what pause, doubt and observe mode ask for
        if self.paused:
            return "paused"
        if not self._mode_allows(effect):
            return "observe mode" if self.mode == "observe" else "waits for approval"
        if effect in DESTRUCTIVE and self.doubt:
            return self.doubt
        return ""

    def may_keep(self) -> bool:
        """True where what was learned may be written to the ledger without an effect."""
        return self.mode != "observe" and not self.paused and self.elector.may_act()

    def _mode_allows(self, effect: Effect) -> bool:
        match self.mode:
            case "act":
                return True
            case "recommend":
                return self.approved or effect in CONTINUING
            case _:
                return False
