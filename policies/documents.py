"""YAML documents with the place of every key: strict where YAML is lax.

Refused, each with its place: aliases and anchors (a kilobyte of them can stand for a gigabyte), tags, merge keys, keys
given twice (PyYAML keeps the last one silently), keys that are no text, scalars that YAML readers disagree on, deep
nesting, documents over 1 MiB. The events of the parser are read one by one, so that nothing is built of what is
refused and no depth of nesting is felt by the stack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from policies.plain_scalars import ScalarError, kind_of, plain_value
from policies.problems import Path, PolicyError, Problem, dotted, shortened

__all__ = ["Document", "Parsed", "Path", "Place", "dotted", "parse", "read_documents"]

DOCUMENT_BYTES_MAX = 1 << 20
DEPTH_MAX = 64
VALUES_MAX = 100_000
Place = tuple[int, int]
"""Line and column, from 1."""

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STR_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_HINTS = (
    ("cannot start any token", "indent with spaces, not tabs, and put text with special characters into quotes"),
    ("mapping values are not allowed", "check the indentation, and put text with a colon into quotes"),
    ("unexpected end of stream", "a quote or bracket before it is not closed"),
)
_TOO_DEEP = f"is nested deeper than {DEPTH_MAX} levels; a policy needs no more than ten"
_TOO_LARGE = "a document is over 1 MiB; split the policy into several documents or files"
_TOO_MANY = f"a document has more than {VALUES_MAX} values; split the policy into several documents or files"
_ALIAS = "anchors and aliases are not allowed; write the value out"
_TAGGED = "tags are not allowed; write a plain value, text in quotes"
_MERGE = "merge keys (<<) are not allowed; write the keys out"
_NO_KEY = "a key must be text, not a list or mapping"


@dataclass(frozen=True, slots=True)
class Document:
    """One document as plain values.

    `places`: line and column of each value by path, `keys` of each key. `texts`: scalars without quotes as they are
    written. `problems`: what is wrong with the document as YAML; what is at `broken` means nothing.
    """

    value: Any
    places: Mapping[Path, Place]
    keys: Mapping[Path, Place]
    texts: Mapping[Path, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    broken: frozenset[Path] = frozenset()

    def place(self, path: Path) -> Place:
        """Line and column of `path`, or of its nearest parent that is in the file."""
        for length in range(len(path), -1, -1):
            found = self.keys.get(path[:length]) or self.places.get(path[:length])
            if found:
                return found
        return (1, 1)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The documents of a file, empty ones left out, up to the `problems` that ended the reading."""

    documents: tuple[Document, ...]
    problems: tuple[Problem, ...]


def read_documents(text: str, name: str) -> list[Document]:
    """The documents of a file, empty ones left out. Raises PolicyError with everything that is wrong as YAML."""
    parsed = parse(text, name)
    problems = [problem for document in parsed.documents for problem in document.problems]
    if problems or parsed.problems:
        raise PolicyError(*problems, *parsed.problems)
    return list(parsed.documents)


def parse(text: str, name: str) -> Parsed:
    """The documents of a file with what is wrong with each as YAML; `name` stands for the file in problems."""
    unprintable = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if unprintable:
        at = unprintable.start()
        lines = _BREAK.split(text[:at])
        message = f"the character U+{ord(text[at]):04X} is not allowed in YAML; remove it"
        return Parsed((), (Problem(message, name, len(lines), len(lines[-1]) + 1),))
    reader = _Reader(text, name)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
    except PolicyError as wrong:
        return reader.parsed(*wrong.problems)
    except yaml.YAMLError as wrong:
        return reader.parsed(_syntax(wrong, name))
    return reader.parsed()


