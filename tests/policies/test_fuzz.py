"""Whatever is done to a policy file, it is read or refused with sentences, soon, and never with a traceback."""

from __future__ import annotations

import contextlib

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from policies.lint import check
from policies.loading import PolicyError, loads
from policies.problems import Problem
from policies.scalars import count_or_share, duration, percentage
from policies.windows import cron_text, zone_name
from providers.catalog.catalog import load_catalog
from tests.policies.files import NAME, SHARINGS, example

SOON = settings(max_examples=150, deadline=10_000)
EXAMPLES = tuple(example(sharing) for sharing in SHARINGS)
PIECES = (
    *(
        "{",
        "}",
        "[",
        "]",
        ":",
        ": ",
        ",",
        "- ",
        "---\n",
        "...",
        "\n",
        "  ",
        "\t",
        '"',
        "'",
        "#",
        "&a ",
        "*a",
        "<<: ",
        "? ",
    ),
    *(
        "!",
        "!!int ",
        "|\n",
        ">",
        "%",
        "@",
        "\0",
        "\x85",
        "\ufeff",
        "é",
        "\u0967",
        "\\",
        "~",
        "null",
        "yes",
        "0x1",
        "010",
        "1e999",
    ),
    *(".nan", ".inf", "-1", "9" * 30, "1_0", "12:30", "2026-01-01", '"10%"', "0s", "-5m", "x" * 300),
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.sampled_from(["10m", "10%", "spot", "a", "64Gi", "0 8 * * 1", "UTC", "all-1g.10gb", "nvidia.com/gpu"]),
)


def is_read_or_refused(text: str) -> None:
    refused: tuple[Problem, ...] = ()
    try:
        file = loads(text, NAME)
        found = check(file, load_catalog())
    except PolicyError as wrong:
        found = refused = wrong.problems
        shown = str(wrong).splitlines()
    else:
        shown = [str(problem) for problem in found]

    assert all(problem.message and "\n" not in str(problem) and len(str(problem)) < 1000 for problem in found)
    assert all(problem.file == NAME for problem in refused)
    assert len(shown) <= 21 or not refused


@SOON
@given(st.sampled_from(EXAMPLES), st.data())
def test_edits_of_the_text_are_read_or_refused(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 30))
        text = text[:at] + data.draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=4))) + text[at + gone :]
    is_read_or_refused(text)


@SOON
@given(st.sampled_from(EXAMPLES), st.data())
def test_lines_moved_and_lost_are_read_or_refused(text: str, data: st.DataObject) -> None:
    lines = text.splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 3))):
        line = lines.pop(data.draw(st.integers(0, len(lines) - 1)))
        if data.draw(st.booleans()):
            lines.insert(data.draw(st.integers(0, len(lines))), line)
    is_read_or_refused("".join(lines))


@SOON
@given(st.sampled_from(EXAMPLES), st.data())
def test_other_values_in_any_place_are_read_or_refused(text: str, data: st.DataObject) -> None:
    documents = list(yaml.safe_load_all(text))
    for _ in range(data.draw(st.integers(1, 3))):
        node = data.draw(st.sampled_from(documents))
        while True:
            steps = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not steps:
                break
            step = data.draw(st.sampled_from(steps))
            inner = node[step]
            if isinstance(inner, dict | list) and data.draw(st.integers(0, 3)):
                node = inner
                continue
            containers = st.one_of(
                st.lists(SCALARS, max_size=3), st.dictionaries(st.text(max_size=8), SCALARS, max_size=3)
            )
            node[step] = data.draw(st.one_of(SCALARS, containers))
            break
    is_read_or_refused(yaml.safe_dump_all(documents, sort_keys=False, allow_unicode=data.draw(st.booleans())))


@SOON
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    is_read_or_refused(text)


WORDS = st.one_of(st.text(max_size=30), st.from_regex(r"[0-9*/,#L \-]{0,24}"), st.from_regex(r"[0-9.dhmsµu+\-]{0,12}"))


@settings(max_examples=300, deadline=10_000)
@given(WORDS)
def test_scalars_are_read_or_refused_with_a_sentence(text: str) -> None:
    for read in (duration, percentage, count_or_share, cron_text, zone_name):
        with contextlib.suppress(ValueError):
            read(text)
