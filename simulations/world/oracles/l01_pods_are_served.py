"""L1: a pending pod that a pool can serve is running, or explained, within a bound after the faults stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autoscaler.control.report import PassReport
from autoscaler.planning.plan import Outcome
from simulations.world.oracles.judge import Judge

BOUND_S = 600.0
HOPEFUL = frozenset({Outcome.FITS, Outcome.SCALE_UP, Outcome.COMING})
"""What a pod may be told for a while only: help is there, or on its way."""


@dataclass(slots=True)
class PodsAreServed(Judge):
    """L1. `last`: the newest report of each controller that leads."""

    invariant = "L1"
    latest: Callable[[], PassReport | None] = lambda: None

    def close(self) -> None:
        """See Judge."""
        site = self.facts.site
        old = [
            p
            for p in site.store.pods.values()
            if not p.node and p.deleted_at is None and site.world.wall() - p.created > BOUND_S
        ]
        if not old:
            return
        report = self.latest()
        if report is None or report.plan is None:
            why = report.stopped if report is not None else "nobody leads"
            self.broken(f"{old[0].key} waits, and no plan says why: {why}")
            return
        told = {pod.uid: verdict for verdict in report.plan.pods for pod in verdict.pods}
        for pod in old:
            verdict = told.get(pod.uid)
            setup = site.workloads.setups.get(pod.labels.get("app", ""))
            if verdict is None:
                self.broken(f"{pod.key} waits, and the plan does not name it")
            elif verdict.outcome in HOPEFUL and not (setup is not None and setup.unfit):
                self.broken(f"{pod.key} is pending for more than {BOUND_S:.0f} s and is told {verdict.reason.code}")
