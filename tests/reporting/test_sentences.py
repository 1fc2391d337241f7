"""What people read: every reason has a sentence, no name can take over a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autoscaler.model.reasons import BlockCause, Code, Reason
from autoscaler.reporting.documents import reason_document
from autoscaler.reporting.sentences import WORDS, clean, duration, say

PARAMS: dict[Code, dict[str, object]] = {
    Code.PRIORITY_BELOW_CUTOFF: {"priority": -11, "cutoff": -10},
    Code.IGNORED_BY_POLICY: {"rule": "ignoreLabels: a=b"},
    Code.OTHER_SCHEDULER: {"scheduler": "volcano"},
    Code.POD_FINISHED: {"phase": "Failed"},
    Code.BATCH_WINDOW: {"until": 1_780_000_000.0},
    Code.POD_SCALE_UP_DELAY: {"until": 1_780_000_000.0},
    Code.GANG_INCOMPLETE: {"have": 3, "need": 8},
    Code.GANG_SHORT: {"have": 3, "need": 8},
    Code.POOL_IN_BACKOFF: {"until": 1_780_000_000.0, "cause": "Stockout"},
    Code.BACKOFF: {"until": 1_780_000_000.0, "cause": "QuotaExceeded"},
    Code.POOL_AT_MAX: {"max": 5},
    Code.CLUSTER_LIMIT_REACHED: {"limit": "gpus", "max": 16},
    Code.COST_CAP_REACHED: {"max": 5000.0},
    Code.TAINT_NOT_TOLERATED: {"taint": "dedicated=ml:NoSchedule"},
    Code.NODE_SELECTOR_MISMATCH: {"key": "zone", "value": "a"},
    Code.NO_POOL_DECLARES_LABEL: {"key": "zone", "value": "a"},
    Code.INSUFFICIENT_RESOURCE: {"resource": "memory", "requested": 2**36, "available": 2**35},
    Code.SHARED_GPU_REQUEST_TOO_LARGE: {"resource": "nvidia.com/gpu", "requested": 4},
    Code.MIG_PROFILE_NOT_OFFERED: {"profile": "3g.20gb"},
    Code.GANG_TOPOLOGY: {"topologyKey": "topology.kubernetes.io/zone", "need": 4},
    Code.COOLING_DOWN: {"left": 370.0},
    Code.COOLDOWN_AFTER_SCALE_UP: {"left": 60.0},
    Code.IDLE_TIMER_STARTED: {"left": 600.0},
    Code.POOL_AT_MIN: {"min": 1},
    Code.BLOCKED_BY_POD: {"pod": "default/train", "cause": "Job"},
    Code.BUDGET_SPENT: {"next": 1_780_000_000.0},
    Code.GPU_IN_USE_WITHOUT_REQUEST: {"pod": "default/sneaky"},
    Code.TEMPLATE_DRIFT: {"resource": "memory", "declared": 2**36, "actual": 2**35},
    Code.FAILURE_LIMIT: {"failures": 3, "missing": "nvidia.com/gpu"},
}


@pytest.mark.parametrize("code", list(Code))
def test_every_reason_is_one_sentence_for_a_person(code: Code) -> None:
    text = say(Reason.of(code, **PARAMS.get(code, {})))  # type: ignore[arg-type]

    assert text.message
    assert "\n" not in text.message
    assert "{" not in text.message
    assert text.message[-1] not in ".:"


def test_the_words_are_those_of_the_closed_list_and_no_others() -> None:
    assert set(WORDS) == set(Code)


@pytest.mark.parametrize("cause", list(BlockCause))
def test_every_cause_of_a_blocked_node_is_named_with_its_fix(cause: BlockCause) -> None:
    text = say(Reason.of(Code.BLOCKED_BY_POD, pod="default/p", cause=str(cause)))

    assert str(cause) in text.message
    assert "default/p" in text.message
    assert text.fix


@given(st.text())
def test_no_name_carries_control_characters_to_a_terminal(name: str) -> None:
    shown = clean(name)

    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in shown)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0s"), (59.6, "1m"), (370, "6m10s"), (3600, "1h"), (90061, "25h1m1s"), (-5, "0s")]
)
def test_durations_read_as_in_the_policy(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_instants_among_the_parameters_are_rfc_3339() -> None:
    document = reason_document(Reason.of(Code.POOL_IN_BACKOFF, until=1_780_315_200.0, cause="Stockout"))

    assert document["params"] == {"cause": "Stockout", "until": "2026-06-01T12:00:00Z"}
