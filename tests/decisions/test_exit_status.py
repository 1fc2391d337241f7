"""The exit status of `plan` for whole situations: 0 nothing to do, 2 changes planned, 3 something held, 1 an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from autoscaler.cli.main import run
from tests.decisions.expand import Case

A: dict[str, Any] = {"a": {"gpu": 1, "price": 3}}
POD: list[dict[str, Any]] = [{"name": "p", "gpu": 1}]
IDLE: list[dict[str, Any]] = [{"name": "n1", "pool": "a", "idle": "20m"}]
SICK = {"name": "s", "count": 4, "pool": "a", "ready": False, "readyFor": "10m"}


def situation(**more: Any) -> dict[str, Any]:
    return {"pools": A, **more}


SITUATIONS = [
    ("nothing to do", situation(), 0),
    ("nothing to do, a node cools down", situation(nodes=[{"name": "n", "pool": "a", "idle": "1m"}]), 0),
    ("a pod that no pool can ever serve is nothing to do", situation(pods=[{"name": "p", "gpu": 9}]), 0),
    ("a node is bought", situation(pods=POD), 2),
    ("a node is removed", situation(nodes=IDLE), 2),
    ("an instance is terminated", situation(pools={"a": {"gpu": 1, "instances": [{"id": "i", "age": "1h"}]}}), 2),
    ("a drain is undone", situation(nodes=[{"name": "n", "pool": "a", "draining": "1m"}], pods=POD), 2),
    ("observe mode holds what is planned", situation(pods=POD, policy={"mode": "observe"}), 3),
    ("observe mode with nothing to do holds nothing", situation(policy={"mode": "observe"}), 0),
    ("recommend mode waits for approval", situation(nodes=IDLE, policy={"mode": "recommend"}), 3),
    ("a pause holds what is planned", situation(pods=POD, paused={"pauseReason": "an incident"}), 3),
    ("a pause that is over holds nothing", situation(pods=POD, paused={"pausedUntil": "2026-06-01T11:59:59Z"}), 2),
    ("a maximum holds a pod", situation(pools={"a": {"gpu": 1, "max": 0}}, pods=POD), 3),
    ("the cost cap holds a pod", situation(pods=POD, policy={"limits": {"usdPerHour": 1}}), 3),
    ("a spent budget holds a node", situation(nodes=IDLE, removals=[{"ago": "5s", "pool": "a", "count": 10}]), 3),
    ("too many unready nodes hold a node", situation(nodes=[SICK, *IDLE]), 3),
]


def arguments(case: Case, folder: Path) -> list[str]:
    """The files of a case, and the command line that names them."""
    (folder / "policy.yaml").write_text(yaml.safe_dump_all(case.policy()))
    items = {"apiVersion": "v1", "kind": "List", "items": case.objects()}
    (folder / "cluster.json").write_text(json.dumps(items))
    (folder / "cloud.json").write_text(json.dumps(case.cloud()))
    found = ["plan", "--now", case.now, "--output", "json"]
    for name in ("policy.yaml", "cluster.json", "cloud.json"):
        found += [f"--{name.partition('.')[0]}", str(folder / name)]
    state = case.state()
    if state is not None:
        (folder / "state.json").write_text(json.dumps(state))
        found += ["--state", str(folder / "state.json")]
    return found


@pytest.mark.parametrize(("given", "status"), [s[1:] for s in SITUATIONS], ids=[s[0] for s in SITUATIONS])
def test_the_exit_status_tells_what_the_plan_holds(
    given: dict[str, Any], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(arguments(Case(given), tmp_path))

    shown = capsys.readouterr()
    assert (found, json.loads(shown.out)["kind"]) == (status, "Plan")


def test_a_file_that_cannot_be_read_is_status_1_and_prints_no_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = arguments(Case(situation(pods=POD)), tmp_path)
    (tmp_path / "cloud.json").write_text('{"apiVersion": "v1", "kind": "List"}')

    status = run(given)

    shown = capsys.readouterr()
    assert (status, shown.out) == (1, "")
    assert "cloud.json" in shown.err
    assert "Traceback" not in shown.err
