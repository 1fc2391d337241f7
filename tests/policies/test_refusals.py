"""A policy that cannot be used is refused: one line a mistake, with file, line, column, path and advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from policies.loading import PolicyError, load, loads
from policies.scalars import duration, percentage

HEAD = "apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: NodePool\nmetadata: {name: a}\n"
SPEC = "spec:\n  groups: [{simulated: {group: a}, zone: z}]\n  template: {resources: {cpu: 8, memory: 8Gi}}\n"
GOOD = HEAD + SPEC + "  limits: {maxNodes: 3}\n"
CLUSTER = "apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: AutoscalerPolicy\nmetadata: {name: default}\n"


def refusal(text: str) -> str:
    with pytest.raises(PolicyError) as caught:
        loads(text, "policy.yaml")
    return str(caught.value)


def test_the_small_pool_is_enough() -> None:
    found = loads(GOOD, "policy.yaml")

    assert [p.name for p in found.pools] == ["a"]
    assert found.cluster.mode == "observe"


@pytest.mark.parametrize(
    ("lines", "place", "says"),
    [
        ("  limits: {maxNodes: -1}", "7:12: spec.limits.maxNodes", "must be at least 0, got -1"),
        ("  limits: {maxNodes: 2, maxNode: 1}", "7:25: spec.limits.maxNode", "did you mean maxNodes?"),
        ("  limits: {minNodes: 4, maxNodes: 3}", "7:", "maxNodes 3"),
        ("  weight: 1.5", "7:3: spec.weight", "whole number"),
        ("  capacityType: spott", "7:3: spec.capacityType", "did you mean spot?"),
        ("  scaleDown: {threshold: 5}", "7:15: spec.scaleDown.threshold", '"10%"'),
        ("  scaleDown: {idleCooldown: 10}", "7:15: spec.scaleDown.idleCooldown", "10m"),
        ("  scaleDown: {idleCooldown: -10m}", "7:15: spec.scaleDown.idleCooldown", "negative"),
        ("  scaleUp: {backoff: {initial: 1h}}", "7:", "max"),
        ("  warmBuffer: {schedules: [{cron: 0 0 30 2 *, duration: 1h, nodes: 1}]}", "7:29: spec.warmBuffer", "cron"),
        (
            "  warmBuffer: {schedules: [{cron: 0 0 * * *, timeZone: Berlin, duration: 1h, nodes: 1}]}",
            "7:",
            "Europe/Berlin",
        ),
        ("  price: {usdPerHour: .inf}", "7:11: spec.price.usdPerHour", ""),
    ],
)
def test_a_wrong_value_is_told_with_its_place(lines: str, place: str, says: str) -> None:
    limits = "" if "limits:" in lines else "  limits: {maxNodes: 3}\n"
    message = refusal(HEAD + SPEC + lines + "\n" + limits)

    assert message.startswith(f"policy.yaml:{place}")
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{}", "instanceType"),
        ("{resources: {cpu: 1K}}", "1K"),
        ("{resources: {cpu: 8}, labels: {a: on}}", "labels"),
        ("{resources: {cpu: 8}, labels: {v: 1.10}}", "1.10"),
        ("{resources: {cpu: 8}, gpu: {sharing: {mps: {replicas: 2}, timeSlicing: {replicas: 2}}}}", "sharing"),
        ("{resources: {cpu: 8}, gpu: {sharing: {mps: {replicas: 1}}}}", "at least 2"),
        ("{resources: {cpu: 8}, gpu: {sharing: {mig: {layout: {1g.5gb: 0}}}}}", "at least 1"),
        ("{resources: {cpu: 8}, gpu: {sharing: {mig: {}}}}", "layout"),
    ],
)
def test_a_template_that_says_nothing_or_too_much_is_refused(template: str, says: str) -> None:
    message = refusal(
        f"{HEAD}spec:\n  groups: [{{simulated: {{group: a}}}}]\n  template: {template}\n  limits: {{maxNodes: 1}}\n"
    )

    assert message.startswith("policy.yaml:6:")
    assert says in message


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: 1\na: 2\n",
        "1: 2\n",
        "? [a]\n: 1\n",
        "a: !!str 1\n",
        "a: {<<: {b: 1}}\n",
        "a: 010\n",
        "a: 1:30\n",
        "a: 1_000\n",
        "a: \x01\n",
        "a: [1\n",
        "a: " + "[" * 200,
        "a: " + "k" * (1 << 20) + "\n",
        "a: " + "€" * (1 << 19) + "\n",
        "- 1\n",
        "hello\n",
        "",
        "\x00\x01",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_yaml_that_means_different_things_to_different_readers_is_refused(text: str) -> None:
    message = refusal(text)

    assert message.startswith("policy.yaml")
    assert max(len(line) for line in message.splitlines()) < 400


def test_all_mistakes_of_all_documents_are_told_at_once() -> None:
    text = GOOD.replace("maxNodes: 3", "maxNodes: x") + "---\n" + GOOD.replace("name: a", "name: b") + "  weigth: 1\n"

    assert [line.split(": ")[0] for line in refusal(text).splitlines()] == ["policy.yaml:7:12", "policy.yaml:16:3"]


def test_at_most_twenty_are_shown_and_the_rest_counted() -> None:
    lines = refusal(GOOD + "".join(f"  k{n}: 1\n" for n in range(50))).splitlines()

    assert len(lines) == 21
    assert "30" in lines[-1]


def test_a_key_with_control_characters_stays_on_its_line() -> None:
    message = refusal(GOOD + '  "a\\nb\\e[31m": 1\n')

    assert "\n" not in message
    assert "\x1b" not in message


def test_a_name_given_twice_and_a_second_policy_are_refused() -> None:
    assert "rename" in refusal(GOOD + "---\n" + GOOD)
    assert "second AutoscalerPolicy" in refusal(f"{GOOD}---\n{CLUSTER}---\n{CLUSTER}")


def test_a_file_without_pools_is_refused() -> None:
    assert "no NodePool" in refusal(CLUSTER)


def test_files_of_a_folder_are_one_policy(tmp_path: Path) -> None:
    (tmp_path / "b.yml").write_text(GOOD)
    (tmp_path / "a.yaml").write_text(CLUSTER + "spec: {mode: act}\n")
    (tmp_path / "notes.txt").write_text("no policy")
    found = load(tmp_path)

    assert (found.cluster.mode, [p.name for p in found.pools]) == ("act", ["a"])


def test_what_is_no_text_file_is_refused_by_its_name(tmp_path: Path) -> None:
    binary, empty = tmp_path / "binary.yaml", tmp_path / "empty"
    binary.write_bytes(b"\xff\xfe\x00a")
    empty.mkdir()
    for path in (binary, empty, tmp_path / "nowhere.yaml"):
        with pytest.raises(PolicyError) as caught:
            load(path)
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0),
        ("0s", 0),
        ("10m", 600),
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("500ms", 0.5),
        ("14d", 1209600),
        ("1d12h", 129600),
    ],
)
def test_durations_are_go_durations_with_days(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10",
        "1mm",
        "1w",
        "1y",
        "1h 30m",
        "-1h",
        "1..5h",
        "1e3s",
        "١h",
        "2h1d",
        "1.5d",
        "1h\n",
        "0000400d",
        "1" * 50,
        10,
        1.5,
        True,
        None,
    ],
)
def test_other_durations_are_refused(text: object) -> None:
    with pytest.raises(ValueError, match="must"):
        duration(text)


def test_leading_zeros_of_days_do_not_change_them() -> None:
    assert duration("0000014d") == 14 * 86400


@pytest.mark.parametrize("text", ["10", "101%", "-1%", "1.2345%", " 1%", "\uff11%", 10, True])
def test_other_percentages_are_refused(text: object) -> None:
    with pytest.raises(ValueError, match="must"):
        percentage(text)
