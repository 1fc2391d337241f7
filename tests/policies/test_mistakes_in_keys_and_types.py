"""Mistakes in keys and types: unknown, twice, no text, of another type, and what YAML makes of text.

Each row is an edit of the full example: what is replaced, by what, and the sentence. The triangle is the place that is
told.
"""

from __future__ import annotations

import pytest

from tests.policies.files import NAME, edited, problems

EDITS = [
    # Unknown keys, at every level
    ("metadata: {name: default}", "▸metadata: {nmae: default}", "metadata.name: is missing"),
    ("metadata: {name: default}", "metadata: {▸nmae: default}", "metadata.nmae: unknown key; did you mean name?"),
    ("  mode: observe ", "  ▸mod: observe ", "spec.mod: unknown key; did you mean mode?"),
    ("{nodes: 500,", "{▸node: 500,", "spec.limits.node: unknown key; did you mean nodes?"),
    ("priorityCutoff", "▸prioritycutoff", "spec.pods.prioritycutoff: unknown key; did you mean priorityCutoff?"),
    ("maxParallelDrains", "▸maxDrains", "spec.disruption.maxDrains: unknown key; did you mean maxParallelDrains?"),
    (
        "atMost: 10, per: 1m",
        "▸atmost: 10, per: 1m",
        "spec.disruption.budgets[0].atmost: unknown key; did you mean atMost?",
    ),
    ("capacityType: spot", "▸capacity: spot", "spec.capacity: unknown key; did you mean capacityType?"),
    (
        "{autoScalingGroup:",
        "{▸autoscalinggroup:",
        "spec.groups[0].aws.autoscalinggroup: unknown key; did you mean autoScalingGroup?",
    ),
    ("startupTaints", "▸startUpTaints", "spec.template.startUpTaints: unknown key; did you mean startupTaints?"),
    ("count: 8", "▸gpus: 8", "spec.template.gpu.gpus: unknown key; known here: count, model, sharing"),
    ("layout: all-1g", "▸layuot: all-1g", "spec.template.gpu.sharing.mig.layuot: unknown key; did you mean layout?"),
    ("idleCooldown: 10m", "▸idleCoolDown: 10m", "spec.scaleDown.idleCoolDown: unknown key; did you mean idleCooldown?"),
    (
        "    drainTimeout: 30m",
        "    ▸zzz: 30m",
        (
            "spec.scaleDown.zzz: unknown key; known here: cooldownAfterScaleUp, drainTimeout, enabled, "
            "idleCooldown, protectJobs, systemPods, threshold, utilization"
        ),
    ),
    # Keys in the wrong place
    ("  weight: 0", "  ▸maxNodes: 0", "spec.maxNodes: unknown key; it belongs to spec.limits"),
    ("  mode: observe ", "  ▸maxUnready: {} ", "spec.maxUnready: unknown key; it belongs to spec.disruption"),
    # Keys twice, keys that are no text
    ("  weight: 0", "  ▸price: {usdPerHour: 1}", "spec.price: is given twice, first in line 46; keep one"),
    ("    labels: {}", "    labels: {▸1: a}", "spec.template.labels.1: the key 1 must be text; put it into quotes"),
    ("    labels: {}", "    labels: {▸on: a}", "spec.template.labels.on: the key on must be text; put it into quotes"),
    ("    labels: {}", "    labels: {▸~: a}", 'spec.template.labels["~"]: the key ~ must be text; put it into quotes'),
    ("    labels: {}", "    labels: {▸[a]: a}", "spec.template.labels: a key must be text, not a list or mapping"),
    (
        "    labels: {}",
        "    labels: {▸2026-01-01: a}",
        "spec.template.labels.2026-01-01: the key 2026-01-01 must be text; put it into quotes",
    ),
    (
        "    labels: {}",
        "    labels: {▸<<: {a: b}}",
        'spec.template.labels["<<"]: merge keys (<<) are not allowed; write the keys out',
    ),
    # Anchors, aliases, tags
    (
        "    labels: {}",
        "    labels: ▸&a {}",
        "spec.template.labels: anchors and aliases are not allowed; write the value out",
    ),
    ("  weight: 0", "  weight: ▸*w", "spec.weight: anchors and aliases are not allowed; write the value out"),
    ("  weight: 0", "  weight: ▸!!int 0", "spec.weight: tags are not allowed; write a plain value, text in quotes"),
    (
        "    labels: {}",
        "    labels: ▸!mine {}",
        "spec.template.labels: tags are not allowed; write a plain value, text in quotes",
    ),
    # Wrong types
    ("  weight: 0", "  ▸weight: heavy", "spec.weight: must be a whole number, got 'heavy'"),
    ("  weight: 0", '  ▸weight: "0"', "spec.weight: must be a whole number, got '0'; write it without quotes"),
    ("  weight: 0", "  ▸weight: 1.5", "spec.weight: must be a whole number, got 1.5"),
    ("  weight: 0", "  ▸weight: 2.0", "spec.weight: must be a whole number, got 2.0"),
    ("  weight: 0", "  ▸weight: true", "spec.weight: must be a whole number, got true"),
    ("  weight: 0", "  ▸weight: [1]", "spec.weight: must be a whole number, got a list"),
    ("  weight: 0", "  ▸weight: {a: 1}", "spec.weight: must be a whole number, got a mapping"),
    ("  weight: 0", "  ▸weight:", "spec.weight: is empty; give a value, or remove the key"),
    ("  weight: 0", "  ▸weight: 1000001", "spec.weight: must be at most 1000000, got 1000001"),
    (
        "enabled: true",
        '▸enabled: "yes"',
        "spec.scaleDown.enabled: must be true or false, got 'yes'; write it without quotes",
    ),
    ("enabled: true", "▸enabled: maybe", "spec.scaleDown.enabled: must be true or false, got 'maybe'"),
    ("enabled: true", "▸enabled: 1", "spec.scaleDown.enabled: must be true or false, got 1"),
    ("price: {usdPerHour: 98.32}", "▸price: 98.32", "spec.price: must be a mapping, got 98.32"),
    ("price: {usdPerHour: 98.32}", "▸price: [98.32]", "spec.price: must be a mapping, got a list"),
    (
        "fallback: [h100-od]",
        "▸fallback: h100-od",
        "spec.spot.fallback: must be a list, got 'h100-od'; write ['h100-od']",
    ),
    ("fallback: [h100-od]", "▸fallback: {a: b}", "spec.spot.fallback: must be a list, got a mapping"),
    ("fallback: [h100-od]", "fallback: [▸7]", 'spec.spot.fallback[0]: must be text, got 7; put it into quotes: "7"'),
    ("fallback: [h100-od]", "fallback: [▸'']", "spec.spot.fallback[0]: must not be empty"),
    # What YAML 1.1 makes of text
    (
        'value: "true", effect',
        "▸value: true, effect",
        'spec.template.taints[0].value: must be text, got true; put it into quotes: "true"',
    ),
    (
        'value: "true", effect',
        "▸value: on, effect",
        'spec.template.taints[0].value: must be text, got on; put it into quotes: "on"',
    ),
    (
        'value: "true", effect',
        "▸value: No, effect",
        'spec.template.taints[0].value: must be text, got No; put it into quotes: "No"',
    ),
    (
        "    labels: {}",
        "    labels: {▸version: 1.10}",
        'spec.template.labels.version: must be text, got 1.10; put it into quotes: "1.10"',
    ),
    (
        "    labels: {}",
        "    labels: {▸day: 2026-06-01}",
        'spec.template.labels.day: must be text, got 2026-06-01; put it into quotes: "2026-06-01"',
    ),
    (
        "    labels: {}",
        "    labels: {▸mode: 0755}",
        (
            "spec.template.labels.mode: 0755 is not the same to every YAML reader; write a plain decimal "
            "number, or put text into quotes"
        ),
    ),
    (
        "    labels: {}",
        "    labels: {▸at: 12:30}",
        (
            "spec.template.labels.at: 12:30 is not the same to every YAML reader; write a plain decimal "
            "number, or put text into quotes"
        ),
    ),
    ("    labels: {}", "    labels: {▸a: ~}", "spec.template.labels.a: is empty; give a value, or remove the key"),
    ("  mode: observe ", "  ▸mode: off ", "spec.mode: must be observe, recommend or act, got off"),
    (
        "  weight: 0",
        "  ▸weight: 1_000",
        (
            "spec.weight: 1_000 is not the same to every YAML reader; write a plain decimal number, or put "
            "text into quotes"
        ),
    ),
    (
        "  weight: 0",
        "  ▸weight: 0x10",
        (
            "spec.weight: 0x10 is not the same to every YAML reader; write a plain decimal number, or put text "
            "into quotes"
        ),
    ),
    (
        "  weight: 0",
        "  ▸weight: 2026-13-01",
        "spec.weight: 2026-13-01 looks like a date and is none; put text into quotes",
    ),
    (
        "usdPerHour: 98.32",
        "▸usdPerHour: 1e3",
        "spec.price.usdPerHour: must be a number, got '1e3'; write it without an exponent",
    ),
]


@pytest.mark.parametrize(("old", "new", "told"), EDITS, ids=[new.strip()[:40] for _, new, _ in EDITS])
def test_a_mistake_is_told_with_its_place_and_the_fix(old: str, new: str, told: str) -> None:
    text, place = edited(old, new)

    assert f"{NAME}:{place}: {told}" in problems(text)
