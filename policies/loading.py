"""A policy file, or a folder of them, into models; every mistake with file, line, column, path and advice."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from policies.documents import Document, dotted, read_documents
from policies.documents import Path as Keys
from policies.problems import PolicyError, Problem
from policies.schema_cluster import AutoscalerPolicy, ClusterSpec
from policies.schema_pool import NodePool

API_VERSION = "gpu-autoscaler.dev/v1alpha1"
FILE_BYTES_MAX = 16 << 20
KINDS: Mapping[str, type[AutoscalerPolicy] | type[NodePool]] = {
    "AutoscalerPolicy": AutoscalerPolicy,
    "NodePool": NodePool,
}

__all__ = ["API_VERSION", "PolicyError", "PolicyFile", "Problem", "load", "loads"]


@dataclass(frozen=True)
class PolicyFile:
    """The loaded policy: cluster rules (or their defaults) and pools sorted by name."""

    cluster: ClusterSpec
    pools: tuple[NodePool, ...]
    sources: Mapping[str, tuple[str, Document]] = field(default_factory=dict)

    def problem(self, name: str, path: Keys, message: str, *, warning: bool = False) -> Problem:
        """A problem at `path` of the document of pool `name` ("" for the AutoscalerPolicy)."""
        severity = "warning" if warning else "error"
        source = self.sources.get(name)
        if source is None:
            return Problem(message, path=dotted(path), severity=severity)
        line, column = source[1].place(path)
        return Problem(message, source[0], line, column, dotted(path), severity)


def load(path: Path) -> PolicyFile:
    """A policy file, or all `*.yaml` and `*.yml` of a folder. Raises PolicyError."""
    if path.is_dir():
        files = sorted(p for p in path.iterdir() if p.suffix in (".yaml", ".yml") and p.is_file())
        if not files:
            raise PolicyError(Problem("has no .yaml or .yml file; put the policy there", str(path)))
    else:
        files = [path]
    return _assemble((str(p), _read(p)) for p in files)


def loads(text: str, name: str) -> PolicyFile:
    """A policy from text; `name` stands for the file in messages. Raises PolicyError."""
    return _assemble([(name, text)])


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise PolicyError(Problem(f"is over {FILE_BYTES_MAX >> 20} MiB; this is no policy file", str(path)))
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise PolicyError(Problem("does not exist; give the path of a policy file or folder", str(path))) from None
    except OSError as wrong:
        raise PolicyError(Problem(f"cannot be read: {wrong.strerror}", str(path))) from None
    except UnicodeDecodeError:
        raise PolicyError(Problem("is not UTF-8 text; a policy is a YAML file", str(path))) from None


def _assemble(files: Iterable[tuple[str, str]]) -> PolicyFile:
    problems: list[Problem] = []
    clusters: list[tuple[AutoscalerPolicy, str, Document]] = []
    pools: dict[str, NodePool] = {}
    sources: dict[str, tuple[str, Document]] = {}
    names: list[str] = []
    for name, text in files:
        names.append(name)
        try:
            documents = read_documents(text, name)
        except PolicyError as wrong:
            problems += wrong.problems
            continue
        for document in documents:
            model, wrongs = _validated(document, name)
            problems += wrongs
            if isinstance(model, AutoscalerPolicy):
                clusters.append((model, name, document))
            elif isinstance(model, NodePool):
                if model.name in pools:
                    problems.append(_at(document, name, ("metadata", "name"), f"pool {model.name} is there twice; rename one"))
                pools[model.name] = model
                sources[model.name] = (name, document)
    for _, name, document in clusters[1:]:
        problems.append(_at(document, name, ("kind",), "a second AutoscalerPolicy; there is at most one"))
    if not problems and not pools:
        problems.append(Problem("has no NodePool; add one, or there is nothing to buy", names[0] if names else ""))
    if problems:
        raise PolicyError(*problems)
    if clusters:
        sources[""] = (clusters[0][1], clusters[0][2])
    spec = clusters[0][0].spec if clusters else ClusterSpec()
    return PolicyFile(spec, tuple(pools[n] for n in sorted(pools)), sources)


def _at(document: Document, name: str, path: Keys, message: str) -> Problem:
    line, column = document.place(path)
    return Problem(message, name, line, column, dotted(path))


def _validated(document: Document, name: str) -> tuple[BaseModel | None, list[Problem]]:
    value = document.value
    if not isinstance(value, dict):
        return None, [_at(document, name, (), "is no policy document; it begins with apiVersion and kind")]
    kind, version = value.get("kind"), value.get("apiVersion")
    if version != API_VERSION:
        return None, [_at(document, name, ("apiVersion",), f"must be {API_VERSION}, got {version!r}")]
    if not isinstance(kind, str) or kind not in KINDS:
        close = _did_you_mean(str(kind), KINDS)
        return None, [_at(document, name, ("kind",), f"must be AutoscalerPolicy or NodePool, got {kind!r}{close}")]
    model = KINDS[kind]
    try:
        return model.model_validate(value), []
    except ValidationError as wrong:
        return None, problems_of(wrong, model, document, name)


def problems_of(wrong: ValidationError, model: type[BaseModel], document: Document, name: str) -> list[Problem]:
    """What is wrong with a document of `model`, each mistake at its place in the file `name`."""
    errors = wrong.errors(include_url=False)
    # A list whose items are wrong is reported as too short besides.
    inner = {error["loc"][:n] for error in errors for n in range(len(error["loc"]))}
    real = [e for e in errors if e["type"] != "too_short" or e["loc"] not in inner]
    return [_problem(error, model, document, name) for error in real]


def _problem(error: ErrorDetails, model: type[BaseModel], document: Document, name: str) -> Problem:
    path = _known_part(error["loc"], document)
    message = _message(error, model)
    return _at(document, name, path, message)


def _known_part(loc: tuple[int | str, ...], document: Document) -> Keys:
    """The error's location without the names of union members and validators that the library adds."""
    path: Keys = ()
    for part in loc:
        step = (*path, part)
        if step in document.places or (part == loc[-1] and not str(part).startswith(("function-", "tuple", "constrained"))):
            path = step
    return path