def _syntax(wrong: yaml.YAMLError, name: str) -> Problem:
    mark = getattr(wrong, "problem_mark", None)
    said = str(getattr(wrong, "problem", None) or getattr(wrong, "reason", None) or "cannot be read")
    if "nesting depth" in said:
        message = _TOO_DEEP
    else:
        hint = next((h for words, h in _HINTS if words in said), "check the indentation, brackets and quotes here")
        message = f"is no valid YAML: {shortened(said)}; {hint}"
    return Problem(message, name, mark.line + 1, mark.column + 1) if mark else Problem(message, name)


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read. `dead`: it will be thrown away, and leaves no places."""

    value: dict[str, Any] | list[Any]
    path: Path
    dead: bool
    key: str = ""
    awaits_value: bool = False
    key_is_dead: bool = False


class _Reader:
    """Events to documents."""

    def __init__(self, text: str, name: str) -> None:
        self.documents: list[Document] = []
        self._text = text
        self._name = name
        self._start = 0
        self._begin()

    def _begin(self) -> None:
        self._open: list[_Open] = []
        self._root: Any = None
        self._count = 0
        self._places: dict[Path, Place] = {}
        self._keys: dict[Path, Place] = {}
        self._texts: dict[Path, str] = {}
        self._problems: list[Problem] = []
        self._broken: set[Path] = set()

    def parsed(self, *fatal: Problem) -> Parsed:
        """What was read; `fatal` is what ended the reading, after what was wrong before it in the same document."""
        return Parsed(tuple(self.documents), (*self._problems, *fatal))

    def take(self, event: yaml.Event) -> None:
        """One event more. Raises PolicyError for what ends the reading of the file."""
        mark = event.start_mark
        assert mark is not None
        place = (mark.line + 1, mark.column + 1)
        match event:
            case yaml.DocumentStartEvent():
                self._start = mark.index
            case yaml.DocumentEndEvent():
                self._close_document(mark.index)
            case yaml.ScalarEvent() | yaml.AliasEvent() | yaml.CollectionStartEvent():
                self._guard(mark.index, place)
                self._node(event, place)
            case yaml.CollectionEndEvent():
                self._add(self._open.pop().value)
            case _:
                pass

    def _guard(self, index: int, place: Place) -> None:
        """Stop before too much is built."""
        self._count += 1
        if index - self._start > DOCUMENT_BYTES_MAX:
            raise self._stop(_TOO_LARGE, place)
        if self._count > VALUES_MAX:
            raise self._stop(_TOO_MANY, place)
        if len(self._open) > DEPTH_MAX:
            raise self._stop(_TOO_DEEP, place)

    def _stop(self, message: str, place: Place) -> PolicyError:
        return PolicyError(Problem(message, self._name, *place))

    def _close_document(self, end: int) -> None:
        if len(self._text[self._start : end].encode()) > DOCUMENT_BYTES_MAX:
            raise self._stop(_TOO_LARGE, self._places[()])
        if self._root is not None or self._problems:
            problems, broken = tuple(self._problems), frozenset(self._broken)
            self.documents.append(Document(self._root, self._places, self._keys, self._texts, problems, broken))
        self._begin()

    def _node(self, event: yaml.NodeEvent, place: Place) -> None:
        parent = self._open[-1] if self._open else None
        if parent is not None and isinstance(parent.value, dict) and not parent.awaits_value:
            parent.awaits_value = parent.key_is_dead = True
            if isinstance(event, yaml.ScalarEvent):
                self._key(parent, parent.value, event, place)
            else:
                self._no_key(parent, event, place)
        else:
            self._value(parent, event, place)

    def _key(self, parent: _Open, mapping: dict[str, Any], event: yaml.ScalarEvent, place: Place) -> None:
        key = parent.key = event.value
        path = (*parent.path, key)
        kind = kind_of(key) if event.implicit[0] else "str"
        self._refuse_extras(event, path, place)
        if kind == "merge":
            self._problem(_MERGE, place, path)
        elif key in mapping:
            first = "" if parent.dead else f", first in line {self._keys[path][0]}"
            self._problem(f"is given twice{first}; keep one", place, path)
        else:
            if kind not in ("str", "value"):
                self._problem(f"the key {key or 'without text'} must be text; put it into quotes", place, path)
                self._broken.add(path)
            parent.key_is_dead = False
            mapping[key] = None
            if not parent.dead:
                self._keys[path] = place

    def _no_key(self, parent: _Open, event: yaml.NodeEvent, place: Place) -> None:
        """A list, mapping or alias in the place of a key: it is read on, and thrown away with its value."""
        parent.key = "?"
        if not parent.dead:
            self._problem(_ALIAS if isinstance(event, yaml.AliasEvent) else _NO_KEY, place, parent.path)
        if isinstance(event, yaml.CollectionStartEvent):
            parent.awaits_value = False  # until the key has ended
            self._push(event, (*parent.path, "?"), dead=True)

    def _value(self, parent: _Open | None, event: yaml.NodeEvent, place: Place) -> None:
        if parent is None:
            path: Path = ()
        else:
            path = (*parent.path, parent.key if isinstance(parent.value, dict) else len(parent.value))
        dead = parent is not None and (parent.dead or parent.key_is_dead)
        if not dead:
            self._places[path] = place
        self._refuse_extras(event, path, place)
        if isinstance(event, yaml.CollectionStartEvent):
            self._push(event, path, dead=dead)
        else:
            self._add(self._scalar(event, path, place, dead=dead))

    def _push(self, event: yaml.CollectionStartEvent, path: Path, *, dead: bool) -> None:
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._open.append(_Open(value, path, dead))

    def _scalar(self, event: yaml.NodeEvent, path: Path, place: Place, *, dead: bool) -> Any:
        if not isinstance(event, yaml.ScalarEvent):
            return None
        if event.tag is not None or not event.implicit[0]:
            return event.value
        if not dead:
            self._texts[path] = event.value
        try:
            return plain_value(event.value)
        except ScalarError as wrong:
            self._problem(str(wrong), self._keys.get(path, place), path)
            self._broken.add(path)
            return None

    def _add(self, value: Any) -> None:
        """Put a value that is complete where it belongs."""
        if not self._open:
            self._root = value
            return
        parent = self._open[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif not parent.awaits_value:
            parent.awaits_value = True  # a list or mapping in the place of a key has ended
        else:
            parent.awaits_value = False
            if not parent.key_is_dead:
                parent.value[parent.key] = value

    def _refuse_extras(self, event: yaml.NodeEvent, path: Path, place: Place) -> None:
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            self._problem(_ALIAS, place, path)
            if isinstance(event, yaml.AliasEvent):
                self._broken.add(path)
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            allowed = _STR_TAGS if isinstance(event, yaml.ScalarEvent) else frozenset()
            if event.tag is not None and event.tag not in allowed:
                self._problem(_TAGGED, place, path)
                self._broken.add(path)

    def _problem(self, message: str, place: Place, path: Path) -> None:
        self._problems.append(Problem(message, self._name, *place, dotted(path)))
