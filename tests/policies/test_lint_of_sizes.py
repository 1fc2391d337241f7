"""Lint of the numbers of a pool: limits, warm buffer, timers."""

from __future__ import annotations

import pytest

from tests.policies.files import TAINT, template

GPU_TEMPLATE = f"instanceType: p5.48xlarge, {TAINT}"
SIZES = [
    (
        "limits: {maxNodes: 0}",
        ["warning: 7:12: spec.limits.maxNodes: is 0, so that no node is ever added; raise it, or remove the pool"],
    ),
    ("warmBuffer: {nodes: 3}", []),
    ("warmBuffer: {gpus: 24}", []),
    ('warmBuffer: {percent: "10%"}', []),
    (
        "warmBuffer: {nodes: 4}",
        [
            "warning: 9:16: spec.warmBuffer.nodes: wants 4 idle nodes, and the pool has at most 3; "
            "lower it, or raise limits.maxNodes"
        ],
    ),
    (
        "warmBuffer: {gpus: 25}",
        [
            "warning: 9:16: spec.warmBuffer.gpus: wants 4 idle nodes, and the pool has at most 3; "
            "lower it, or raise limits.maxNodes"
        ],
    ),
    (
        'warmBuffer: {schedules: [{cron: "0 8 * * *", duration: 1h, nodes: 9}]}',
        [
            "warning: 9:62: spec.warmBuffer.schedules[0].nodes: wants 9 idle nodes, and the pool has at most 3; "
            "lower it, or raise limits.maxNodes"
        ],
    ),
    (
        "warmBuffer: {nodes: 4, max: 2}",
        ["warning: 9:26: spec.warmBuffer.max: caps the 4 nodes that nodes asks for; raise it"],
    ),
    (
        "warmBuffer: {}",
        ["warning: 9:3: spec.warmBuffer: asks for no node; set nodes, gpus, percent or schedules, or remove it"],
    ),
    (
        "warmBuffer: {predictive: {}}",
        ["warning: 9:16: spec.warmBuffer.predictive: is read, and has no effect yet: the static buffer holds"],
    ),
    ("scaleDown: {idleCooldown: 10s}", []),
    (
        "scaleDown: {idleCooldown: 9s}",
        [
            "warning: 9:15: spec.scaleDown.idleCooldown: 9s is shorter than loopInterval 10s, so that a node "
            "goes in the "
            "first pass that finds it idle; set some minutes"
        ],
    ),
    ("scaleDown: {enabled: false, idleCooldown: 0s}", []),
    (
        "scaleUp: {registrationTimeout: 0s}",
        [
            "error: 9:13: spec.scaleUp.registrationTimeout: is 0s, so that every new instance counts as failed "
            "at once; "
            "allow for the time that it takes"
        ],
    ),
    (
        "scaleUp: {initializationTimeout: 0s}",
        [
            "error: 9:13: spec.scaleUp.initializationTimeout: is 0s, so that every new instance counts as failed "
            "at once; "
            "allow for the time that it takes"
        ],
    ),
    (
        "scaleUp: {backoff: {initial: 0s}}",
        [
            "warning: 9:23: spec.scaleUp.backoff.initial: is 0s, so that a failed launch is repeated in every pass; "
            "set some minutes"
        ],
    ),
]


@pytest.mark.parametrize(("line", "told"), SIZES)
def test_numbers_of_a_pool_do_not_contradict_each_other(line: str, told: list[str]) -> None:
    if line.startswith("limits: "):
        assert template(GPU_TEMPLATE, limits=line.removeprefix("limits: ")) == told
    else:
        assert template(GPU_TEMPLATE, f"  {line}\n") == told


def test_a_buffer_of_gpus_needs_nodes_with_gpus() -> None:
    assert template("resources: {cpu: 8}", "  warmBuffer: {gpus: 1}\n") == [
        "error: 9:16: spec.warmBuffer.gpus: the pool's nodes have no GPUs; give nodes"
    ]
