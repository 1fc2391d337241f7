"""The plan for people: what is done with its dollars, then why the rest is as it is, then the sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from autoscaler.model.reasons import Code, Reason
from autoscaler.planning.plan import NodeVerdict, Outcome, Plan, PodVerdict, PoolState, Verdict
from autoscaler.reporting.sentences import clean, say

Paint = Callable[..., str]
MANY = 12  # lines of a section before the rest is counted
BOLD, DIM, RED, GREEN, YELLOW, CYAN = 1, 2, 31, 32, 33, 36


def plan_text(plan: Plan, identity: str, paint: Paint, everything: bool) -> str:  # noqa: FBT001
    """The whole report. `everything` lists what is otherwise counted."""
    most = 10**9 if everything else MANY
    lines: list[str] = [*_held(plan, paint), *_table(plan, paint, most)]
    lines += _pods(plan, paint, most)
    lines += _nodes(plan, paint, most)
    lines += _pools(plan, paint)
    cost = plan.cost
    change = cost.after - cost.now
    lines.append("")
    lines.append(
        paint(f"Net {dollars(change, signed=True)}/h", BOLD)
        + f".  Run rate {dollars(cost.now)}/h -> {dollars(cost.after)}/h, of it idle now {dollars(cost.idle)}/h."
        + (f"  {cost.unpriced} nodes without a known price are left out." if cost.unpriced else "")
        + f"  Plan {identity}."
    )
    return "\n".join(lines)


def dollars(amount: float, *, signed: bool = False) -> str:
    """`$1,234.50`, with its sign where asked."""
    sign = "-" if amount < -0.005 else ("+" if signed else "")
    return f"{sign}${abs(amount):,.2f}"


def _price(amount: float | None, count: int, sign: str) -> str:
    return "price unknown" if amount is None else f"{sign}${amount * count:,.2f}/h"


def _held(plan: Plan, paint: Paint) -> list[str]:
    out = []
    for reason in plan.held:
        if reason.code is Code.OBSERVE_MODE:
            out.append(paint(f"Mode {plan.mode}: nothing below is done until the policy says mode: act.", YELLOW))
        else:
            text = say(reason)
            out.append(paint(f"Held: {text.message}.", YELLOW) + (f" {text.fix}." if text.fix else ""))
    return out


def _table(plan: Plan, paint: Paint, most: int) -> list[str]:
    rows: list[tuple[str, str, str, str, str]] = []
    for up in plan.scale_up:
        what = " ".join(x for x in (up.instance_type, up.capacity_type, up.zone, up.layout or "") if x)
        why = _for_pods([p.key for p in up.pods]) if up.pods else say(up.reason).message
        rows.append(("+", f"{up.pool}  +{up.count}", what, _price(up.usd_per_hour, up.count, "+"), why))
    for reconfigured in plan.reconfigure:
        what = f"{reconfigured.layout_from} -> {reconfigured.layout_to}"
        why = _for_pods([p.key for p in reconfigured.pods])
        rows.append(("~", f"{reconfigured.pool}  {reconfigured.node}", what, "$0.00/h", why))
    for gone in plan.terminate:
        what = gone.node or gone.instance
        rows.append(("x", f"{gone.pool}  {what}", "instance terminated", "", say(gone.reason).message))
    for down in plan.scale_down:
        moved = f"; {len(down.pods)} pods move" if down.pods else "; 0 pods move"
        price = _price(down.usd_per_hour, 1, "-")
        rows.append(("-", f"{down.pool}  {down.node}", "", price, say(down.reason).message + moved))
    rows += [("^", c.node, "drain is undone", "", say(c.reason).message) for c in plan.cancel_drain]
    if not rows:
        return ["Nothing to do."]
    widths = [max(len(row[i]) for row in rows[:most]) for i in range(4)]
    colors = {"+": GREEN, "-": RED, "x": RED, "~": CYAN, "^": YELLOW}
    out = []
    for row in rows[:most]:
        head = f" {row[0]} {clean(row[1]):<{widths[1]}}  {clean(row[2]):<{widths[2]}}  {row[3]:>{widths[3]}}"
        out.append(paint(head, colors[row[0]]) + f"  {row[4]}")
    return out + _more(len(rows), most, "changes")


def _for_pods(keys: Sequence[str]) -> str:
    shown = ", ".join(clean(k) for k in sorted(keys)[:2])
    rest = len(keys) - 2
    return f"for {shown}" + (f" and {rest} more" if rest > 0 else "")


def _more(number: int, most: int, what: str) -> list[str]:
    return [f"   … and {number - most} more {what} (--all lists them)"] if number > most else []


ORDER = (Outcome.UNSCHEDULABLE, Outcome.WAITING, Outcome.SCALE_UP, Outcome.COMING, Outcome.FITS, Outcome.IGNORED)


def _pods(plan: Plan, paint: Paint, most: int) -> list[str]:
    if not plan.pods:
        return []
    out = ["", paint("Pending pods", BOLD)]
    for outcome in ORDER:
        found = [v for v in plan.pods if v.outcome is outcome]
        if not found:
            continue
        total = sum(len(v.pods) for v in found)
        out.append(f"  {outcome}: {total:,}")
        if outcome in (Outcome.UNSCHEDULABLE, Outcome.WAITING):
            for verdict in found[:most]:
                out += _why(verdict, paint)
            out += _more(len(found), most, "kinds of pods")
        elif outcome is Outcome.IGNORED:
            out += [f"    {n:,} {message}" for message, n in _counted((v.reason, len(v.pods)) for v in found)]
    return out


def _why(verdict: PodVerdict, paint: Paint) -> list[str]:
    text = say(verdict.reason)
    names = clean(verdict.pods[0].key) + (f" and {len(verdict.pods) - 1:,} more" if len(verdict.pods) > 1 else "")
    out = [f"    {names}: {text.message}" + paint(f" [{verdict.reason.code}]", DIM)]
    out += [f"      {clean(pool)}: {say(reason).message}" for pool, reason in verdict.pools[:8]]
    if len(verdict.pools) > 8:
        out.append(f"      … and {len(verdict.pools) - 8} more pools")
    if text.fix:
        out.append(paint(f"      what would change it: {text.fix}", CYAN))
    return out


def _counted(items: Iterable[tuple[Reason, int]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for reason, number in items:
        message = say(reason).message
        counts[message] = counts.get(message, 0) + number
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


QUIET = (Code.IN_USE, Code.UNMANAGED)


def _nodes(plan: Plan, paint: Paint, most: int) -> list[str]:
    if not plan.nodes:
        return []
    quiet: dict[Code, int] = {}
    telling: list[NodeVerdict] = []
    for node in plan.nodes:
        if node.verdict is Verdict.KEEP and node.reason.code in QUIET:
            quiet[node.reason.code] = quiet.get(node.reason.code, 0) + 1
        elif node.verdict is Verdict.KEEP:
            telling.append(node)
    counted = ", ".join(f"{number:,} {code}" for code, number in sorted(quiet.items()))
    out = ["", paint("Nodes kept", BOLD) + (f": {counted}" if counted else "")]
    for node in telling[:most]:
        text = say(node.reason)
        out.append(f"  {clean(node.node)} ({node.state}): {text.message}" + paint(f" [{node.reason.code}]", DIM))
        if text.fix:
            out.append(paint(f"    what would change it: {text.fix}", CYAN))
    return out + _more(len(telling), most, "nodes")


def _pools(plan: Plan, paint: Paint) -> list[str]:
    out = ["", paint("Pools", BOLD)] if plan.pools else []
    width = max((len(p.pool) for p in plan.pools), default=0)
    for pool in plan.pools:
        wanted = f", {pool.wanted_idle} idle wanted" if pool.wanted_idle else ""
        state = f"  {pool.state}" if pool.state is not PoolState.HEALTHY else ""
        line = (
            f"  {clean(pool.pool):<{width}}  {pool.ready} ready, {pool.coming} coming, {pool.idle} idle{wanted}{state}"
        )
        if pool.reason is not None:
            text = say(pool.reason)
            line += f": {text.message}" + (paint(f" -> {text.fix}", CYAN) if text.fix else "")
        out.append(line)
    return out
