"""The published JSON Schema: it takes what the loader takes, closes every mapping, and keeps its keys."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from policies.json_schema import json_schema
from policies.loading import PolicyError, loads
from policies.messages import part_of
from policies.schema_cluster import AutoscalerPolicy
from policies.schema_pool import NodePool
from tests.policies.files import NAME, SHARINGS, SMALL, example

SCHEMA = json_schema()
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
KNOWN_WORDS = {
    *("type", "properties", "required", "additionalProperties", "items", "anyOf", "oneOf", "enum", "const", "$ref"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"),
    *("minItems", "maxItems", "minProperties", "default", "description", "title", "$defs", "$schema", "$id"),
}


def violations(value: Any, schema: dict[str, Any], path: str = "$") -> Iterator[str]:
    """A small validator: the words of JSON Schema that the schema uses, and no others."""
    assert set(schema) <= KNOWN_WORDS, set(schema) - KNOWN_WORDS
    if "$ref" in schema:
        yield from violations(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], path)
    for word, least, most in (("anyOf", 1, 99), ("oneOf", 1, 1)):
        if word in schema:
            fitting = sum(1 for one in schema[word] if not list(violations(value, one, path)))
            if not least <= fitting <= most:
                yield f"{path}: {word}"
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(isinstance(value, TYPES[n]) and (n == "boolean" or not isinstance(value, bool)) for n in names):
            yield f"{path}: type"
            return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: enum"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: const"
    yield from _sizes(value, schema, path)
    if isinstance(value, dict):
        yield from _members(value, schema, path)
    elif isinstance(value, list) and "items" in schema:
        for at, item in enumerate(value):
            yield from violations(item, schema["items"], f"{path}[{at}]")


def _sizes(value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            yield f"{path}: bounds"
        if value <= schema.get("exclusiveMinimum", value - 1) or value >= schema.get("exclusiveMaximum", value + 1):
            yield f"{path}: bounds"
    for kind, least, most in ((str, "minLength", "maxLength"), (list, "minItems", "maxItems")):
        if isinstance(value, kind) and not schema.get(least, 0) <= len(value) <= schema.get(most, 10**9):
            yield f"{path}: length"
    if isinstance(value, dict) and len(value) < schema.get("minProperties", 0):
        yield f"{path}: length"
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path}: pattern"


def _members(value: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    known = schema.get("properties", {})
    yield from (f"{path}.{key}: required" for key in schema.get("required", ()) if key not in value)
    for key, item in value.items():
        if key in known:
            yield from violations(item, known[key], f"{path}.{key}")
        elif schema.get("additionalProperties") is False:
            yield f"{path}.{key}: additional"
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from violations(item, schema["additionalProperties"], f"{path}.{key}")


@pytest.mark.parametrize("sharing", SHARINGS)
def test_the_example_fits_the_schema(sharing: str) -> None:
    for document in yaml.safe_load_all(example(sharing)):
        assert list(violations(document, SCHEMA)) == []


MISFITS = [
    ("a key that is not known", ("spec", "weigth"), 1),
    ("a key that is not known, deep down", ("spec", "scaleUp", "backoff", "least"), "1m"),
    ("a number as text", ("spec", "weight"), "1"),
    ("a truth value as a number", ("spec", "limits", "maxNodes"), True),
    ("a part of a number", ("spec", "limits", "maxNodes"), 1.5),
    ("less than nothing", ("spec", "limits", "maxNodes"), -1),
    ("a number of seconds", ("spec", "scaleDown", "idleCooldown"), 600),
    ("a duration with blanks", ("spec", "scaleDown", "idleCooldown"), "1h 30m"),
    ("an empty duration", ("spec", "scaleDown", "idleCooldown"), ""),
    ("a share without a sign", ("spec", "scaleDown", "threshold"), "5"),
    ("a word of no list", ("spec", "capacityType"), "sport"),
    ("a list that must not be empty", ("spec", "groups"), []),
    ("a layout without instances", ("spec", "template", "gpu", "sharing", "mig", "layout"), {}),
    ("another version", ("apiVersion",), "gpu-autoscaler.dev/v2"),
    ("a name with capitals", ("metadata", "name"), "A"),
]


@pytest.mark.parametrize(("path", "value"), [m[1:] for m in MISFITS], ids=[m[0] for m in MISFITS])
def test_what_the_schema_refuses_the_loader_refuses_too(path: tuple[str, ...], value: object) -> None:
    documents = list(yaml.safe_load_all(example()))
    part = documents[1]
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value

    assert list(violations(documents[1], SCHEMA)) != []
    with pytest.raises(PolicyError):
        loads(yaml.safe_dump_all(documents), NAME)


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        inner = part_of(field.annotation)
        if inner is not None:
            yield from models(inner)


def test_every_property_of_the_models_is_in_the_schema() -> None:
    found = set(models(AutoscalerPolicy)) | set(models(NodePool))

    assert {m.__name__ for m in found} == set(SCHEMA["$defs"])
    for model in found:
        keys = {field.alias for field in model.model_fields.values()}
        assert set(SCHEMA["$defs"][model.__name__]["properties"]) == keys


def mappings(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for inner in node.values():
            yield from mappings(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from mappings(inner)


def test_every_mapping_is_closed_or_says_what_its_values_are() -> None:
    found = list(mappings(SCHEMA))

    assert len(found) > 30
    for mapping in found:
        assert mapping["additionalProperties"] is False or mapping["additionalProperties"]["type"]


def test_defaults_fit_the_schema_and_are_those_of_the_loader() -> None:
    def filled(schema: dict[str, Any], value: Any) -> Any:
        """`value` with every default of the schema spelled out."""
        if "$ref" in schema:
            schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
        if not isinstance(value, dict) or "properties" not in schema:
            return value
        for key, inner in schema["properties"].items():
            if key in value:
                value[key] = filled(inner, value[key])
            elif inner.get("default") is not None:
                value[key] = copy.deepcopy(inner["default"])
        return value

    pool = filled(SCHEMA["$defs"]["NodePool"], yaml.safe_load(SMALL))
    cluster = {
        "apiVersion": pool["apiVersion"],
        "kind": "AutoscalerPolicy",
        "metadata": {"name": "default"},
        "spec": {},
    }
    text = yaml.safe_dump_all([filled(SCHEMA["$defs"]["AutoscalerPolicy"], cluster), pool])

    assert "idleCooldown: 10m" in text
    assert list(violations(pool, SCHEMA)) == list(violations(cluster, SCHEMA)) == []
    assert loads(text, NAME).cluster == loads(SMALL, NAME).cluster
    assert loads(text, NAME).pools == loads(SMALL, NAME).pools


def test_the_schema_is_plain_json_and_the_same_each_time() -> None:
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert json.dumps(json_schema()) == json.dumps(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


KEYS = {
    "AutoscalerPolicy": "apiVersion kind metadata spec",
    "AwsGroup": "autoScalingGroup region",
    "Backoff": "initial max",
    "Budget": "atMost duration nodes per reasons schedule timeZone",
    "BufferSchedule": "cron duration nodes timeZone",
    "ClusterLimits": "gpus nodes usdPerHour",
    "ClusterSpec": "acceleratorResources disruption limits loopInterval mode pods",
    "Disruption": "budgets maxParallelDrains maxUnready",
    "GcpGroup": "instanceGroupManager location project",
    "GpuSpec": "count model sharing",
    "Group": "aws gcp kubernetes simulated zone zones",
    "KubernetesGroup": "apiVersion kind name namespace",
    "MaxUnready": "nodes percent",
    "Metadata": "annotations labels name",
    "MigDevices": "indexes layout",
    "MigSpec": "devices layout layouts strategy",
    "Mps": "replicas",
    "NodePool": "apiVersion kind metadata spec",
    "PodRules": "ignoreLabels ignoreOwnerKinds priorityCutoff schedulerNames",
    "PoolLimits": "maxNodes minNodes",
    "PoolSpec": "capacityType groups limits price scaleDown scaleUp spot template warmBuffer weight",
    "Predictive": "history quantile",
    "Price": "usdPerHour",
    "ScaleDownSpec": "cooldownAfterScaleUp drainTimeout enabled idleCooldown protectJobs systemPods threshold "
    "utilization",
    "ScaleUpSpec": "backoff batchWindow failureLimit initializationTimeout registrationTimeout",
    "SharingSpec": "mig mps timeSlicing",
    "SimulatedGroup": "group",
    "SpotSpec": "fallback maxShare onDemandBase returnAfter",
    "TaintSpec": "effect key value",
    "TemplateSpec": "gpu instanceType labels reserved resources startupTaints taints",
    "TimeSlicing": "failRequestsGreaterThanOne renameByDefault replicas",
    "WarmBuffer": "gpus max nodes percent predictive schedules",
}


def test_the_keys_of_v1alpha1_do_not_change_unnoticed() -> None:
    assert {name: " ".join(sorted(d["properties"])) for name, d in SCHEMA["$defs"].items()} == KEYS
