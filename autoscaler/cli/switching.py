"""`pause`, `resume` and `approve`: the switch that stops and releases the controller."""

from __future__ import annotations

import re
import time
from pathlib import Path

from autoscaler.cli.switch_file import give, load_switch, manifest
from autoscaler.cli.user_error import UserError

_ID = re.compile(r"[0-9a-f]{8,64}")


def pause(length: str | None, reason: str, path: Path | None, namespace: str) -> int:
    """Stop every change, for a while or until it is resumed."""
    from autoscaler.control.switch import paused_data
    from autoscaler.model.instants import rfc3339
    from policies.scalars import duration

    until: float | None = None
    if length is not None:
        try:
            seconds = duration(length)
        except ValueError as wrong:
            raise UserError(f"--for {wrong}") from None
        if not seconds:
            raise UserError("--for must be longer than 0s")
        until = float(int(time.time()) + round(seconds))
    found = load_switch(path) if path is not None else manifest({}, namespace)
    when = f"until {rfc3339(until)}" if until is not None else "until it is resumed"
    give({**found, "data": paused_data(found["data"], until, reason)}, path, f"paused {when}")
    return 0


def resume(path: Path | None, namespace: str) -> int:
    """Let the controller act again."""
    from autoscaler.control.switch import PAUSED, resumed_data

    found = load_switch(path) if path is not None else manifest({}, namespace)
    # Said and not left out: `kubectl apply` keeps a key that the manifest does not name.
    give({**found, "data": {**resumed_data(found["data"]), PAUSED: "false"}}, path, "resumed")
    return 0


def approve(subject: str, path: Path | None, namespace: str) -> int:
    """Approve one plan (recommend mode), or one policy that is held."""
    from autoscaler.control.switch import approved_data

    if not _ID.fullmatch(subject):
        raise UserError(
            f"approve: {subject!r} is no id of a plan or policy; copy it from the first line of the plan, "
            "or from the reason ConfigHeld"
        )
    found = load_switch(path) if path is not None else manifest({}, namespace)
    give({**found, "data": approved_data(found["data"], subject)}, path, f"approved {subject}")
    return 0
