"""What pydantic found wrong with a document, as sentences with place, path and advice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from policies.documents import Document
from policies.plain_scalars import ScalarError, plain_value
from policies.problems import InnerError, Path, Problem, dotted, shortened, shown
from policies.suggestions import did_you_mean, nearest

KNOWN_MAX = 10
ADVISED_MAX = 100  # looking for a near miss takes time, and nobody reads the advice of the next mistakes
_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+", re.ASCII)  # `1e3` is text in YAML 1.1
_BOUNDS = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}


def problem_at(document: Document, name: str, path: Path, message: str) -> Problem:
    """A problem at `path` of a document of the file `name`."""
    return Problem(message, name, *document.place(path), dotted(path))


def problems_of(wrong: ValidationError, model: type[BaseModel], document: Document, name: str) -> list[Problem]:
    """What is wrong with a document of `model`, each mistake at its place in the file `name`."""
    errors = wrong.errors(include_url=False)
    # A list whose items are wrong is reported as too short besides.
    inner = {error["loc"][:n] for error in errors for n in range(len(error["loc"]))}
    real = [e for e in errors if e["type"] != "too_short" or e["loc"] not in inner]
    found: list[Problem] = []
    for error in real:
        known = model if len(found) < ADVISED_MAX else None
        found += [problem_at(document, name, path, text) for path, text in _told(error, known, document)]
    return found


def _told(error: ErrorDetails, model: type[BaseModel] | None, document: Document) -> Iterator[tuple[Path, str]]:
    """The paths and sentences of one error; without `model` no advice on unknown keys."""
    path = _path(error, document)
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, InnerError):
        for below, text in cause.found:
            yield (*path, *below), text
    elif error["type"] == "extra_forbidden":
        key = str(error["loc"][-1])
        yield path, f"unknown key{_advice(key, error['loc'][:-1], model) if model else '; remove it'}"
    else:
        yield path, _sentence(error, document.texts.get(path))


def _path(error: ErrorDetails, document: Document) -> Path:
    """The error's location without the names of union members and validators that pydantic adds."""
    path: Path = ()
    for part in error["loc"]:
        if (*path, part) in document.places:
            path = (*path, part)
    return (*path, error["loc"][-1]) if error["type"] == "missing" else path


def _sentence(error: ErrorDetails, text: str | None) -> str:
    """`text`: the value as it is written in the file, if it is a scalar without quotes."""
    kind, given, context = error["type"], error.get("input"), error.get("ctx", {})
    if kind == "value_error":
        return str(context.get("error", error["msg"]))
    if kind == "missing":
        return "is missing"
    if given is None and kind in _TYPES:
        return "is empty; give a value, or remove the key"
    said = shown(given) if text is None or isinstance(given, str) else shortened(text)
    if kind in _TYPES:
        wanted, advice = _TYPES[kind]
        return f"must be {wanted}, got {said}{advice(given, said)}"
    if kind == "literal_error":
        words = str(context.get("expected", "")).replace("'", "")
        return f"must be {words}, got {said}{did_you_mean(str(given), words.replace(' or ', ', ').split(', '))}"
    bound = next((f"{word} {_number(context[key])}" for key, word in _BOUNDS.items() if key in context), None)
    if bound:
        return f"must be {bound}, got {said}"
    return _OTHER.get(kind) or f"{error['msg'][0].lower()}{error['msg'][1:]}, got {said}"


def _number(bound: int | float) -> str:
    return str(int(bound)) if bound == int(bound) else str(bound)


_OTHER = {
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long; a name has at most 253 characters",
    "finite_number": "must be a finite number",
}


def _no_advice(_: object, __: str) -> str:
    return ""


def _quote(given: object, said: str) -> str:
    return "" if isinstance(given, dict | list) else f'; put it into quotes: "{said}"'


def _unquote(given: object, _: str) -> str:
    """For a number or truth value that is given as text."""
    if not isinstance(given, str):
        return ""
    try:
        fits = isinstance(plain_value(given), bool | int | float)
    except ScalarError:
        fits = False
    if fits:
        return "; write it without quotes"
    return "; write it without an exponent" if _EXPONENT.fullmatch(given) else ""


def _as_list(given: object, said: str) -> str:
    return "" if isinstance(given, dict | list) else f"; write [{said}]"


_TYPES: Mapping[str, tuple[str, Callable[[object, str], str]]] = {
    "string_type": ("text", _quote),
    "int_type": ("a whole number", _unquote),
    "float_type": ("a number", _unquote),
    "bool_type": ("true or false", _unquote),
    "model_type": ("a mapping", _no_advice),
    "dict_type": ("a mapping", _no_advice),
    "tuple_type": ("a list", _as_list),
    "string_pattern_mismatch": (
        "at most 63 lower-case letters, digits, dashes and dots, with a letter or digit at both ends",
        _no_advice,
    ),
}


def _advice(key: str, place: tuple[int | str, ...], model: type[BaseModel]) -> str:
    """What was probably meant by an unknown key: a known one beside it, or its proper place."""
    known = keys_at(model, place)
    near = nearest(key, known)
    if near:
        return f"; did you mean {near}?"
    elsewhere = _places_of(model).get(key, ())
    if len(elsewhere) == 1:
        return f"; it belongs to {elsewhere[0]}"
    return f"; known here: {', '.join(sorted(known))}" if 0 < len(known) <= KNOWN_MAX else "; remove it"


def keys_at(model: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys that the part of the schema at `place` knows."""
    current: Any = model
    for part in place:
        if isinstance(part, str):
            current = _fields(current).get(part)
    return list(_fields(current))


@lru_cache(maxsize=16)
def _places_of(model: type[BaseModel]) -> dict[str, list[str]]:
    """Every telling key of the schema with the dotted paths of the mappings that know it: `maxNodes`, not `max`."""
    found: dict[str, list[str]] = {}
    pending: list[tuple[Any, str]] = [(model, "")]
    while pending:
        current, place = pending.pop()
        for key, inner in _fields(current).items():
            if place and (key.lower() != key or part_of(inner) is not None):
                found.setdefault(key, []).append(place)
            pending.append((inner, f"{place}.{key}" if place else key))
    return found


def _fields(annotation: Any) -> dict[str, Any]:
    part = part_of(annotation)
    return {} if part is None else {f.alias or n: f.annotation for n, f in part.model_fields.items()}


def part_of(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as `tuple[Model, ...] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((p for inner in getattr(annotation, "__args__", ()) if (p := part_of(inner)) is not None), None)
