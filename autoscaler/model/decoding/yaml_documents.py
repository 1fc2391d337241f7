"""YAML documents as Python values, or, for lists of objects, as one piece of JSON for each object.

Read from the events of the parser, so that a file of a hundred thousand objects is never a tree in memory. What a
scalar means follows the core schema of YAML 1.2: `yes` and `2026-06-01` are strings, as they are in JSON. Aliases
are followed, within a bound; duplicate keys, merge keys and tags are refused, for they would be read otherwise
elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from autoscaler.model.decoding.errors import InputError

Value = Any
"""None, bool, int, float, str, list or dict with string keys; items of lists of objects are `msgspec.Raw`."""

DEPTH_MAX = 200
VALUES_MAX = 20_000_000
"""Values of one file, those that aliases repeat included."""

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
_OTHER_BASE = re.compile(r"0o[0-7]{1,20}|0x[0-9a-fA-F]{1,15}", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?=[0-9]*[.eE])(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_PLAIN_TAGS = {None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is 8 times faster; wheels bring it


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is not complete yet. `key`: the mapping's key that waits for its value."""

    value: list[Value] | dict[str, Value]
    anchor: str | None
    started_at: int
    key: str | None = None


Progress = Callable[[int, int], None]
"""Called with what is done and what there is in all, now and then."""


def yaml_documents(data: bytes, source: str, *, split_items: bool, progress: Progress | None = None) -> Iterator[Value]:
    """The documents of a YAML stream, empty ones included as None.

    `split_items`: elements of a document that is a list, and of the `items` of one that is a mapping, come as
    `msgspec.Raw` JSON; after each `progress` is told the bytes. Raises InputError with line and column.
    """
    loader = _Loader(data)
    told = None if progress is None else lambda done: progress(min(done, len(data)), len(data))
    try:
        while True:
            event = loader.get_event()
            if isinstance(event, yaml.StreamEndEvent):
                return
            if isinstance(event, yaml.DocumentStartEvent):
                yield _Builder(loader, source, told, split_items=split_items).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise InputError(source, f"is not valid YAML ({error.problem or error.context})", place) from None
    except yaml.YAMLError as error:
        raise InputError(source, f"is not text in UTF-8 ({_reason(error)}); save it as UTF-8") from None
    finally:
        loader.dispose()


def _reason(error: yaml.YAMLError) -> str:
    return str(getattr(error, "reason", error))


class _Builder:
    """Builds one document from the events that follow its start."""

    def __init__(self, loader: Any, source: str, told: Callable[[int], None] | None, *, split_items: bool) -> None:
        self._next = loader.get_event
        self._source = source
        self._split = split_items
        self._told = told
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Value, int]] = {}
        self._open: set[str] = set()
        self._count = 0
        self._root: Value = None

    def document(self) -> Value:
        """The value of the document; the events up to its end are used up."""
        while True:
            event = self._next()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent:
                self._start({}, event)
            elif kind is yaml.SequenceStartEvent:
                self._start([], event)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentEndEvent:
                return self._root
            else:
                self._end(event)

    def _refuse(self, event: Any, message: str) -> InputError:
        mark = event.start_mark
        return InputError(self._source, message, f"{mark.line + 1}:{mark.column + 1}")

    def _counted(self, event: Any, more: int) -> None:
        self._count += more
        if self._count > VALUES_MAX:
            raise self._refuse(event, f"holds more than {VALUES_MAX:,} values, aliases followed; use JSON (-o json)")

    def _start(self, value: list[Value] | dict[str, Value], event: Any) -> None:
        self._check_tag(event)
        self._counted(event, 1)
        if self._stack and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None:
            raise self._refuse(event, "a mapping's key must be a plain string")
        if len(self._stack) >= DEPTH_MAX:
            raise self._refuse(event, f"is nested more than {DEPTH_MAX} levels deep; no Kubernetes object is")
        if event.anchor:
            self._open.add(event.anchor)
        self._stack.append(_Frame(value, event.anchor, self._count - 1))

    def _end(self, event: Any) -> None:
        frame = self._stack.pop()
        if self._told is not None and len(self._stack) == 2:
            self._told(event.end_mark.index)
        if frame.anchor:
            self._open.discard(frame.anchor)
            self._anchors[frame.anchor] = (frame.value, self._count - frame.started_at)
        self._put(frame.value)

    def _alias(self, event: Any) -> None:
        if event.anchor in self._open:
            raise self._refuse(event, f"*{event.anchor} stands inside itself; write the value out")
        if event.anchor not in self._anchors:
            raise self._refuse(event, f"*{event.anchor} is defined nowhere before; write the value out")
        value, size = self._anchors[event.anchor]
        self._counted(event, size)
        if self._stack and isinstance(self._stack[-1].value, dict) and self._stack[-1].key is None:
            raise self._refuse(event, "a mapping's key must be a plain string")
        self._put(value)

    def _scalar(self, event: Any) -> None:
        self._check_tag(event)
        self._counted(event, 1)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and isinstance(frame.value, dict) and frame.key is None:
            self._key(frame, frame.value, event)
            return
        value = event.value
        if event.implicit[0] and event.tag is None:
            value = _resolved(value)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._put(value)

    def _key(self, frame: _Frame, mapping: dict[str, Value], event: Any) -> None:
        key = event.value
        if key in mapping:
            raise self._refuse(event, f'the key "{key}" appears twice in one mapping; keep one of them')
        if key == "<<" and event.implicit[0]:
            raise self._refuse(event, "merge keys (<<) are not supported; write the values out")
        frame.key = key

    def _check_tag(self, event: Any) -> None:
        if event.tag not in _PLAIN_TAGS:
            raise self._refuse(event, f"the tag {event.tag} is not supported; remove it")

    def _put(self, value: Value) -> None:
        if not self._stack:
            self._root = value
            return
        frame = self._stack[-1]
        if isinstance(frame.value, dict):
            frame.value[frame.key or ""] = value
            frame.key = None
            return
        if self._split and (len(self._stack) == 1 or (len(self._stack) == 2 and self._stack[0].key == "items")):
            value = msgspec.Raw(msgspec.json.encode(value))
        frame.value.append(value)


def _resolved(text: str) -> Value:
    """The value of a plain scalar by the core schema of YAML 1.2; integers beyond 64 bits stay strings."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
