"""Disruption budgets over time: whatever is asked for when, no window holds more removals than it may."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from policies.budgets import allowed
from policies.schema_cluster import REMOVAL_REASONS, Budget
from policies.windows import is_open

START = 1_780_315_200.0  # Monday 2026-06-01T12:00:00Z
REASONS = st.lists(st.sampled_from(REMOVAL_REASONS), min_size=1, max_size=3, unique=True)
RATES = st.fixed_dictionaries(
    {"reasons": REASONS, "atMost": st.integers(0, 4), "per": st.sampled_from(["30s", "5m", "1h", "90m"])},
    optional={"nodes": st.one_of(st.integers(0, 6), st.sampled_from(["10%", "50%", "100%"]))},
)
WINDOWS = st.fixed_dictionaries(
    {
        "schedule": st.sampled_from(["0 13 * * *", "*/30 * * * *", "15 12 * * 1"]),
        "duration": st.sampled_from(["10m", "45m"]),
        "timeZone": st.sampled_from(["UTC", "Europe/Berlin"]),
    }
)
BUDGETS = st.lists(
    st.one_of(RATES, st.tuples(RATES, WINDOWS).map(lambda pair: {**pair[0], **pair[1]})), min_size=1, max_size=3
).map(lambda given: [Budget.model_validate(keys) for keys in given])
STEPS = st.lists(st.tuples(st.integers(1, 1800), st.sampled_from(REMOVAL_REASONS), st.integers(1, 5)), max_size=25)


def budget(**keys: Any) -> Budget:
    return Budget.model_validate({"reasons": ["Idle"], **keys})


def holds(one: Budget, at: float) -> bool:
    if one.schedule is None or one.duration is None:
        return True
    return is_open(one.schedule, one.time_zone, one.duration, at)


@settings(max_examples=120, deadline=None)
@given(BUDGETS, STEPS)
def test_no_window_of_a_budget_ever_holds_more_than_its_removals(
    budgets: list[Budget], steps: list[tuple[int, str, int]]
) -> None:
    now, removals = START, list[tuple[float, str]]()
    for seconds, reason, wish in steps:
        now += seconds
        for _ in range(wish):
            if allowed(budgets, reason=reason, managed_nodes=20, removals=removals, now=now)[0] > 0:
                removals.append((now, reason))

    for one in budgets:
        mine = [at for at, reason in removals if reason in one.reasons]
        for at in mine:
            assert one.at_most is not None
            assert one.per is not None
            inside = sum(1 for other in mine if at - one.per < other <= at)
            assert not holds(one, at) or inside <= one.at_most


@settings(max_examples=80, deadline=None)
@given(BUDGETS, STEPS, st.sampled_from(REMOVAL_REASONS), st.integers(0, 40), st.integers(0, 6))
def test_one_removal_more_takes_at_most_one_and_never_gives(
    budgets: list[Budget], steps: list[tuple[int, str, int]], reason: str, nodes: int, under_way: int
) -> None:
    removals = [(START - seconds, why) for seconds, why, _ in steps]

    def left(past: list[tuple[float, str]], in_progress: int) -> int:
        found = allowed(budgets, reason=reason, managed_nodes=nodes, removals=past, now=START, in_progress=in_progress)
        return found[0]

    before = left(removals, under_way)

    assert before - 1 <= left([*removals, (START, reason)], under_way) <= before
    assert before - 1 <= left(removals, under_way + 1) <= before
    assert left(list(reversed(removals)), under_way) == before


@settings(max_examples=80, deadline=None)
@given(BUDGETS, STEPS, st.sampled_from(REMOVAL_REASONS))
def test_at_the_next_slot_there_is_room(budgets: list[Budget], steps: list[tuple[int, str, int]], reason: str) -> None:
    removals = [(START - seconds, why) for seconds, why, _ in steps]
    left, opens = allowed(budgets, reason=reason, managed_nodes=20, removals=removals, now=START)

    assert opens is None or left == 0
    if opens is not None:
        assert opens > START
        assert allowed(budgets, reason=reason, managed_nodes=20, removals=removals, now=opens)[0] > 0


@settings(max_examples=60, deadline=None)
@given(BUDGETS, st.randoms(use_true_random=False), st.sampled_from(REMOVAL_REASONS))
def test_the_order_of_budgets_does_not_matter(budgets: list[Budget], random: Any, reason: str) -> None:
    shuffled = list(budgets)
    random.shuffle(shuffled)
    removals = [(START - 10.0 * n, why) for n, why in enumerate(REMOVAL_REASONS * 2)]

    def ask(given: list[Budget]) -> tuple[int, float | None]:
        return allowed(given, reason=reason, managed_nodes=9, removals=removals, now=START)

    assert ask(shuffled) == ask(budgets)


def test_a_budget_counts_over_all_the_reasons_that_it_names() -> None:
    both = budget(reasons=["Idle", "Expired"], atMost=2, per="1h")
    removals = [(START - 60, "Idle"), (START - 30, "Expired")]

    found = [allowed([both], reason=r, managed_nodes=9, removals=removals, now=START) for r in ("Idle", "Unhealthy")]
    assert found[0] == (0, START + 3540)
    assert found[1][0] > 1000


def test_after_a_budget_was_lowered_enough_removals_have_to_pass() -> None:
    removals = [(START - 30.0, "Idle"), (START - 20.0, "Idle"), (START - 10.0, "Idle")]

    assert allowed([budget(atMost=2, per="1m")], reason="Idle", managed_nodes=9, removals=removals, now=START) == (
        0,
        START + 40,
    )


def test_a_budget_of_nothing_has_no_next_slot() -> None:
    for nothing in (budget(nodes=0), budget(nodes="0%"), budget(atMost=0, per="1h")):
        assert allowed([nothing], reason="Idle", managed_nodes=9, removals=[], now=START) == (0, None)


def test_without_managed_nodes_a_share_allows_nothing() -> None:
    assert allowed([budget(nodes="100%")], reason="Idle", managed_nodes=0, removals=[], now=START)[0] == 0


def test_a_freeze_ends_when_the_last_of_touching_windows_closes() -> None:
    freeze = budget(nodes=0, schedule="0 12,13 * * *", duration="1h")

    assert allowed([freeze], reason="Idle", managed_nodes=9, removals=[], now=START + 60) == (0, START + 7200)
