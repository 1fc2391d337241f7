"""The JSON Schema of the policy file, generated from the models that read it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema

from policies.messages import part_of
from policies.schema_cluster import AutoscalerPolicy
from policies.schema_pool import NodePool

ID = "https://gpu-autoscaler.dev/schemas/v1alpha1/policy.json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """One document of the file: an AutoscalerPolicy or a NodePool (JSON Schema 2020-12).

    Defaults are as they would be written: `10m`, `"45%"`. What a schema cannot say (cron expressions, time zones, keys
    that exclude each other) is left to `lint`.
    """
    documents: tuple[type[BaseModel], ...] = (AutoscalerPolicy, NodePool)
    keys, schema = models_json_schema([(model, "validation") for model in documents], by_alias=True)
    for model in dict.fromkeys(inner for document in documents for inner in _models(document)):
        _polish(schema["$defs"][model.__name__], model)
    return {
        "$schema": DIALECT,
        "$id": ID,
        "title": "gpu-autoscaler policy document",
        "oneOf": [keys[model, "validation"] for model in documents],
        **schema,
    }


def _models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        inner = part_of(field.annotation)
        if inner is not None:
            yield from _models(inner)


def _polish(definition: dict[str, Any], model: type[BaseModel]) -> None:
    """Defaults in the units of the file, and no titles that only repeat the key."""
    for name, field in model.model_fields.items():
        entry = definition["properties"][field.alias or name]
        entry.pop("title", None)
        if not field.is_required():
            kind: Any = Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
            default = field.get_default(call_default_factory=True)
            entry["default"] = TypeAdapter(kind).dump_python(default, mode="json", by_alias=True, exclude_none=True)
