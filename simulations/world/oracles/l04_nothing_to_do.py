"""L4: steady input leads to no action."""

from __future__ import annotations

from dataclasses import dataclass, field

from autoscaler.control.report import Effect, Outcome, PassReport
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What

QUIET_S = 400.0
STIRS = (
    What.POD_CREATED,
    What.POD_BOUND,
    What.POD_ENDED,
    What.POD_DELETED,
    What.NODE_CREATED,
    What.NODE_READY,
    What.NODE_DELETED,
    What.LAUNCHED,
    What.LAUNCH_FAILED,
    What.TAKEN,
    What.GONE,
    What.PERSON,
    What.CRASHED,
    What.STARTED,
)


@dataclass(slots=True)
class NothingToDo(Judge):
    """Nothing happens, and nothing is done, but for what waited for a slot of a budget."""

    invariant = "L4"
    watches = frozenset({*STIRS, What.PASS})
    stirred: float = 0.0
    acted: list[tuple[float, str]] = field(default_factory=list)

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what in STIRS:
            self.stirred = record.at
        if record.what is What.PASS:
            report: PassReport = record.details["report"]
            done = [d for d in report.deeds if d.outcome is Outcome.DONE and d.effect is not Effect.ANNOTATE]
            for deed in done:
                self.acted.append((record.at, f"{deed.effect} {deed.subject}"))
            del self.acted[:-20]

    def close(self) -> None:
        """See Judge."""
        # A budget that opens again lets a node go that has long been waiting for its turn.
        windows = [b.per or 0.0 for p in self.facts.site.used for b in p.policies.cluster.budgets]
        quiet = max([QUIET_S, *(per + QUIET_S for per in windows)])
        for at, what in self.acted:
            if at - self.stirred > quiet:
                self.broken(f"{what} although nothing has happened for {at - self.stirred:.0f} s")
