"""The reference page has every key of the schema, with its default, and none besides."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from policies.json_schema import json_schema
from policies.loading import loads
from tests.policies.files import NAME, linted

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/policy.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \|(.*?) \|(.*) \|$", re.MULTILINE)
DEFS: dict[str, Any] = json_schema()["$defs"]
NOT_STATED = {"apiVersion", "kind"}


def leaves(schema: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Every key that holds a value, with its default (None without one); keys of list items after `[]`."""
    for one in (schema, schema.get("items", {}), *schema.get("anyOf", ())):
        if "$ref" in one:
            listed = one is schema.get("items")
            inner = DEFS[one["$ref"].rpartition("/")[2]]["properties"]
            found: dict[str, Any] = {path: schema.get("default")} if listed else {}
            for key, part in inner.items():
                found |= leaves(part, f"{path}{'[]' if listed else ''}.{key}".lstrip("."))
            return found
    return {path: schema.get("default")}


def rows(section: str) -> dict[str, str]:
    """Keys of a section's table with what the column of defaults says."""
    text = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return {key.strip("` "): default.strip("` ") for keys, default, _ in ROW.findall(text) for key in keys.split(", ")}


@pytest.mark.parametrize("kind", ["AutoscalerPolicy", "NodePool"])
def test_every_key_is_on_the_page_and_no_other(kind: str) -> None:
    known = {path for path in leaves({"$ref": f"#/$defs/{kind}"}) if path not in NOT_STATED}

    assert set(rows(kind)) == known


@pytest.mark.parametrize("kind", ["AutoscalerPolicy", "NodePool"])
def test_every_default_on_the_page_is_that_of_the_schema(kind: str) -> None:
    stated = rows(kind)
    for path, default in leaves({"$ref": f"#/$defs/{kind}"}).items():
        if path in NOT_STATED or path == "spec.disruption.budgets":
            continue
        assert (yaml.safe_load(stated[path]) if stated[path] else None) == default, path


def test_the_default_budgets_on_the_page_are_those_of_the_schema() -> None:
    text = re.search(r"^budgets:\n(?:  - .*\n)+", PAGE, re.MULTILINE)
    assert text is not None
    shown = yaml.safe_load(text[0])["budgets"]
    defaults = DEFS["Disruption"]["properties"]["budgets"]["default"]

    assert shown == [{k: v for k, v in budget.items() if k != "timeZone"} for budget in defaults]


def test_the_example_on_the_page_is_a_policy_without_mistakes() -> None:
    text = re.search(r"^```yaml\n(apiVersion.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert text is not None

    assert len(loads(text[1], NAME).pools) == 1
    assert linted(text[1]) == []
