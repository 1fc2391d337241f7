"""Rules that read a policy alone: warm buffers and disruption budgets."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.budgets import allowed
from policies.buffers import wanted_idle
from policies.schema_cluster import DEFAULT_BUDGETS, Budget
from policies.schema_pool import WarmBuffer

NOON = 1_780_315_200.0  # Monday 2026-06-01T12:00:00Z


def buffer(**keys: object) -> WarmBuffer:
    return WarmBuffer.model_validate(keys)


def budget(**keys: object) -> Budget:
    return Budget.model_validate({"reasons": ["Idle"], **keys})


@pytest.mark.parametrize(
    ("keys", "busy", "gpus", "wanted"),
    [
        ({}, 10, 8, 0),
        ({"nodes": 2}, 10, 8, 2),
        ({"gpus": 8}, 0, 8, 1),
        ({"gpus": 9}, 0, 8, 2),
        ({"percent": "10%"}, 0, 8, 0),
        ({"percent": "10%"}, 1, 8, 1),
        ({"percent": "7%"}, 100, 8, 7),
        ({"percent": "10%", "nodes": 2, "max": 5}, 70, 1, 5),
        ({"schedules": [{"cron": "0 8 * * 1-5", "timeZone": "Europe/Berlin", "duration": "10h", "nodes": 4}]}, 0, 8, 4),
        ({"schedules": [{"cron": "0 15 * * 1-5", "duration": "1h", "nodes": 4}], "nodes": 1}, 0, 8, 1),
    ],
)
def test_the_largest_wish_wins_and_max_caps_it(keys: dict[str, object], busy: int, gpus: int, wanted: int) -> None:
    assert wanted_idle(buffer(**keys), busy_nodes=busy, gpus_per_node=gpus, now=NOON) == wanted


def ask(budgets: list[Budget], removals: list[tuple[float, str]], **more: int) -> tuple[int, float | None]:
    return allowed(budgets, reason="Idle", managed_nodes=more.pop("nodes", 100), removals=removals, now=NOON, **more)


def test_a_removal_leaves_its_window_exactly_per_after_it() -> None:
    one = budget(atMost=1, per="1m")

    assert ask([one], [(NOON - 59.0, "Idle")]) == (0, NOON + 1.0)
    assert ask([one], [(NOON - 60.0, "Idle")])[0] == 1


def test_a_share_of_the_nodes_is_rounded_up_and_counts_what_is_in_progress() -> None:
    assert [ask([budget(nodes="10%")], [], nodes=n, in_progress=1)[0] for n in (1, 10, 11, 20)] == [0, 0, 1, 1]


def test_removals_for_other_reasons_do_not_count() -> None:
    assert ask([budget(atMost=1, per="1h")], [(NOON - 1, "Expired")])[0] == 1


def test_a_budget_limits_inside_its_window_only() -> None:
    never = {"nodes": 0, "duration": "1h"}

    assert ask([budget(schedule="30 11 * * *", **never)], [])[0] == 0
    assert ask([budget(schedule="30 10 * * *", **never)], [])[0] > 0
    assert ask([budget(schedule="30 11 * * *", **never)], []) == (0, NOON + 1800)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_next_slot_does_not_depend_on_the_order_of_the_budgets(order: tuple[int, ...]) -> None:
    # One of them never opens: then no instant is known, wherever it stands in the list.
    budgets = [budget(nodes=0), budget(atMost=1, per="1h"), budget(atMost=1, per="2h")]

    assert ask([budgets[n] for n in order], [(NOON - 1, "Idle")]) == (0, None)


def test_the_next_slot_is_when_the_last_full_budget_has_room() -> None:
    budgets = [budget(atMost=1, per="1h"), budget(atMost=1, per="2h")]

    assert ask(budgets, [(NOON - 60, "Idle")]) == (0, NOON + 7140)


def test_a_window_that_begins_before_the_slot_opens_moves_the_slot() -> None:
    budgets = [budget(atMost=1, per="1h"), budget(nodes=0, schedule="30 12 * * *", duration="2h")]

    assert ask(budgets, [(NOON - 60, "Idle")]) == (0, NOON + 1800 + 7200)


def test_the_defaults_are_ten_idle_nodes_a_minute() -> None:
    past = [(NOON - n, "Idle") for n in range(10)]

    assert ask(list(DEFAULT_BUDGETS), []) == (10, None)
    assert ask(list(DEFAULT_BUDGETS), past) == (0, NOON + 51)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 7200), st.sampled_from(["Idle", "Expired"])), max_size=12),
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["1m", "1h", "90m"])), min_size=1, max_size=3),
)
def test_at_the_next_slot_there_is_room_and_just_before_it_none(
    ages: list[tuple[int, str]], rates: list[tuple[int, str]]
) -> None:
    budgets = [budget(atMost=n, per=per) for n, per in rates]
    removals = [(NOON - age, why) for age, why in ages]
    left, opens = ask(budgets, removals)
    if left == 0:
        assert opens is not None

        def later(now: float) -> int:
            return allowed(budgets, reason="Idle", managed_nodes=100, removals=removals, now=now)[0]

        assert later(opens) > 0
        assert later(opens - 0.5) == 0
    else:
        assert opens is None
