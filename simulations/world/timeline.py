"""The story of a run, one line a fact: what a person reads to understand a broken promise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autoscaler.control.claims import claim_of, is_marked
from autoscaler.control.report import Outcome, PassReport
from simulations.world.oracles.violation import Violation
from simulations.world.records import Record, What
from simulations.world.site import START

SILENT = frozenset({What.PASS_BEGAN, What.LEASE_WRITTEN, What.DOCUMENT_WRITTEN})


def timeline(records: Iterable[Record], violations: Iterable[Violation] = (), *, quiet: bool = True) -> Iterator[str]:
    """Lines, oldest first, with the violations where they belong. `quiet` leaves out what changes nothing."""
    broken = sorted(violations, key=lambda v: v.at)
    for record in records:
        while broken and broken[0].at < record.at:
            yield _broken(broken.pop(0))
        if quiet and record.what in SILENT:
            continue
        text = _told(record)
        if text:
            yield f"{_clock(record.at)}  {record.actor:<10} {text}"
    for violation in broken:
        yield _broken(violation)


def _broken(violation: Violation) -> str:
    return f"{_clock(violation.at)}  {'!' * 10} {violation}"


def _clock(at: float) -> str:
    seconds = at - START
    return f"{int(seconds // 60):4d}:{seconds % 60:04.1f}"


def _told(record: Record) -> str:
    """The fact in words; "" for one that nobody needs to read."""
    details = record.details
    match record.what:
        case What.PASS:
            return _pass(details["report"])
        case What.NODE_PATCHED:
            return _patched(record)
        case What.RAISED:
            return f"sets {record.subject} from {details['before']} to {details['after']}"
        case What.TERMINATED:
            busy = [p.key for p in details["pods"] if not p.is_daemon and not p.finished]
            on = f", with {', '.join(busy)} on it" if busy else ""
            return f"terminates {record.subject} (node {details['node'] or 'none'}{on})"
        case What.EVICTED:
            return f"evicts {record.subject} from {details['node']}"
        case What.TAKEN:
            return f"takes {record.subject} (node {details['node'] or 'none'}): {details['cause']}"
        case What.NOTICE:
            return (
                f"announces the interruption of {record.subject} (node {details['node'] or 'none'}, {details['kind']})"
            )
        case What.PERSON:
            more = ", ".join(f"{k} {v}" for k, v in details.items() if k != "did" and v is not None)
            return f"{details['did']} {record.subject} {more}".rstrip()
        case What.FAULT:
            return f"(fault) {record.subject}: {details['kind']}"
        case What.POD_BOUND:
            return f"binds {record.subject} to {details['node']}"
        case What.NODE_CHANGED:
            return _changed(record)
        case What.NODE_CREATED:
            return f"node {record.subject} registers ({details['instance']})"
        case What.CRASHED:
            return f"dies: {details['why']}"
        case _:
            return f"{record.what} {record.subject}"


def _changed(record: Record) -> str:
    after = record.details["after"]
    offers = ", ".join(f"{n} {a}" for n, a in after.allocatable if "/" in n) or "no devices"
    cordon = ", cordoned" if after.unschedulable else ""
    return f"node {record.subject}: {'Ready' if after.is_ready else 'not Ready'}, {offers}{cordon}"


def _patched(record: Record) -> str:
    before, after = record.details["before"], record.details["after"]
    claim = claim_of(after)
    if claim is not None and claim != claim_of(before):
        verb = "takes over the drain of" if is_marked(before) else "begins to drain"
        return f"{verb} {record.subject}: {claim.reason} (epoch {claim.by.epoch})"
    if is_marked(before) and not is_marked(after):
        return f"undoes the drain of {record.subject}"
    changed = sorted(k for k, v in after.annotations.items() if before.annotations.get(k) != v)
    gone = sorted(k for k in before.annotations if k not in after.annotations)
    parts = [f"{k.rsplit('/', 1)[-1]}={after.annotations[k]}" for k in changed]
    parts += [f"{k.rsplit('/', 1)[-1]} removed" for k in gone]
    return f"annotates {record.subject}: {', '.join(parts) or 'labels'}"


def _pass(report: PassReport) -> str:
    if report.stopped:
        return f"pass: {report.stopped}"
    kept = [d for d in report.deeds if d.outcome is not Outcome.DONE]
    parts = [f"{d.effect} {d.subject} {d.outcome}: {d.why}" for d in kept]
    parts += [f"doubt: {doubt}" for doubt in report.doubts]
    return f"pass: {'; '.join(parts)}" if parts else ""
