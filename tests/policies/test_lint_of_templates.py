"""Lint of a template: against the catalog, labels and taints, resources."""

from __future__ import annotations

import pytest

from tests.policies.files import TAINT, linted, pool, template

INSTANCE_TYPES = [
    (f"instanceType: p5.48xlarge, {TAINT}", []),
    (
        "instanceType: p5.48xlrge",
        ["error: 6:14: spec.template.instanceType: p5.48xlrge is not in the catalog; did you mean p5.48xlarge?"],
    ),
    (
        "instanceType: our-own-box",
        ["error: 6:14: spec.template.instanceType: our-own-box is not in the catalog; spell out template.resources"],
    ),
    ("instanceType: our-own-box, resources: {cpu: 8}", []),
    (f"instanceType: p5.48xlarge, {TAINT}, gpu: {{count: 8, model: H100-80GB}}", []),
    (f"instanceType: p5.48xlarge, {TAINT}, gpu: {{model: NVIDIA-H100-80GB-HBM3}}", []),
    (
        f"instanceType: p5.48xlarge, {TAINT}, gpu: {{count: 4}}",
        ["error: 6:100: spec.template.gpu.count: p5.48xlarge has 8 GPUs, not 4; remove count"],
    ),
    (
        f"instanceType: g6.xlarge, {TAINT}, gpu: {{count: 4}}",
        ["error: 6:98: spec.template.gpu.count: g6.xlarge has 1 GPU, not 4; remove count"],
    ),
    (
        f"instanceType: p4d.24xlarge, {TAINT}, gpu: {{model: A100-80GB}}",
        ["error: 6:101: spec.template.gpu.model: p4d.24xlarge has A100-40GB, not A100-80GB; remove model"],
    ),
    (
        "resources: {cpu: 8}, gpu: {model: T4}",
        ["error: 6:35: spec.template.gpu: how many GPUs a node has is not known; give count"],
    ),
    (
        "instanceType: p5.48xlarge",
        [
            "warning: 6:3: spec.template.taints: a GPU pool without a taint: pods without GPUs land on its nodes "
            "and keep "
            "them; add {key: nvidia.com/gpu, value: present, effect: NoSchedule}"
        ],
    ),
    (
        "resources: {cpu: 8, amd.com/gpu: 8}, taints: [{key: a, effect: PreferNoSchedule}]",
        [
            "warning: 6:51: spec.template.taints: a GPU pool without a taint: pods without GPUs land on its "
            "nodes and keep "
            "them; add {key: nvidia.com/gpu, value: present, effect: NoSchedule}"
        ],
    ),
    ("resources: {cpu: 8, amd.com/gpu: 8}, taints: [{key: a, effect: NoExecute}]", []),
]


@pytest.mark.parametrize(("text", "told"), INSTANCE_TYPES)
def test_the_template_agrees_with_the_catalog(text: str, told: list[str]) -> None:
    assert template(text) == told


PRICES = [
    (f"instanceType: p5.48xlarge, {TAINT}", "on-demand", False),
    (f"instanceType: p5.48xlarge, {TAINT}", "reserved", False),
    (f"instanceType: p5.48xlarge, {TAINT}", "spot", False),
    ("resources: {cpu: 8}", "on-demand", True),
    ("instanceType: our-own-box, resources: {cpu: 8}", "on-demand", True),
]


@pytest.mark.parametrize(("text", "capacity", "unpriced"), PRICES)
def test_a_pool_whose_price_nobody_knows_is_told(text: str, capacity: str, unpriced: bool) -> None:
    found = linted(
        pool(f"  capacityType: {capacity}\n", template=f"{{{text}}}").replace("  price: {usdPerHour: 1}\n", "")
    )

    told = "has no price: neither the policy nor the catalog knows one, so it is used last; set price.usdPerHour"
    assert found == ([f"warning: 4:1: spec.price: {told}"] if unpriced else [])


