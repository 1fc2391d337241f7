"""YAML: what its scalars mean, and that it says the same as JSON."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from autoscaler.model.decoding.yaml_documents import yaml_documents


def read(text: str) -> Any:
    (found,) = yaml_documents(text.encode(), "x.yaml", split_items=False)
    return found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("0o17", 15),
        ("0.5", 0.5),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("yes", "yes"),
        ("on", "on"),
        ("no", "no"),
        ("2026-06-01T12:00:00Z", "2026-06-01T12:00:00Z"),
        ("2026-06-01", "2026-06-01"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ('"12"', "12"),
        ("'true'", "true"),
        ("!!str 12", "12"),
        ("=", "="),
    ],
)
def test_scalars_mean_what_they_mean_in_json(text: str, value: object) -> None:
    found = read(f"a: {text}")

    assert found == {"a": value}
    assert type(found["a"]) is type(value)


def test_keys_are_strings_whatever_they_look_like() -> None:
    assert read("1: a\ntrue: b\nnull: c") == {"1": "a", "true": "b", "null": "c"}


def test_blocks_and_aliases_are_followed() -> None:
    assert read("a: &x\n  b: |\n    line\nc: *x") == {
        "a": {"b": "line\n"},
        "c": {"b": "line\n"},
    }


def test_items_of_lists_come_as_json_one_by_one() -> None:
    (found,) = yaml_documents(b"kind: List\nitems:\n- a: 1\n- [b]\nmetadata: {items: [c]}", "x", split_items=True)

    assert [bytes(item) for item in found["items"]] == [b'{"a":1}', b'["b"]']
    assert all(isinstance(item, msgspec.Raw) for item in found["items"])
    assert found["metadata"] == {"items": ["c"]}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_what_is_written_as_yaml_is_read_as_it_was(value: Any) -> None:
    written = yaml.safe_dump(value, sort_keys=False)

    assert json.dumps(read(written)) == json.dumps(value)
