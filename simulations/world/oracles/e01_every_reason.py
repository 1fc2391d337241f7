"""E1: every action and inaction has one machine-readable reason."""

from __future__ import annotations

from autoscaler.control.report import Outcome, PassReport
from autoscaler.model.reasons import Code
from simulations.world.oracles.judge import Judge
from simulations.world.records import Record, What


class EveryReason(Judge):
    """Reads every report."""

    invariant = "E1"
    watches = frozenset({What.PASS})

    def watch(self, record: Record) -> None:
        """See Judge."""
        if record.what is not What.PASS:
            return
        report: PassReport = record.details["report"]
        plan = report.plan
        if plan is None:
            if not report.stopped:
                self.broken(f"{record.actor}: a pass without a plan does not say why")
            return
        reasons = [up.reason for up in plan.scale_up] + [down.reason for down in plan.scale_down]
        reasons += [gone.reason for gone in plan.terminate] + [undone.reason for undone in plan.cancel_drain]
        reasons += [verdict.reason for verdict in plan.pods] + [node.reason for node in plan.nodes]
        if not all(isinstance(reason.code, Code) for reason in reasons):
            self.broken(f"{record.actor}: a line of the plan has no reason")
        for deed in report.deeds:
            if deed.outcome is not Outcome.DONE and not deed.why:
                self.broken(f"{record.actor}: {deed.effect} {deed.subject} was not done, and nothing says why")
