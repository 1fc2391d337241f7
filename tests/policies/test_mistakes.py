"""Every kind of mistake in a policy is one sentence with file, line, column, path and advice."""

from __future__ import annotations

import pytest

from policies.loading import PolicyError, loads
from tests.policies.files import CLUSTER, NAME, POOL, SHARINGS, SMALL, cluster, example, pool, problems
from tests.policies.mistaken_values import VALUES

FULL = example()


def edited(old: str, new: str, text: str = FULL) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


# In the full example: what is replaced, by what, and the sentence. The triangle is the place that is told.
EDITS: list[tuple[str, str, str | None]] = [
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
    *VALUES,
]


@pytest.mark.parametrize(("old", "new", "told"), EDITS, ids=[new.strip()[:40] for _, new, _ in EDITS])
def test_a_mistake_is_told_with_its_place_and_the_fix(old: str, new: str, told: str | None) -> None:
    marked = edited(old, new)
    before, _, after = marked.partition("▸")
    if told is None:
        loads(marked, NAME)
    else:
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        assert f"{NAME}:{line}:{column}: {told}" in problems(before + after)


WHOLE_FILES = [
    ("", f"{NAME}: has no NodePool; add one, or there is nothing to buy"),
    ("# only a remark\n", f"{NAME}: has no NodePool; add one, or there is nothing to buy"),
    ("---\n---\n~\n---\n", f"{NAME}: has no NodePool; add one, or there is nothing to buy"),
    (CLUSTER, f"{NAME}: has no NodePool; add one, or there is nothing to buy"),
    ("h100\n", f"{NAME}:1:1: is no policy document; it begins with apiVersion and kind"),
    ("- a\n", f"{NAME}:1:1: is no policy document; it begins with apiVersion and kind"),
    ("{}\n", f"{NAME}:1:1: kind: the key kind is missing; write kind: AutoscalerPolicy or NodePool"),
    ("kind: NodePool\n", f"{NAME}:1:1: apiVersion: is missing"),
    (
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nspec: {template: {spec: {}}}\n",
        f"{NAME}:1:1: apiVersion: must be gpu-autoscaler.dev/v1alpha1, got 'karpenter.sh/v1'",
    ),
    (
        "apiVersion: gpu-autoscaler.dev/v1alpha2\nkind: NodePool\n",
        f"{NAME}:1:1: apiVersion: must be gpu-autoscaler.dev/v1alpha1, got 'gpu-autoscaler.dev/v1alpha2'; "
        "did you mean gpu-autoscaler.dev/v1alpha1?",
    ),
    (
        f"{CLUSTER}---\n{CLUSTER}---\n{SMALL}",
        f"{NAME}:22:1: kind: is a second AutoscalerPolicy, the first is at {NAME}:1; keep one",
    ),
    (f"{SMALL}---\n{SMALL}", f"{NAME}:11:12: metadata.name: there is a pool a already, at {NAME}:1; rename one"),
    (
        f"{SMALL}---\n---\nx: 1\n",
        f"{NAME}:10:1: kind: the key kind is missing; write kind: AutoscalerPolicy or NodePool",
    ),
    (SMALL.replace("{maxNodes: 3}", "{}"), f"{NAME}:7:3: spec.limits.maxNodes: is missing"),
    (SMALL.replace("[{simulated: {group: g}, zone: z}]", "[]"), f"{NAME}:5:3: spec.groups: must not be empty"),
    (
        SMALL.replace("{resources: {cpu: 8}}", "{}"),
        f"{NAME}:6:3: spec.template: give instanceType, or the resources that a node offers",
    ),
    (SMALL.replace("group: g", "grp: g"), f"{NAME}:5:13: spec.groups[0].simulated.group: is missing"),
    ("a: 1\n", f"{NAME}:1:1: kind: the key kind is missing; write kind: AutoscalerPolicy or NodePool"),
]


