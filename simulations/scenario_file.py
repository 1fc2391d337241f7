"""A scenario from its file: read, changed by `--set`, and checked; every mistake with line, column, path and advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from policies.documents import Document, dotted, read_documents
from policies.documents import Path as Keys
from policies.loading import PolicyError, Problem, problems_of
from simulations.errors import InputError, one_line
from simulations.importers.table import read_text
from simulations.scenario import Scenario

_STEP = re.compile(r"\[\"([^\"]+)\"\]|\[(\d+)\]|([^.\[\]]+)")


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A scenario with the document that it came from."""

    path: Path
    scenario: Scenario
    document: Document

    def problem(self, keys: Keys, message: str) -> PolicyError:
        """A mistake at `keys`, found after the file as such was fine."""
        line, column = self.document.place(keys)
        return PolicyError(Problem(message, str(self.path), line, column, dotted(keys)))

    def file(self, name: str) -> Path:
        """A file that the scenario names, relative to its own folder."""
        return self.path.parent / name


def load_scenario(path: Path, sets: Sequence[str] = ()) -> ScenarioFile:
    """The scenario at `path`, with `sets` (`spec.seed=3`) in place. Raises PolicyError or InputError."""
    documents = read_documents(read_text(path), str(path))
    if len(documents) != 1:
        told = f"has {len(documents)} documents; a scenario is one"
        raise PolicyError(Problem(told, str(path)))
    document = documents[0]
    value = document.value
    if not isinstance(value, dict) or value.get("kind") != "Scenario":
        raise PolicyError(Problem("is no scenario; it begins with apiVersion and kind: Scenario", str(path), 1, 1))
    for text in sets:
        override(value, text)
    document = _with_places(document) if sets else document
    try:
        return ScenarioFile(path, Scenario.model_validate(value), document)
    except ValidationError as wrong:
        raise PolicyError(*problems_of(wrong, Scenario, document, str(path))) from None


def _with_places(document: Document) -> Document:
    """The document with a place for every value: what `--set` added stands where its nearest parent does."""
    places = dict(document.places)

    def note(value: Any, keys: Keys) -> None:
        places.setdefault(keys, document.place(keys))
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in inner:
            note(item, (*keys, key))

    note(document.value, ())
    return Document(document.value, places, document.keys)


def override(value: dict[str, Any], text: str) -> None:
    """Change one value of a document in place: `spec.supply.bootDelay.fixed=5m`, `spec.workload[0].gpusPerPod=4`.

    Mappings that are not there are made; items of lists have to be there. The new value is read as YAML. Raises
    InputError.
    """
    name, sign, given = text.partition("=")
    keys = _keys(name)
    if not sign or not keys:
        raise InputError("--set", None, f'"{text}" is not of the form spec.path=value; write it like spec.seed=3')
    try:
        new = yaml.safe_load(given)
    except yaml.YAMLError as wrong:
        raise InputError("--set", None, f"{name}: the value is no YAML ({one_line(wrong)}); quote it") from None
    at: Any = value
    for number, key in enumerate(keys):
        last = number == len(keys) - 1
        if isinstance(at, list):
            if not isinstance(key, int) or key >= len(at):
                told = f"{name}: the list {dotted(keys[:number])} has no item {key}; it has {len(at)}, from 0 on"
                raise InputError("--set", None, told)
        elif isinstance(at, dict):
            key = str(key)
            if not last and at.get(key) is None:
                at[key] = {}
        else:
            told = f"{name}: {dotted(keys[:number])} is neither a mapping nor a list; set it as a whole"
            raise InputError("--set", None, told)
        if last:
            at[key] = new
        else:
            at = at[key]


def _keys(name: str) -> Keys:
    """The steps of a path: `a.b[0]["c.d"]`; a number after a dot is an item of a list as well. () if it is no path."""
    keys: list[str | int] = []
    at = 0
    while at < len(name):
        found = _STEP.match(name, at)
        if found is None:
            return ()
        quoted, index, word = found.groups()
        keys.append(quoted if quoted else int(index if index else word) if index or word.isdigit() else word)
        at = found.end()
        if at < len(name) and name[at] == ".":
            at += 1
            if at == len(name):
                return ()
        elif at < len(name) and name[at] != "[":
            return ()
    return tuple(keys)
