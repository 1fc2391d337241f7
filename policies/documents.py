"""YAML documents with the place of every key: strict where YAML is lax.

Refused, each with its place: aliases and anchors (a kilobyte of them can stand for a gigabyte), keys given twice
(the library keeps the last one silently), keys that are no strings, deep nesting, documents over 1 MiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from policies.problems import PolicyError, Problem

DOCUMENT_BYTES_MAX = 1 << 20
DEPTH_MAX = 64
Place = tuple[int, int]
Path = tuple[str | int, ...]

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Document:
    """One document as plain values. `places`: line and column of each value by path, `keys` of each key."""

    value: Any
    places: Mapping[Path, Place]
    keys: Mapping[Path, Place]

    def place(self, path: Path) -> Place:
        """Line and column of `path`, or of its nearest parent that is in the file."""
        for length in range(len(path), -1, -1):
            found = self.keys.get(path[:length]) or self.places.get(path[:length])
            if found:
                return found
        return (1, 1)


def read_documents(text: str, name: str) -> list[Document]:
    """The documents of a file, empty ones left out. Raises PolicyError."""
    try:
        _scan(text, name)
        nodes = list(yaml.compose_all(text, Loader=_LOADER))
    except yaml.YAMLError as wrong:
        raise PolicyError(_syntax(wrong, name)) from None
    except RecursionError:
        raise PolicyError(Problem(f"is nested deeper than {DEPTH_MAX} levels", name)) from None
    return [_Reader(name).read(node) for node in nodes if node is not None and not _is_empty(node)]


def _is_empty(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _scan(text: str, name: str) -> None:
    """Refuse by events, before anything is built."""
    depth, start = 0, 0
    for event in yaml.parse(text, Loader=_LOADER):
        mark = event.start_mark
        if isinstance(event, yaml.DocumentStartEvent):
            start = mark.index
        elif isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            message = "anchors and aliases are not allowed; write the value out"
            raise PolicyError(Problem(message, name, mark.line + 1, mark.column + 1))
        elif isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEPTH_MAX:
            message = f"is nested deeper than {DEPTH_MAX} levels"
            raise PolicyError(Problem(message, name, mark.line + 1, mark.column + 1))
        if event.end_mark.index - start > DOCUMENT_BYTES_MAX:
            message = "a document is over 1 MiB; split the policy into several documents or files"
            raise PolicyError(Problem(message, name, mark.line + 1, mark.column + 1))


def _syntax(wrong: yaml.YAMLError, name: str) -> Problem:
    mark = getattr(wrong, "problem_mark", None)
    said = getattr(wrong, "problem", None) or getattr(wrong, "reason", None) or "cannot be read"
    message = f"is no valid YAML: {said}"
    return Problem(message, name, mark.line + 1, mark.column + 1) if mark else Problem(message, name)


class _Reader:
    """Nodes to plain values, places noted."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._places: dict[Path, Place] = {}
        self._keys: dict[Path, Place] = {}
        self._scalars = yaml.constructor.SafeConstructor()

    def read(self, node: yaml.Node) -> Document:
        value = self._value(node, ())
        return Document(value, self._places, self._keys)

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self._places[path] = (node.start_mark.line + 1, node.start_mark.column + 1)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(item, (*path, at)) for at, item in enumerate(node.value)]
        try:
            return self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError):
            raise self._error(node, path, f"cannot read {str(node.value)[:40]!r}; put text into quotes") from None

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None or key_node.tag != "tag:yaml.org,2002:str":
                raise self._error(key_node, path, f"the key {key if key is not None else '?'} must be text; put it into quotes")
            if key in found:
                raise self._error(key_node, (*path, key), "is given twice; keep one")
            self._keys[(*path, key)] = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            found[key] = self._value(value_node, (*path, key))
        return found

    def _error(self, node: yaml.Node, path: Path, message: str) -> PolicyError:
        mark = node.start_mark
        return PolicyError(Problem(message, self._name, mark.line + 1, mark.column + 1, dotted(path)))


def dotted(path: Path) -> str:
    """`spec.groups[0].zone`."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        else:
            quoted = f'["{part}"]' if "." in part or "/" in part else part
            out += quoted if quoted.startswith("[") or not out else f".{quoted}"
    return out
