"""`plan` as a person calls it: exit statuses, one document, one sentence for bad input, nothing contacted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from autoscaler.cli.main import run

NOW = "2026-06-01T12:00:00Z"


def policy(mode: str = "act", most: int = 5) -> str:
    return f"""\
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: AutoscalerPolicy
metadata: {{name: default}}
spec: {{mode: {mode}}}
---
apiVersion: gpu-autoscaler.dev/v1alpha1
kind: NodePool
metadata: {{name: a10}}
spec:
  groups: [{{simulated: {{group: a10}}, zone: zone-a}}]
  template: {{instanceType: g5.xlarge}}
  limits: {{maxNodes: {most}}}
"""


def pod(name: str, gpus: int = 1) -> dict[str, object]:
    resources = {"limits": {"nvidia.com/gpu": str(gpus)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"containers": [{"name": "c", "image": "x", "resources": resources}]},
    }


class Files:
    """The input files of one call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def call(self, text: str, objects: list[dict[str, object]], *more: str) -> list[str]:
        cluster = self.folder / "cluster.json"
        cluster.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        given = self.folder / "policy.yaml"
        given.write_text(text)
        return ["plan", "--policy", str(given), "--cluster", str(cluster), "--now", NOW, *more]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


@pytest.mark.parametrize(
    ("sentence", "text", "pods", "status"),
    [
        ("nothing to do", policy(), [], 0),
        ("changes planned", policy(), [pod("p")], 2),
        ("observe mode holds them", policy("observe"), [pod("p")], 3),
        ("recommend mode holds them", policy("recommend"), [pod("p")], 3),
        ("a maximum holds the pod", policy(most=0), [pod("p")], 3),
        ("a pod that no pool can serve is no change", policy(), [pod("p", 64)], 0),
    ],
)
def test_the_exit_status_says_what_the_plan_holds(
    files: Files, sentence: str, text: str, pods: list[dict[str, object]], status: int
) -> None:
    assert run(files.call(text, pods)) == status, sentence


def test_json_is_exactly_one_document_on_standard_output(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    run(files.call(policy(), [pod("p")], "--output", "json"))

    shown = capsys.readouterr()
    document = json.loads(shown.out)
    assert (document["kind"], document["at"]) == ("Plan", NOW)
    assert document["scaleUp"][0] | {"reason": None} == {
        "pool": "a10",
        "group": "a10",
        "count": 1,
        "from": 0,
        "to": 1,
        "zone": "zone-a",
        "instanceType": "g5.xlarge",
        "capacityType": "on-demand",
        "layout": None,
        "usdPerHour": 1.006,
        "reason": None,
        "pods": ["ml/p"],
    }
    assert document["pods"][0]["node"] == "new/a10/1"
    assert shown.err == ""


def test_yaml_and_json_say_the_same(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    run(files.call(policy(), [pod("p"), pod("q", 64)], "--output", "json"))
    as_json = json.loads(capsys.readouterr().out)
    run(files.call(policy(), [pod("p"), pod("q", 64)], "--output", "yaml"))

    assert yaml.safe_load(capsys.readouterr().out) == as_json


def test_text_has_the_price_the_reason_and_what_would_change_it(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    run(files.call(policy(), [pod("p"), pod("big", 64)]))

    text = capsys.readouterr().out
    for part in ("+$1.01/h", "for ml/p", "ml/big: asks for 64 nvidia.com/gpu", "what would change it", "Run rate"):
        assert part in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["plan"], "--policy"),
        (["plan", "--polic", "x"], "--policy"),
        (["plan", "--policy", "/nowhere.yaml", "--cluster", "/nowhere.yaml"], "/nowhere.yaml"),
        (["plan", "--policy", "POLICY"], "--cluster FILE"),
        (["plan", "--policy", "POLICY", "--cluster", "/nowhere.json"], "/nowhere.json"),
        (["plan", "--policy", "POLICY", "--cluster", "CLUSTER", "--now", "yesterday"], "yesterday"),
        (["plan", "--policy", "POLICY", "--cluster", "CLUSTER", "--output", "xml"], "xml"),
        (["plan", "--policy", "POLICY", "--cluster", "CLUSTER", "--cloud", "POLICY"], "policy.yaml"),
        (["plan", "--policy", "CLUSTER", "--cluster", "CLUSTER"], "cluster.json"),
        (["lint", "/nowhere.yaml"], "/nowhere.yaml"),
        (["simulate", "/nowhere.yaml"], "/nowhere.yaml"),
        (["dance"], "dance"),
    ],
)
def test_bad_input_is_one_sentence_and_status_1(
    files: Files, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    files.call(policy(), [])
    names = {"POLICY": str(files.folder / "policy.yaml"), "CLUSTER": str(files.folder / "cluster.json")}

    status = run([names.get(a, a) for a in arguments])

    shown = capsys.readouterr()
    assert status == 1
    assert says in shown.err + shown.out
    assert "Traceback" not in shown.err