WORDS = [
    ("labels: {a: b, x.y-z/a_b.c: '', example.com/a: A-1}", []),
    (
        "labels: {-a: b}",
        [
            "error: 6:44: spec.template.labels.-a: is no label key; write name or domain/name, "
            "at most 63 characters after the slash"
        ],
    ),
    (
        "labels: {A.com/b: c}",
        [
            'error: 6:44: spec.template.labels["A.com/b"]: is no label key; write name or domain/name, '
            "at most 63 characters after the slash"
        ],
    ),
    (
        "labels: {a: b c}",
        [
            "error: 6:44: spec.template.labels.a: 'b c' is no label value; "
            "use at most 63 letters, digits, dots, dashes and underscores"
        ],
    ),
    (
        "labels: {gpu-autoscaler.dev/pool: a}",
        ['error: 6:44: spec.template.labels["gpu-autoscaler.dev/pool"]: is set by the autoscaler itself; remove it'],
    ),
    (
        "labels: {topology.kubernetes.io/zone: z}",
        ['warning: 6:44: spec.template.labels["topology.kubernetes.io/zone"]: it comes from groups[].zone; remove it'],
    ),
    (
        "labels: {kubernetes.io/hostname: n}",
        ['warning: 6:44: spec.template.labels["kubernetes.io/hostname"]: every node has its own; remove it'],
    ),
    ("taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoExecute}, {key: b, effect: NoSchedule}]", []),
    (
        "taints: [{key: a, effect: NoSchedule}, {key: a, value: b, effect: NoSchedule}]",
        ["error: 6:74: spec.template.taints[1]: a with effect NoSchedule is given twice; keep one"],
    ),
    (
        "startupTaints: [{key: a, effect: NoSchedule}, {key: a, effect: NoSchedule}]",
        ["error: 6:81: spec.template.startupTaints[1]: a with effect NoSchedule is given twice; keep one"],
    ),
    (
        "taints: [{key: a, effect: NoSchedule}], startupTaints: [{key: a, effect: NoSchedule}]",
        [
            "error: 6:91: spec.template.startupTaints[0]: a with effect NoSchedule is in taints too, and would "
            "never go; "
            "keep one of them"
        ],
    ),
    (
        "taints: [{key: a/b/c, effect: NoSchedule}]",
        ["error: 6:45: spec.template.taints[0].key: 'a/b/c' is no taint key; write name or domain/name"],
    ),
    (
        "taints: [{key: a, value: b/c, effect: NoSchedule}]",
        ["error: 6:53: spec.template.taints[0].value: 'b/c' is no taint value; it follows the rules of labels"],
    ),
    (
        "startupTaints: [{key: gpu-autoscaler.dev/draining, effect: NoSchedule}]",
        [
            "error: 6:52: spec.template.startupTaints[0].key: gpu-autoscaler.dev/draining is set by the autoscaler "
            "itself; remove the taint"
        ],
    ),
]


@pytest.mark.parametrize(("text", "told"), WORDS)
def test_labels_and_taints_are_those_that_the_api_server_takes(text: str, told: list[str]) -> None:
    assert template(f"resources: {{cpu: 8}}, {text}") == told


RESOURCES = [
    ("resources: {cpu: 8, memory: 64Gi, pods: 110, ephemeral-storage: 1Ti, hugepages-2Mi: 4Mi, rdma/shared: 8}", []),
    ("resources: {cpu: 8, attachable-volumes-aws-ebs: 39}", []),
    ("resources: {CPU: 8}", ["error: 6:26: spec.template.resources.CPU: is no resource; did you mean cpu?"]),
    (
        "resources: {gpu: 8}",
        ["error: 6:26: spec.template.resources.gpu: is no resource; did you mean nvidia.com/gpu?"],
    ),
    (
        "resources: {Nvidia.com/gpu: 8}",
        [
            'error: 6:26: spec.template.resources["Nvidia.com/gpu"]: is no resource; those of device plugins are '
            "domain/name, such as nvidia.com/gpu"
        ],
    ),
    (
        "resources: {hugepages-2M2: 4Mi}",
        [
            "error: 6:26: spec.template.resources.hugepages-2M2: is no resource; hugepages carry their size, "
            "such as hugepages-2Mi"
        ],
    ),
    (
        "resources: {hugepages-2Mi: 3Mi}",
        ["error: 6:26: spec.template.resources.hugepages-2Mi: must be a multiple of a page, 2Mi"],
    ),
    (
        f"instanceType: g6.xlarge, {TAINT}, resources: {{hugepages-1Gi: 16Gi}}",
        ["error: 6:104: spec.template.resources.hugepages-1Gi: is 16Gi of hugepages on 16Gi; lower it"],
    ),
    (f"instanceType: g6.xlarge, {TAINT}, resources: {{hugepages-1Gi: 15Gi}}", []),
    (f"instanceType: g6.xlarge, {TAINT}, reserved: {{cpu: 500m, memory: 1Gi}}", []),
    (
        f"instanceType: g6.xlarge, {TAINT}, reserved: {{cpu: 4}}",
        ["error: 6:103: spec.template.reserved.cpu: is 4 of 4; nothing is left for pods, lower it"],
    ),
    (
        f"instanceType: g6.xlarge, {TAINT}, reserved: {{memory: 1Gi}}, resources: {{memory: 14Gi}}",
        [
            "warning: 6:103: spec.template.reserved.memory: has no effect: resources.memory is final; "
            "lower that, and remove this"
        ],
    ),
    (
        f"instanceType: g6.xlarge, {TAINT}, reserved: {{ephemeral-storage: 1Gi}}",
        [
            "warning: 6:103: spec.template.reserved.ephemeral-storage: has no effect: the catalog has no "
            "ephemeral-storage for g6.xlarge; remove it"
        ],
    ),
    (
        "resources: {cpu: 8}, reserved: {cpu: 1}",
        [
            "warning: 6:35: spec.template.reserved: is taken off what the catalog says of an instance type; "
            "resources given by hand are final; remove it"
        ],
    ),
    (f"instanceType: g6.xlarge, {TAINT}, gpu: {{}}, resources: {{nvidia.com/gpu: 1}}", []),
    (
        f"instanceType: g6.xlarge, {TAINT}, gpu: {{}}, resources: {{nvidia.com/gpu: 2}}",
        [
            'warning: 6:113: spec.template.resources["nvidia.com/gpu"]: wins over gpu, which follows 1 of its own and '
            "their sharing; remove one of them"
        ],
    ),
]


@pytest.mark.parametrize(("text", "told"), RESOURCES)
def test_resources_exist_and_add_up(text: str, told: list[str]) -> None:
    assert template(text) == told
