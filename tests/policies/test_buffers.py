"""Warm buffers: laws over any buffer, and when one changes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.buffers import next_change, wanted_idle
from policies.schema_pool import WarmBuffer

MONDAY_NOON = 1_780_315_200.0  # 2026-06-01T12:00:00Z
HOUR = 3600.0

SCHEDULES = st.fixed_dictionaries(
    {
        "cron": st.sampled_from(["0 8 * * 1-5", "30 2 * * *", "0 * * * *", "*/15 9-17 * * *", "0 0 1 * *"]),
        "timeZone": st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
        "duration": st.sampled_from(["10m", "1h", "10h", "36h"]),
        "nodes": st.integers(0, 9),
    }
)
BUFFERS = st.fixed_dictionaries(
    {},
    optional={
        "nodes": st.integers(0, 9),
        "gpus": st.integers(0, 40),
        "percent": st.integers(0, 1000).map(lambda tenths: f"{tenths // 10}.{tenths % 10}%"),
        "max": st.integers(0, 12),
        "schedules": st.lists(SCHEDULES, max_size=3),
    },
).map(WarmBuffer.model_validate)
INSTANTS = st.integers(0, 400 * 24 * 60).map(lambda minutes: MONDAY_NOON + minutes * 60)


def buffer(**keys: Any) -> WarmBuffer:
    return WarmBuffer.model_validate(keys)


@settings(max_examples=80, deadline=None)
@given(BUFFERS, INSTANTS, st.integers(0, 500), st.integers(0, 500), st.integers(0, 16))
def test_more_busy_nodes_never_want_fewer_idle_ones(
    wanted: WarmBuffer, now: float, busy: int, more: int, gpus: int
) -> None:
    few = wanted_idle(wanted, busy_nodes=busy, gpus_per_node=gpus, now=now)
    many = wanted_idle(wanted, busy_nodes=busy + more, gpus_per_node=gpus, now=now)

    assert 0 <= few <= many


@settings(max_examples=80, deadline=None)
@given(BUFFERS, INSTANTS, st.integers(0, 500), st.integers(1, 16))
def test_no_part_of_a_buffer_gets_less_than_it_asks_for_unless_max_caps_it(
    wanted: WarmBuffer, now: float, busy: int, gpus: int
) -> None:
    found = wanted_idle(wanted, busy_nodes=busy, gpus_per_node=gpus, now=now)

    assert wanted.max is None or found <= wanted.max
    if wanted.max is None or found < wanted.max:
        assert found >= wanted.nodes
        assert found * gpus >= wanted.gpus
        assert found >= wanted.percent * busy - 1e-6


@settings(max_examples=60, deadline=None)
@given(BUFFERS, INSTANTS, st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=5))
def test_between_two_changes_a_buffer_wants_the_same(wanted: WarmBuffer, now: float, parts: list[float]) -> None:
    change = next_change(wanted, now)
    first = wanted_idle(wanted, busy_nodes=7, gpus_per_node=8, now=now)

    assert change is None or change > now
    for part in parts:
        later = now + part * ((change or now + 100 * HOUR) - now)
        assert wanted_idle(wanted, busy_nodes=7, gpus_per_node=8, now=later) == first


@pytest.mark.parametrize(
    ("share", "busy", "nodes"), [("10%", 10, 1), ("10%", 30, 3), ("70%", 10, 7), ("0.1%", 1000, 1)]
)
def test_a_share_that_comes_out_even_is_not_rounded_up(share: str, busy: int, nodes: int) -> None:
    assert wanted_idle(buffer(percent=share), busy_nodes=busy, gpus_per_node=8, now=MONDAY_NOON) == nodes


def office(**keys: Any) -> dict[str, Any]:
    return {"cron": "0 8 * * 1-5", "timeZone": "Europe/Berlin", "duration": "10h", "nodes": 4, **keys}


@pytest.mark.parametrize(
    ("hours_after_noon", "nodes"),
    [(-6 - 1 / 3600, 0), (-6, 4), (0, 4), (4 - 1 / 3600, 4), (4, 0), (18, 4), (4 * 24, 4), (5 * 24, 0)],
)
def test_a_window_includes_its_start_and_not_its_end(hours_after_noon: float, nodes: int) -> None:
    now = MONDAY_NOON + hours_after_noon * HOUR  # noon in UTC is two o'clock in Berlin

    assert wanted_idle(buffer(schedules=[office()]), busy_nodes=0, gpus_per_node=8, now=now) == nodes


def test_the_largest_open_window_wins() -> None:
    wanted = buffer(schedules=[office(), office(nodes=7, duration="6h"), office(nodes=9, cron="0 20 * * *")])

    assert wanted_idle(wanted, busy_nodes=0, gpus_per_node=8, now=MONDAY_NOON - HOUR) == 7
    assert wanted_idle(wanted, busy_nodes=0, gpus_per_node=8, now=MONDAY_NOON + HOUR) == 4


def test_the_next_change_is_an_end_while_a_window_is_open_and_a_start_before_it() -> None:
    wanted = buffer(schedules=[office()])

    assert next_change(wanted, MONDAY_NOON) == MONDAY_NOON + 4 * HOUR
    assert next_change(wanted, MONDAY_NOON + 4 * HOUR) == MONDAY_NOON + 18 * HOUR
    assert next_change(wanted, MONDAY_NOON - 7 * HOUR) == MONDAY_NOON - 6 * HOUR


def test_windows_that_follow_each_other_without_end_never_change() -> None:
    assert next_change(buffer(schedules=[office(cron="0 * * * *", duration="1h")]), MONDAY_NOON) is None
    assert next_change(buffer(schedules=[office(cron="0 * * * *", duration="3h")]), MONDAY_NOON) is None


def test_windows_that_touch_close_when_the_last_of_them_does() -> None:
    wanted = buffer(schedules=[office(cron="0 12,13,14 * * *", timeZone="UTC", duration="1h")])

    assert next_change(wanted, MONDAY_NOON) == MONDAY_NOON + 3 * HOUR


def test_a_buffer_without_schedules_never_changes() -> None:
    assert next_change(buffer(nodes=3), MONDAY_NOON) is None
