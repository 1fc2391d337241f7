"""`plan`: read files, decide, print. Contacts nothing and changes nothing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from autoscaler.cli.output import Output, Paint, print_document, wants_color
from autoscaler.cli.user_error import UserError

NOTHING, CHANGES, HELD = 0, 2, 3


def run(
    policy: Path,
    cluster: Path | None,
    cloud: Path | None,
    state: Path | None,
    now: str | None,
    output: Output,
    everything: bool,
) -> int:
    """Print the plan; the exit status tells what it holds (`interfaces.md`, section 2)."""
    from autoscaler.cli.inputs import load_memory, load_snapshot, parse_instant
    from autoscaler.cli.policy_files import compiled
    from autoscaler.cli.progress import reporter
    from autoscaler.model.decoding.errors import InputError
    from autoscaler.model.memory import NO_MEMORY
    from autoscaler.planning.decide import decide
    from autoscaler.reporting.documents import plan_document

    if cluster is None:
        raise UserError(
            "plan: reading the live cluster is not built yet; give --cluster FILE "
            "with what `kubectl get nodes,pods,pdb -A -o json` prints"
        )
    policies = compiled(policy)
    try:
        at = parse_instant(now) if now is not None else float(int(time.time()))
    except ValueError as wrong:
        raise UserError(f"--now: {wrong}") from None
    try:
        snapshot = load_snapshot(cluster, cloud, reporter("reading the cluster"))
        memory = load_memory(state) if state is not None else NO_MEMORY
    except InputError as wrong:
        raise UserError(str(wrong)) from None
    plan = decide(snapshot, policies, memory, at)
    document = plan_document(plan, snapshot if everything else None)
    if output is Output.TEXT:
        from autoscaler.reporting.sentences import clean
        from autoscaler.reporting.text import plan_text

        sys.stdout.write(plan_text(plan, document["id"], Paint(wants_color(sys.stdout)), everything) + "\n")
        if snapshot.skipped_kinds:
            skipped = ", ".join(f"{n} {clean(kind)}" for kind, n in sorted(snapshot.skipped_kinds.items()))
            sys.stdout.write(f"Objects of kinds that decide nothing were skipped: {skipped}.\n")
    else:
        print_document(document, output)
    return exit_status(plan)


def exit_status(plan: object) -> int:
    """0 nothing to do, 2 changes planned, 3 something is held."""
    from autoscaler.model.reasons import Code
    from autoscaler.planning.plan import Outcome, Plan

    assert isinstance(plan, Plan)
    blocking = {Code.PAUSED, Code.SNAPSHOT_INCOMPLETE, Code.CLUSTER_UNHEALTHY, Code.OBSERVE_MODE}
    whole = {Code.PAUSED, Code.OBSERVE_MODE}
    if plan.changes:
        return HELD if any(r.code in whole for r in plan.held) else CHANGES
    caps = {Code.POOL_AT_MAX, Code.CLUSTER_LIMIT_REACHED, Code.COST_CAP_REACHED}
    waits = any(v.outcome is Outcome.WAITING and v.reason.code in caps for v in plan.pods)
    spent = any(n.reason.code is Code.BUDGET_SPENT for n in plan.nodes)
    stopped = any(r.code in blocking - {Code.OBSERVE_MODE} for r in plan.held)
    return HELD if waits or spent or stopped else NOTHING