def _message(error: ErrorDetails, model: type[BaseModel]) -> str:
    kind, context, given = error["type"], error.get("ctx", {}), error.get("input")
    match kind:
        case "extra_forbidden":
            key = str(error["loc"][-1])
            return f"unknown key{_did_you_mean(key, _keys_at(model, error['loc'][:-1]))}"
        case "missing":
            return "is missing"
        case "value_error":
            return str(context.get("error", error["msg"]))
        case "literal_error":
            wanted = str(context.get("expected", "")).replace("'", "")
            return f"must be {wanted}, got {given!r}{_did_you_mean(str(given), wanted.replace(' or ', ', ').split(', '))}"
        case "greater_than_equal" | "less_than_equal" | "greater_than" | "less_than":
            words = {"ge": "at least", "le": "at most", "gt": "more than", "lt": "less than"}
            word, bound = next((words[k], v) for k, v in context.items() if k in words)
            return f"must be {word} {bound}, got {given!r}"
        case "finite_number":
            return f"must be a finite number, got {given!r}"
        case "string_type":
            quoted = f'; put it into quotes: "{str(given).lower() if isinstance(given, bool) else given}"'
            return f"must be text, got {given!r}{quoted if isinstance(given, int | float) else ''}"
        case "int_type":
            return f"must be a whole number, got {_short(given)}"
        case "float_type":
            return f"must be a number, got {_short(given)}"
        case "bool_type":
            return f"must be true or false, got {_short(given)}"
        case "model_type" | "dict_type":
            return f"must be a mapping, got {_short(given)}"
        case "tuple_type":
            return f"must be a list, got {_short(given)}"
        case "too_short":
            return "must not be empty"
        case "string_pattern_mismatch":
            return f"must be lower-case letters, digits and dashes, got {_short(given)}"
        case _:
            return f"{error['msg'][0].lower()}{error['msg'][1:]}, got {_short(given)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _did_you_mean(given: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    if not close:
        lower = {k.lower(): k for k in known}
        close = [lower[given.lower()]] if given.lower() in lower else []
    return f"; did you mean {close[0]}?" if close and close[0] != given else ""


def _keys_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """The keys that the part of the schema at `loc` knows."""
    current: Any = model
    for part in loc:
        if isinstance(part, int):
            continue
        fields = _fields(current)
        found = next((f for alias, f in fields.items() if alias == part), None)
        if found is None:
            return []
        current = found
    return list(_fields(current))


def _fields(annotation: Any) -> dict[str, Any]:
    part = _part_of(annotation)
    if part is None:
        return {}
    return {f.alias or n: f.annotation for n, f in part.model_fields.items()}


def _part_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _part_of(inner)
        if found is not None:
            return found
    return None
