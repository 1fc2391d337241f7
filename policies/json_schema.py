"""The JSON Schema of the policy file, generated from the models that read it."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import models_json_schema

from policies.schema_cluster import AutoscalerPolicy
from policies.schema_pool import NodePool


def json_schema() -> dict[str, Any]:
    """One document of the file: an AutoscalerPolicy or a NodePool (JSON Schema 2020-12)."""
    models = [(AutoscalerPolicy, "validation"), (NodePool, "validation")]
    keys, schema = models_json_schema(models, by_alias=True)  # type: ignore[arg-type]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://gpu-autoscaler.dev/schemas/v1alpha1/policy.json",
        "title": "gpu-autoscaler policy document",
        "oneOf": [keys[model] for model in models],  # type: ignore[index]
        **schema,
    }
