"""Documents of our own (CloudState, ControllerState): one document, no unknown and no duplicate keys."""

from __future__ import annotations

import json
import re
from typing import Any, TypeVar

import msgspec

from autoscaler.model.decoding.documents import checked_text, looks_like_json, malformed_json
from autoscaler.model.decoding.errors import FieldError, InputError, did_you_mean, of_validation
from autoscaler.model.decoding.yaml_documents import yaml_documents
from autoscaler.model.instants import parse_rfc3339

API_VERSION = "gpu-autoscaler.dev/v1alpha1"
SIZE_MAX = 64 << 20

T = TypeVar("T")

_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>[^`]*)`")


def decode_strict(data: bytes, source: str, kind: str, wire_type: type[T]) -> T:
    """The document of that kind, as `wire_type` (a msgspec Struct that forbids unknown fields).

    Raises InputError with the path of the field.
    """
    value = _one_document(data, source, kind)
    if not isinstance(value, dict):
        raise InputError(source, f"expected a mapping of kind {kind}, found {type(value).__name__}")
    for key, wanted in (("kind", kind), ("apiVersion", API_VERSION)):
        if value.get(key) != wanted:
            found = f'is "{value[key]}"' if key in value else "is missing"
            raise InputError(source, f"{key} {found}; expected {wanted}")
    try:
        return msgspec.convert(value, wire_type)
    except msgspec.ValidationError as error:
        raise InputError(source, str(_told(error, value, wire_type))) from None


def _one_document(data: bytes, source: str, kind: str) -> Any:
    expected = f"a document of kind {kind}"
    data = checked_text(data, source, expected)
    if len(data) > SIZE_MAX:
        raise InputError(source, f"is {len(data) >> 20} MiB; {expected} has at most {SIZE_MAX >> 20} MiB")
    if looks_like_json(data):
        return _json(data, source)
    found = [d for d in yaml_documents(data, source, split_items=False) if d is not None]
    if len(found) != 1:
        raise InputError(source, f"holds {len(found) or 'no'} documents; expected one of kind {kind}")
    return found[0]


def _json(data: bytes, source: str) -> Any:
    """JSON with duplicate keys refused."""

    def mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, value in pairs:
            if key in made:
                raise InputError(source, f'the key "{key}" appears twice in one object; keep one of them')
            made[key] = value
        return made

    try:
        msgspec.json.decode(data, type=msgspec.Raw)  # the stricter parser: no NaN, errors with an offset
        return json.loads(data, object_pairs_hook=mapping)
    except msgspec.DecodeError as error:
        raise malformed_json(error, data, source) from None
    except (RecursionError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(source, f"is not valid JSON ({error})") from None


def _told(error: msgspec.ValidationError, value: object, wire_type: type) -> FieldError:
    """An unknown key with the closest known one, or what `of_validation` says."""
    unknown = _UNKNOWN.match(str(error))
    found = of_validation(error, value)
    if unknown is None:
        return found
    key = unknown["key"]
    path = f"{found.path}.{key}" if found.path else key
    return FieldError(path, f"is not a known key{did_you_mean(key, _keys(wire_type, found.path))}")


def _keys(wire_type: Any, path: str) -> list[str]:
    """The keys of the mapping at `path`, found through the types of the fields."""
    here: Any = msgspec.inspect.type_info(wire_type)
    for step in re.findall(r"[^.\[\]]+|\[", path):
        if isinstance(here, msgspec.inspect.UnionType):
            here = next((t for t in here.types if not isinstance(t, msgspec.inspect.NoneType)), here)
        if step == "[" and isinstance(here, msgspec.inspect.ListType):
            here = here.item_type
        elif isinstance(here, msgspec.inspect.StructType):
            here = next((f.type for f in here.fields if f.encode_name == step), here)
    if isinstance(here, msgspec.inspect.UnionType):
        here = next((t for t in here.types if not isinstance(t, msgspec.inspect.NoneType)), here)
    return [f.encode_name for f in here.fields] if isinstance(here, msgspec.inspect.StructType) else []


def instant(value: str | None, path: str) -> float | None:
    """An RFC 3339 instant, None for none."""
    if not value:
        return None
    try:
        return parse_rfc3339(value)
    except ValueError as error:
        raise FieldError(path, str(error)) from None
