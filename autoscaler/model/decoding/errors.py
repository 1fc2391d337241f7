"""What is wrong with an input, as one sentence with the place and the fix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec


class InputError(ValueError):
    """An input that cannot be used. `str(error)` is `SOURCE: PLACE: what is wrong; the fix`, one line.

    `source`: the name of the file; `place`: where in it (`items[3] (Pod default/web-1)`, or line and column, `12:5`,
    which follow the file's name as compilers write them), or "".
    """

    def __init__(self, source: str, message: str, place: str = "") -> None:
        self.source, self.place, self.message = source, place, message
        start = f"{source}:{place}" if place[:1].isdigit() else f"{source}: {place}" if place else source
        super().__init__(" ".join(f"{start}: {message}".split()))


class FieldError(ValueError):
    """A value inside one object that cannot be used: `path` from the object's root, and what is wrong with it."""

    def __init__(self, path: str, message: str) -> None:
        self.path, self.message = path, message
        super().__init__(f"{path}: {message}" if path else message)

    def under(self, prefix: str) -> FieldError:
        """The same error as seen from further up."""
        path = f"{prefix}.{self.path}" if self.path and not self.path.startswith("[") else f"{prefix}{self.path}"
        return FieldError(path, self.message)


UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""What msgspec raises for bytes that it cannot decode."""


def untyped(data: msgspec.Raw | bytes) -> object:
    """The JSON value, None for what is none; for messages alone."""
    try:
        return msgspec.json.decode(data)
    except UNREADABLE:
        return None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean "known"?`, or "" where nothing is close."""
    close = difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def one_of(word: str, known: Sequence[str]) -> str:
    """`"word" is not one of a, b, c`, with the closest of them."""
    return f'"{word}" is not one of {", ".join(known)}{did_you_mean(word, known)}'


_AT = re.compile(r"(.*?)(?: - at (?:`(?P<path>.*)`|the key|.*))?", re.DOTALL)
_EXPECTED = re.compile(r"Expected `(?P<wanted>[^`]*)`(?P<bound> [<>]=? .*)?, got `(?P<got>\w+)`.*")
_BOUND = re.compile(r"Expected `(?P<wanted>[^`]*)` (?P<sign>[<>]=?) (?P<limit>-?\d+).*")
_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


def of_validation(error: msgspec.ValidationError, document: object) -> FieldError:
    """msgspec's error with the path in full and in the words of the file.

    msgspec writes `[...]` for a key of a mapping; `document`, the decoded input, tells which key it is.
    """
    found = _AT.fullmatch(str(error))
    text, path = (found[1], found["path"] or "$") if found else (str(error), "$")
    expected = _EXPECTED.fullmatch(text)
    bound = _BOUND.fullmatch(text)
    if expected:
        wanted = [kind for kind in expected["wanted"].split(" | ") if kind != "null"]
        said = "a quantity" if {"str", "int"} <= set(wanted) else " or ".join(_WORDS.get(k, k) for k in wanted)
        message = f"expected {said}, found {_WORDS.get(expected['got'], expected['got'])}"
        if wanted == ["str"] and expected["got"] in ("int", "float", "bool"):
            message += "; put it in quotes"
        return FieldError(_full_path(path, document, expected["got"]), message)
    if bound:
        limits = {">=": f"must be at least {bound['limit']}", "<=": f"must be at most {bound['limit']}"}
        message = "must not be negative" if bound["limit"] == "0" else limits.get(bound["sign"], text)
        return FieldError(_full_path(path, document, "int"), message)
    return FieldError(_full_path(path, document, ""), text[:1].lower() + text[1:])


def _full_path(path: str, document: object, got: str) -> str:
    steps = [step[1] or step[2] for step in _STEP.finditer(path.removeprefix("$"))]
    names = _resolve(steps, document, got)
    if names is None:
        return path.removeprefix("$").removeprefix(".")
    return "".join(f"[{n}]" if isinstance(n, int) else f".{n}" for n in names).removeprefix(".")


def _resolve(steps: Sequence[str], value: object, got: str) -> list[str | int] | None:
    """`steps` with each `...` replaced by the first key under which the wrong value is; None where none fits."""
    if not steps:
        return [] if not got or _type_word(value) == got else None
    head, rest = steps[0], steps[1:]
    if head == "...":
        entries: Iterable[tuple[str | int, object]]
        entries = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    elif isinstance(value, Mapping):
        entries = [(head, value.get(head))]
    elif isinstance(value, list) and head.isdigit() and int(head) < len(value):
        entries = [(int(head), value[int(head)])]
    else:
        return None
    for key, inner in entries:
        found = _resolve(rest, inner, got)
        if found is not None:
            return [key, *found]
    return None


def _type_word(value: object) -> str:
    """The name that msgspec gives to the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, Mapping) else type(value).__name__
