"""Mistakes in values: out of range, badly written, of no closed list, contradicting each other.

Each row is an edit of the full example: what is replaced, by what, and the sentence. The triangle is the place that is
told.
"""

from __future__ import annotations

import pytest

from tests.policies.files import NAME, edited, problems

EDITS = [
    # Numbers out of range
    ("usdPerHour: 98.32", "▸usdPerHour: -1", "spec.price.usdPerHour: must be at least 0, got -1"),
    ("usdPerHour: 98.32", "▸usdPerHour: .nan", "spec.price.usdPerHour: must be a finite number"),
    ("usdPerHour: 98.32", "▸usdPerHour: .inf", "spec.price.usdPerHour: must be a finite number"),
    ("usdPerHour: 98.32", "▸usdPerHour: 1.0e+9", "spec.price.usdPerHour: must be less than 10000000, got 1.0e+9"),
    ("maxNodes: 20}\n  warm", "▸maxNodes: -1}\n  warm", "spec.limits.maxNodes: must be at least 0, got -1"),
    (
        "{minNodes: 0, maxNodes: 20}",
        "{▸minNodes: 21, maxNodes: 20}",
        "spec.limits.minNodes: 21 is more than maxNodes 20",
    ),
    ("quantile: 0.95", "▸quantile: 1", "spec.warmBuffer.predictive.quantile: must be less than 1, got 1"),
    ("quantile: 0.95", "▸quantile: .nan", "spec.warmBuffer.predictive.quantile: must be a finite number"),
    ("failureLimit: 3", "▸failureLimit: 0", "spec.scaleUp.failureLimit: must be at least 1, got 0"),
    ("count: 8", "▸count: 0", "spec.template.gpu.count: must be at least 1, got 0"),
    # Durations
    ("loopInterval: 10s", "▸loopInterval: 10", "spec.loopInterval: must be a duration such as 10m or 1h30m, got 10"),
    (
        "loopInterval: 10s",
        "▸loopInterval: 10 s",
        "spec.loopInterval: must be a duration such as 10m or 1h30m, got '10 s'",
    ),
    ("loopInterval: 10s", "▸loopInterval: 500ms", "spec.loopInterval: must be at least 1s"),
    ("idleCooldown: 10m", "▸idleCooldown: -10m", "spec.scaleDown.idleCooldown: must not be negative, got '-10m'"),
    (
        "idleCooldown: 10m",
        "▸idleCooldown: 1w",
        "spec.scaleDown.idleCooldown: must be a duration such as 10m or 1h30m, got '1w'",
    ),
    (
        "idleCooldown: 10m",
        "▸idleCooldown: 1h 30m",
        "spec.scaleDown.idleCooldown: must be a duration such as 10m or 1h30m, got '1h 30m'",
    ),
    (
        "idleCooldown: 10m",
        "▸idleCooldown: 400d",
        "spec.scaleDown.idleCooldown: must be a duration of at most a year, got '400d'",
    ),
    (
        "idleCooldown: 10m",
        "▸idleCooldown: 00:10:00",
        "spec.scaleDown.idleCooldown: must be a duration such as 10m or 1h30m, got '00:10:00'",
    ),
    ("{initial: 5m, max: 30m}", "{▸initial: 1h, max: 30m}", "spec.scaleUp.backoff.initial: is longer than max"),
    (
        "duration: 10h, nodes: 4",
        "▸duration: 0s, nodes: 4",
        "spec.warmBuffer.schedules[0].duration: must be longer than 0s",
    ),
    # Percentages
    ('maxShare: "80%"', "▸maxShare: 0.8", 'spec.spot.maxShare: must be a percentage such as "10%", got 0.8'),
    ('maxShare: "80%"', "▸maxShare: 80", 'spec.spot.maxShare: must be a percentage such as "10%", got 80'),
    ('maxShare: "80%"', '▸maxShare: "101%"', "spec.spot.maxShare: must be at most \"100%\", got '101%'"),
    ('maxShare: "80%"', '▸maxShare: "-1%"', "spec.spot.maxShare: must be a percentage such as \"10%\", got '-1%'"),
    (
        'nodes: "100%"',
        "▸nodes: 1.5",
        ('spec.disruption.budgets[0].nodes: must be a whole number of nodes or a percentage such as "10%", got 1.5'),
    ),
    ('nodes: "100%"', "▸nodes: -1", "spec.disruption.budgets[0].nodes: must be from 0 to 1000000, got -1"),
    # Quantities
    (
        "cpu: 500m",
        "▸cpu: 500x",
        ("spec.template.reserved.cpu: '500x' is no quantity; write a number with a unit such as 500m, 2 or 64Gi"),
    ),
    ("cpu: 500m", "▸cpu: -1", "spec.template.reserved.cpu: '-1' is negative; amounts of cpu start at 0"),
    (
        "cpu: 500m",
        "▸cpu: true",
        ("spec.template.reserved.cpu: True is no quantity; write a number with a unit such as 500m, 2 or 64Gi"),
    ),
    (
        "    resources: {}",
        "    resources: {▸nvidia.com/gpu: 0.5}",
        'spec.template.resources["nvidia.com/gpu"]: devices are whole, got 0.5; write a whole number',
    ),
    ("    resources: {}", "    ▸resources: [cpu]", "spec.template.resources: must be a mapping, got a list"),
    # Cron and time zones
    (
        'cron: "0 8 * * 1-5"',
        '▸cron: "0 25 * * *"',
        (
            'spec.warmBuffer.schedules[0].cron: must be a cron expression of five fields such as "0 8 * * '
            "1-5\", got '0 25 * * *': its hour is wrong"
        ),
    ),
    (
        'cron: "0 8 * * 1-5"',
        '▸cron: "@daily"',
        (
            'spec.warmBuffer.schedules[0].cron: must be a cron expression of five fields such as "0 8 * * '
            "1-5\", got '@daily'"
        ),
    ),
    (
        'cron: "0 8 * * 1-5"',
        '▸cron: "0 0 8 * * 1"',
        (
            'spec.warmBuffer.schedules[0].cron: must be a cron expression of five fields such as "0 8 * * '
            "1-5\", got '0 0 8 * * 1'"
        ),
    ),
    (
        'cron: "0 8 * * 1-5"',
        '▸cron: "0 8 30 2 *"',
        (
            'spec.warmBuffer.schedules[0].cron: must be a cron expression of five fields such as "0 8 * * '
            "1-5\", got '0 8 30 2 *': its day-of-month is wrong"
        ),
    ),
    (
        'cron: "0 8 * * 1-5"',
        "▸cron: 8",
        'spec.warmBuffer.schedules[0].cron: must be text, got 8; put it into quotes: "8"',
    ),
    (
        "timeZone: Europe/Berlin",
        "▸timeZone: Europe/Berln",
        (
            "spec.warmBuffer.schedules[0].timeZone: must be a time zone such as Europe/Berlin, got "
            "'Europe/Berln'; did you mean Europe/Berlin?"
        ),
    ),
    (
        "timeZone: Europe/Berlin",
        "▸timeZone: europe/berlin",
        (
            "spec.warmBuffer.schedules[0].timeZone: must be a time zone such as Europe/Berlin, got "
            "'europe/berlin'; did you mean Europe/Berlin?"
        ),
    ),
    (
        "timeZone: Europe/Berlin",
        "▸timeZone: localtime",
        "spec.warmBuffer.schedules[0].timeZone: must be a time zone such as Europe/Berlin, got 'localtime'",
    ),
    (
        "timeZone: Europe/Berlin",
        "▸timeZone: ../../etc/passwd",
        ("spec.warmBuffer.schedules[0].timeZone: must be a time zone such as Europe/Berlin, got '../../etc/passwd'"),
    ),
    # Words of a closed list
    (
        "capacityType: spot",
        "▸capacityType: sport",
        "spec.capacityType: must be on-demand, spot or reserved, got 'sport'; did you mean spot?",
    ),
    (
        "effect: NoSchedule}]\n    startup",
        "▸effect: noSchedule}]\n    startup",
        (
            "spec.template.taints[0].effect: must be NoSchedule, PreferNoSchedule or NoExecute, got "
            "'noSchedule'; did you mean NoSchedule?"
        ),
    ),
    (
        "reasons: [Idle]",
        "reasons: [▸idle]",
        (
            "spec.disruption.budgets[0].reasons[0]: must be Idle, Underutilized, CheaperReplacement, Expired, "
            "Unhealthy or Interrupted, got 'idle'; did you mean Idle?"
        ),
    ),
    ("reasons: [Idle]", "▸reasons: []", "spec.disruption.budgets[0].reasons: must not be empty"),
    # Keys that belong together, or exclude each other
    (
        '{reasons: [Idle], nodes: "100%", atMost: 10, per: 1m}',
        '▸{reasons: [Idle], nodes: "100%", atMost: 10}',
        "spec.disruption.budgets[0]: atMost and per belong together: give both or neither",
    ),
    (", per: 1m}", ", ▸per: 0s}", "spec.disruption.budgets[0].per: must be longer than 0s"),
    (
        '{reasons: [Idle], nodes: "100%", atMost: 10, per: 1m}',
        '▸{reasons: [Idle], nodes: "100%", atMost: 10, per: 1m, schedule: "0 8 * * *"}',
        "spec.disruption.budgets[0]: schedule and duration belong together: give both or neither",
    ),
    (
        "aws: {autoScalingGroup: h100-spot-1a, region: us-east-1}\n      zone: us-east-1a\n    # -",
        "▸aws: {autoScalingGroup: h100-spot-1a, region: us-east-1}\n      zone: us-east-1a\n"
        "      simulated: {group: g}\n    # -",
        ("spec.groups[0]: a group belongs to exactly one of aws, gcp, kubernetes, simulated; got aws and simulated"),
    ),
    (
        "aws: {autoScalingGroup: h100-spot-1a, region: us-east-1}\n      zone: us-east-1a\n    # -",
        "▸aws: {autoScalingGroup: h100-spot-1a, region: us-east-1}\n      zone: us-east-1a\n"
        "      zones: [a, b]\n    # -",
        "spec.groups[0]: give zone for a group in one zone or zones for one over several, not both",
    ),
    (
        "      zone: us-east-1a\n    # -",
        "      zones: [a, b, ▸a]\n    # -",
        "spec.groups[0].zones[2]: a is given twice",
    ),
    (
        "sharing:                    # at most one of the three; none: whole GPUs\n        mig:\n",
        "▸sharing:                    # at most one of the three; none: whole GPUs\n"
        "        mps: {replicas: 2}\n        mig:\n",
        "spec.template.gpu.sharing: at most one of timeSlicing, mps, mig; got mps and mig",
    ),
    (
        "mig:\n          strategy: mixed         # mixed | single\n          layout: all-1g.10gb",
        "▸mig:\n          strategy: mixed         # mixed | single\n"
        "          layouts: [a]\n          layout: all-1g.10gb",
        ("spec.template.gpu.sharing.mig: give exactly one of layout, devices, layouts; got layout and layouts"),
    ),
    (
        "mig:\n          strategy: mixed         # mixed | single\n          layout: all-1g.10gb",
        "▸mig:\n          strategy: mixed         # mixed | single\n          devices: []",
        "spec.template.gpu.sharing.mig: give exactly one of layout, devices, layouts; got none",
    ),
    (
        "layout: all-1g.10gb",
        "layout: {▸1g.10gb: 0}",
        'spec.template.gpu.sharing.mig.layout["1g.10gb"]: must be a count of instances, at least 1, got 0',
    ),
    (
        "layout: all-1g.10gb",
        "layout: {▸1g.10gb: true}",
        ('spec.template.gpu.sharing.mig.layout["1g.10gb"]: must be a count of instances, at least 1, got True'),
    ),
    (
        "layout: all-1g.10gb",
        "▸layout: {}",
        (
            "spec.template.gpu.sharing.mig.layout: must be a layout name such as all-1g.10gb, or counts such "
            "as {1g.10gb: 2, 3g.40gb: 1}, got a mapping"
        ),
    ),
    (
        "layout: all-1g.10gb",
        "▸layout: 7",
        (
            "spec.template.gpu.sharing.mig.layout: must be a layout name such as all-1g.10gb, or counts such "
            "as {1g.10gb: 2, 3g.40gb: 1}, got 7"
        ),
    ),
    # Documents
    (
        "kind: AutoscalerPolicy ",
        "▸kind: AutoScalerPolicy ",
        "kind: must be AutoscalerPolicy or NodePool, got 'AutoScalerPolicy'; did you mean AutoscalerPolicy?",
    ),
    (
        "kind: AutoscalerPolicy ",
        "▸Kind: AutoscalerPolicy ",
        "Kind: the key kind is missing; write kind: AutoscalerPolicy or NodePool",
    ),
    ("kind: AutoscalerPolicy ", "▸kind: [AutoscalerPolicy] ", "kind: must be AutoscalerPolicy or NodePool, got a list"),
    (
        "metadata: {name: h100-spot}",
        "metadata: {▸name: H100_spot}",
        (
            "metadata.name: must be at most 63 lower-case letters, digits, dashes and dots, with a letter or "
            "digit at both ends, got 'H100_spot'"
        ),
    ),
    (
        "metadata: {name: h100-spot}",
        "metadata: {▸name: 7}",
        'metadata.name: must be text, got 7; put it into quotes: "7"',
    ),
    ("metadata: {name: h100-spot}", "▸metadata: h100-spot", "metadata: must be a mapping, got 'h100-spot'"),
]


@pytest.mark.parametrize(("old", "new", "told"), EDITS, ids=[new.strip()[:40] for _, new, _ in EDITS])
def test_a_mistake_is_told_with_its_place_and_the_fix(old: str, new: str, told: str) -> None:
    text, place = edited(old, new)

    assert f"{NAME}:{place}: {told}" in problems(text)
