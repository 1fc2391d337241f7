"""ControllerState: what the controller remembers, to its document and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.decoding.errors import InputError
from autoscaler.model.decoding.memory import decode_memory, encode_memory
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.memory import Memory, PoolMemory, Removal
from autoscaler.model.nodes import ErrorClass

HEAD = "apiVersion: gpu-autoscaler.dev/v1alpha1\nkind: ControllerState\n"
NOON = parse_rfc3339("2026-06-01T12:00:00Z")
EXAMPLE = (
    HEAD
    + """
pools:
  h100-spot:
    lastScaleUpAt: 2026-06-01T12:00:00Z
    lastScaleDownAt: 2026-06-01T12:00:01.5Z
    consecutiveFailures: 2
    backoffUntilAt: 2026-06-01T12:00:02Z
    backoffCause: Stockout
    missing: nvidia.com/gpu
    fromTheFuture: {a: 1}
  a10: null
removals:
  - {at: 2026-06-01T12:00:03Z, pool: b, reason: Idle}
  - {at: 2026-06-01T12:00:00Z, pool: a, reason: Idle}
paused: true
pausedUntil: 2026-06-01T13:00:00Z
pauseReason: maintenance
"""
)
EXPECTED = Memory(
    pools={
        "a10": PoolMemory(),
        "h100-spot": PoolMemory(NOON, NOON + 1.5, 2, NOON + 2, ErrorClass.STOCKOUT, "nvidia.com/gpu"),
    },
    removals=(Removal(NOON, "a", "Idle"), Removal(NOON + 3, "b", "Idle")),
    paused=True,
    paused_until=NOON + 3600,
    pause_reason="maintenance",
)


def test_a_controller_state_is_read() -> None:
    assert decode_memory(EXAMPLE.encode(), "state.yaml") == EXPECTED


def test_backoff_until_is_accepted_under_both_names() -> None:
    text = HEAD + "pools: {a: {backoffUntil: 2026-06-01T12:00:00Z}}"

    assert decode_memory(text.encode(), "state.yaml").pool("a").backoff_until == NOON


def test_what_a_newer_controller_remembers_of_a_pool_is_ignored() -> None:
    text = HEAD + "pools: {a: {lastScaleUpsAt: 2026-06-01T12:00:00Z}}"

    assert decode_memory(text.encode(), "state.yaml") == Memory(pools={"a": PoolMemory()})


def test_nothing_remembered_is_an_empty_memory() -> None:
    assert decode_memory(HEAD.encode(), "state.yaml") == Memory()


INSTANT = st.integers(0, 4_000_000_000_000_000).map(lambda micros: micros / 1_000_000)
WORD = st.text("abcdefgh-:# 'é", max_size=8)
NAME = st.text("abcdefgh-", min_size=1, max_size=8)
MEMORY = st.builds(
    Memory,
    pools=st.dictionaries(
        NAME,
        st.builds(
            PoolMemory,
            last_scale_up=st.none() | INSTANT,
            last_scale_down=st.none() | INSTANT,
            consecutive_failures=st.integers(0, 2**31 - 1),
            backoff_until=st.none() | INSTANT,
            backoff_cause=st.none() | st.sampled_from(ErrorClass),
            missing=WORD,
        ),
        max_size=3,
    ),
    removals=st.lists(st.builds(Removal, INSTANT, NAME, NAME), max_size=3).map(
        lambda found: tuple(sorted(found, key=lambda r: (r.at, r.pool, r.reason)))
    ),
    paused=st.booleans(),
    paused_until=st.none() | INSTANT,
    pause_reason=WORD,
)


@settings(max_examples=100, deadline=None)
@given(MEMORY)
def test_what_is_written_is_read_again(memory: Memory) -> None:
    document = encode_memory(memory)

    assert decode_memory(json.dumps(document).encode(), "state.json") == memory
    assert decode_memory(yaml.safe_dump(document).encode(), "state.yaml") == memory


def test_what_is_unset_is_not_written() -> None:
    assert encode_memory(Memory(pools={"a": PoolMemory()})) == {
        "apiVersion": "gpu-autoscaler.dev/v1alpha1",
        "kind": "ControllerState",
        "pools": {"a": {}},
        "removals": [],
        "paused": False,
    }


def pool(**fields: Any) -> str:
    return HEAD + "pools: " + json.dumps({"a": fields})


REFUSED = [
    (HEAD + "pool: {}", 'state.yaml: pool: is not a known key; did you mean "pools"?'),
    (HEAD + "paused: yes", "state.yaml: paused: expected true or false, found a string"),
    (
        HEAD + "pausedUntil: later",
        'state.yaml: pausedUntil: "later" is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z',
    ),
    (pool(consecutiveFailures=-1), "state.yaml: pools.a.consecutiveFailures: must not be negative"),
    (
        pool(lastScaleUpAt="x"),
        'state.yaml: pools.a.lastScaleUpAt: "x" is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z',
    ),
    (
        pool(backoffUntil="x"),
        'state.yaml: pools.a.backoffUntil: "x" is not an RFC 3339 time; write it like 2026-06-01T12:00:00Z',
    ),
    (
        pool(lastScaleDownAt=5),
        "state.yaml: pools.a.lastScaleDownAt: expected a string, found a whole number; put it in quotes",
    ),
    (
        pool(backoffCause="Stokout"),
        'state.yaml: pools.a.backoffCause: "Stokout" is not one of Stockout, QuotaExceeded, Throttled, '
        'BadConfiguration, Unauthorized, Transient; did you mean "Stockout"?',
    ),
    (HEAD + "pools: []", "state.yaml: pools: expected a mapping, found a list"),
    (HEAD + "removals: [{pool: a}]", "state.yaml: removals[0].at: is missing; a removal has at, pool and reason"),
    (
        HEAD + "removals: [{pool: a, node: b}]",
        "state.yaml: removals[0].node: is not a known key",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[m[:80] for _, m in REFUSED])
def test_a_wrong_controller_state_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_memory(text.encode(), "state.yaml")

    assert str(caught.value) == message