@pytest.mark.parametrize(("text", "told"), WHOLE_FILES, ids=[repr(text)[:40] for text, _ in WHOLE_FILES])
def test_a_file_that_is_no_policy_is_told_so(text: str, told: str) -> None:
    assert told in problems(text)


def test_all_mistakes_of_a_file_are_told_in_the_order_of_the_file() -> None:
    text = edited("  mode: observe ", "  mod: observe ")
    text = edited("capacityType: spot", "capacityType: sport", text)
    text = edited("  weight: 0", "  weight: *w", text)
    text = edited("enabled: true", "enabled: maybe", text)
    text = edited("  price: {usdPerHour: 98.32}", "  price: {usdPerHour: -1, usdPerHour: 3}", text)

    assert problems(text) == [
        f"{NAME}:5:3: spec.mod: unknown key; did you mean mode?",
        f"{NAME}:31:3: spec.capacityType: must be on-demand, spot or reserved, got 'sport'; did you mean spot?",
        f"{NAME}:46:11: spec.price.usdPerHour: must be at least 0, got -1",
        f"{NAME}:46:27: spec.price.usdPerHour: is given twice, first in line 46; keep one",
        f"{NAME}:47:11: spec.weight: anchors and aliases are not allowed; write the value out",
        f"{NAME}:62:5: spec.scaleDown.enabled: must be true or false, got 'maybe'",
    ]


def test_what_is_no_yaml_value_is_told_once() -> None:
    assert problems(edited("  weight: 0", "  weight: 010")) == [
        f"{NAME}:47:3: spec.weight: 010 is not the same to every YAML reader; "
        "write a plain decimal number, or put text into quotes"
    ]


@pytest.mark.parametrize(("mistakes", "lines"), [(1, 1), (20, 20), (21, 21), (300, 21)])
def test_at_most_twenty_mistakes_are_shown_and_all_are_kept(mistakes: int, lines: int) -> None:
    text = pool("".join(f"  unknown{n}: 1\n" for n in range(mistakes)))
    with pytest.raises(PolicyError) as caught:
        loads(text, NAME)

    assert len(caught.value.problems) == mistakes
    assert len(str(caught.value).splitlines()) == lines
    assert (f"… and {mistakes - 20} more problems" in str(caught.value)) == (mistakes > 20)


def test_every_quantity_that_is_none_is_told_at_its_own_place() -> None:
    text = pool(template="{resources: {cpu: many, memory: 1_0Gi, nvidia.com/gpu: 8}}")

    assert problems(text) == [
        f"{NAME}:6:26: spec.template.resources.cpu: 'many' is no quantity; "
        "write a number with a unit such as 500m, 2 or 64Gi",
        f"{NAME}:6:37: spec.template.resources.memory: '1_0Gi' is no quantity; "
        "write a number with a unit such as 500m, 2 or 64Gi",
    ]


def test_a_message_stays_on_one_line_and_short_whatever_the_value() -> None:
    text = pool('  weight: "' + "x" * 5000 + '"\n  "a\\nb": 1\n  ' + "k" * 900 + ": 1\n")
    lines = problems(text)

    assert len(lines) == 3
    assert all(len(line) < 250 and "\n" not in line for line in lines)


def test_a_list_has_an_end() -> None:
    text = pool(groups="[" + "{zone: z}, " * 1001 + "]")

    assert problems(text) == [f"{NAME}:5:3: spec.groups: has 1001 items; 1000 are the most"]


@pytest.mark.parametrize("sharing", SHARINGS)
def test_the_edits_start_from_a_file_without_mistakes(sharing: str) -> None:
    assert loads(example(sharing), NAME).pools
    assert "SHARING" in POOL


def test_mistakes_in_one_document_do_not_hide_those_in_another() -> None:
    text = cluster("  mode: acting\n") + pool("  weight: x\n", name="a") + "---\n" + pool("  weight: y\n", name="b")

    assert [line.split(": ")[0] for line in problems(text)] == [f"{NAME}:5:3", f"{NAME}:15:3", f"{NAME}:25:3"]
