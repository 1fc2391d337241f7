"""The switch as a manifest: the ConfigMap that people write and the controller only reads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from autoscaler.cli.user_error import UserError
from autoscaler.model.ports import DocumentName

HINT = "apply it with: kubectl apply -f -"


def load_switch(path: Path) -> dict[str, Any]:
    """The manifest in the file; a new one if there is no such file. Raises UserError for what is no such ConfigMap."""
    import yaml

    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return manifest({}, "gpu-autoscaler")
    except (OSError, UnicodeDecodeError) as wrong:
        raise UserError(f"{path}: cannot be read ({wrong}); check the path") from None
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as wrong:
        place = getattr(wrong, "problem_mark", None)
        line = f":{place.line + 1}" if place is not None else ""
        raise UserError(f"{path}{line}: is no YAML; write a ConfigMap, or delete the file") from None
    if not isinstance(found, dict) or found.get("kind") != "ConfigMap":
        raise UserError(f"{path}: is no ConfigMap; write one of kind ConfigMap, or delete the file")
    data = found.get("data")
    if data is None:
        data = {}
    if not isinstance(data, dict) or not all(isinstance(v, str) for v in data.values()):
        raise UserError(f'{path}: data: every value must be a string, such as "true"; put it in quotes')
    return {**found, "data": data}


def manifest(data: dict[str, str], namespace: str) -> dict[str, Any]:
    """The ConfigMap with this data."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": str(DocumentName.SWITCH), "namespace": namespace},
        "data": data,
    }


def give(found: dict[str, Any], path: Path | None, said: str) -> None:
    """Write the manifest to the file, or print it for `kubectl apply`; `said` goes to standard error."""
    import yaml

    text = yaml.safe_dump(found, sort_keys=False, allow_unicode=True)
    if path is None:
        sys.stdout.write(text)
        sys.stderr.write(f"{said}; {HINT}\n")
        return
    try:
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_text(text, "utf-8")
        temporary.replace(path)
    except OSError as wrong:
        raise UserError(f"{path}: cannot be written: {wrong.strerror}") from None
    sys.stderr.write(f"{said}\n")
