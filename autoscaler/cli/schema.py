"""`schema`: the JSON Schema of the policy file, generated from the models that read it."""

from __future__ import annotations

from autoscaler.cli.output import Output, print_document


def run() -> int:
    """Print the schema."""
    from policies.json_schema import json_schema

    print_document(json_schema(), Output.JSON)
    return 0
