"""Values that a policy may not have: in the full example, what is replaced, by what, and the sentence.

The triangle is the place that is told.
"""

from __future__ import annotations

VALUES: list[tuple[str, str, str | None]] = [
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
    ("    labels: {}", "    labels: {a/b: 08}", None),
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
]
