"""What lies in the cluster: the claim of a drain on its node, and the switch that people write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoscaler.control.claims import Claim, claim_of, claiming, is_marked, releasing
from autoscaler.control.switch import Switch, approved_data, paused_data, resumed_data, switch_of
from autoscaler.model.labels import Labels
from autoscaler.model.memory import Writer
from autoscaler.model.nodes import DRAIN_CLAIM, DRAINING_TAINT, IDLE_SINCE, Node, Taint

NOON = 1_780_315_200.0
CLAIM = Claim(Writer(7, "a"), NOON, "Idle", "i-7", "0badcafe", cordoned=True)


def claimed(claim: Claim = CLAIM) -> Node:
    patch = claiming(claim)
    assert patch.taint is not None
    return Node(
        "n1",
        taints=(patch.taint,),
        unschedulable=True,
        annotations=Labels({k: v for k, v in patch.annotations if v is not None}),
    )


@given(
    st.builds(
        Claim,
        st.builds(Writer, st.integers(0, 10**6), st.text(max_size=20)),
        st.integers(0, 2**32).map(float),
        st.text(max_size=20),
        st.text(max_size=20),
        st.text(max_size=20),
        cordoned=st.booleans(),
    )
)
def test_a_claim_reads_back_as_it_was_written(claim: Claim) -> None:
    assert claim_of(claimed(claim)) == claim


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "7", '{"epoch": "x"}', '{"epoch": 1, "holder": "a", "since": "yesterday"}', "\x00"],
)
def test_a_claim_that_cannot_be_read_is_none_and_still_a_mark(text: str) -> None:
    node = Node("n1", annotations=Labels({DRAIN_CLAIM: text}))

    assert claim_of(node) is None
    assert is_marked(node)


def test_the_taint_of_a_claim_carries_seconds_because_its_value_may_hold_no_colon() -> None:
    assert claiming(CLAIM).taint == Taint(DRAINING_TAINT, "1780315200", "NoSchedule")


def test_taint_cordon_and_claim_are_one_write_and_so_is_their_end() -> None:
    patch = releasing(claimed(), idle_since=NOON)

    assert patch.untaint == DRAINING_TAINT
    assert patch.unschedulable is False
    assert dict(patch.annotations) == {DRAIN_CLAIM: None, IDLE_SINCE: "2026-06-01T12:00:00Z"}


def test_a_cordon_of_somebody_else_outlives_our_drain() -> None:
    theirs = Claim(CLAIM.by, CLAIM.since, CLAIM.reason, CLAIM.instance, CLAIM.policy, cordoned=False)

    assert releasing(claimed(theirs), idle_since=None).unschedulable is None


def test_an_undone_drain_leaves_the_idle_time_alone_where_it_did_not_fail_by_itself() -> None:
    assert dict(releasing(claimed(), idle_since=None).annotations) == {DRAIN_CLAIM: None}


@pytest.mark.parametrize(
    ("data", "paused"),
    [
        ({}, False),
        ({"paused": "false"}, False),
        ({"paused": ""}, False),
        ({"paused": "true"}, True),
        ({"paused": "TRUE "}, True),
        ({"paused": "yes"}, True),
        ({"paused": "ture"}, True),  # a stop that was misspelled is still a stop
        ({"paused": "true", "pausedUntil": "2026-06-01T12:00:01Z"}, True),
        ({"paused": "true", "pausedUntil": "2026-06-01T12:00:00Z"}, False),
        ({"paused": "true", "pausedUntil": "tomorrow"}, True),
        ({"pausedUntil": "2026-06-01T13:00:00Z"}, False),
    ],
)
def test_what_people_wrote_pauses_or_does_not(data: dict[str, str], paused: bool) -> None:
    assert switch_of(data).is_paused(NOON) is paused


def test_a_pause_that_cannot_be_read_says_so() -> None:
    assert "neither true nor false" in switch_of({"paused": "ture"}).why
    assert "RFC 3339" in switch_of({"paused": "true", "pausedUntil": "tomorrow"}).why


def test_a_pause_keeps_approvals_and_a_resumption_takes_away_the_pause_alone() -> None:
    data = paused_data(approved_data({}, "0123456789ab"), NOON + 60, "network")

    assert switch_of(data) == Switch(True, NOON + 60, "network", frozenset({"0123456789ab"}))
    assert switch_of(resumed_data(data)) == Switch(approved=frozenset({"0123456789ab"}))


def test_an_approval_replaces_the_one_before() -> None:
    assert switch_of(approved_data(approved_data({}, "aaaaaaaa"), "bbbbbbbb")).approved == {"bbbbbbbb"}
