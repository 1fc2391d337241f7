"""Mistakes of a whole file or document, and how many of them are told."""

from __future__ import annotations

import pytest

from policies.loading import PolicyError, loads
from tests.policies.files import CLUSTER, NAME, SMALL, cluster, edited, example, pool, problems

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
    text = example()
    for old, new in (
        ("  mode: observe ", "  mod: observe "),
        ("capacityType: spot", "capacityType: sport"),
        ("  weight: 0", "  weight: *w"),
        ("enabled: true", "enabled: maybe"),
        ("  price: {usdPerHour: 98.32}", "  price: {usdPerHour: -1, usdPerHour: 3}"),
    ):
        text, _ = edited(old, new, text)

    assert problems(text) == [
        f"{NAME}:5:3: spec.mod: unknown key; did you mean mode?",
        f"{NAME}:31:3: spec.capacityType: must be on-demand, spot or reserved, got 'sport'; did you mean spot?",
        f"{NAME}:46:11: spec.price.usdPerHour: must be at least 0, got -1",
        f"{NAME}:46:27: spec.price.usdPerHour: is given twice, first in line 46; keep one",
        f"{NAME}:47:11: spec.weight: anchors and aliases are not allowed; write the value out",
        f"{NAME}:62:5: spec.scaleDown.enabled: must be true or false, got 'maybe'",
    ]


def test_what_is_no_yaml_value_is_told_once() -> None:
    assert problems(edited("  weight: 0", "  weight: 010")[0]) == [
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


def test_a_key_with_control_characters_stays_on_its_line() -> None:
    (message,) = problems(pool('  "a\\nb\\e[31m": 1\n'))

    assert "\n" not in message
    assert "\x1b" not in message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("autoScalingGroup: h100-spot-1a", 'autoScalingGroup: "a\\nb"'),
        ("fallback: [h100-od]", 'fallback: ["a\\e[31m"]'),
        ("instanceType: p5.48xlarge     #", 'instanceType: "a\\u202eb"     #'),
        ("layout: all-1g.10gb", 'layout: "a\\nb"'),
        ("layout: all-1g.10gb", 'layout: {"a\\nb": 1}'),
        ("ignoreOwnerKinds: [DaemonSet]", 'ignoreOwnerKinds: ["\\0"]'),
    ],
)
def test_names_have_no_control_characters(old: str, new: str) -> None:
    (message,) = problems(edited(old, new)[0])

    assert message.isprintable()
    assert "must be" in message


def test_text_that_looks_like_a_number_to_nobody_is_text() -> None:
    text, _ = edited("    labels: {}", "    labels: {a/b: 08, c: 1e3, d: 1.2.3}")

    assert loads(text, NAME).pools[1].spec.template.labels == {"a/b": "08", "c": "1e3", "d": "1.2.3"}


def test_mistakes_in_one_document_do_not_hide_those_in_another() -> None:
    text = cluster("  mode: acting\n") + pool("  weight: x\n", name="a") + "---\n" + pool("  weight: y\n", name="b")

    assert [line.split(": ")[0] for line in problems(text)] == [f"{NAME}:5:3", f"{NAME}:15:3", f"{NAME}:25:3"]
