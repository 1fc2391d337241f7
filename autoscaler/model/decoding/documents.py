"""Which format an input has, and its documents: JSON or YAML, told by content and not by the name of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from autoscaler.model.decoding import wire
from autoscaler.model.decoding.errors import UNREADABLE, InputError, of_validation, untyped
from autoscaler.model.decoding.yaml_documents import Progress, yaml_documents

YAML_MAX = 64 << 20
"""Bytes of YAML that are read: about ten seconds. JSON is read a hundred times faster."""

EXPECTED = "what `kubectl get nodes,pods,pdb,daemonsets -A -o json` prints"

_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*(?:[\[\]\"]|\{\s*[\"}]))")
_BETWEEN = re.compile(rb"\}[ \t\r]*\n\s*(?=\{)")
_OFFSET = re.compile(r" \(byte (\d+)\)")

_decode_page = msgspec.json.Decoder(wire.Page).decode
_decode_array = msgspec.json.Decoder(list[msgspec.Raw]).decode


@dataclass(frozen=True, slots=True)
class Document:
    """One document: the pieces of JSON that are its objects.

    `kind`, `api_version`: of the document, "" for a bare array. `is_list`: `items` are the elements of a list, else
    the one object. `message`: what a Status says. `place`: which document of the input it is, "" for the only one.
    """

    items: Sequence[msgspec.Raw]
    kind: str
    api_version: str
    is_list: bool
    message: str
    place: str


def documents(data: bytes, source: str, progress: Progress | None = None) -> Iterator[Document]:
    """The documents of an input, empty ones left out. `progress` is told how many bytes of YAML are parsed.

    Raises InputError for what is empty, compressed, binary, in another encoding than UTF-8, cut off or malformed.
    """
    data = checked_text(data, source, EXPECTED)
    if looks_like_json(data):
        yield from _json_documents(data, source)
        return
    if len(data) > YAML_MAX:
        raise InputError(
            source,
            f"is {len(data) >> 20:,} MiB of YAML, and YAML over {YAML_MAX >> 20} MiB is not read; use `-o json`",
        )
    found = [d for d in yaml_documents(data, source, split_items=True, progress=progress) if d is not None]
    if not found:
        raise InputError(source, f"holds no object; expected {EXPECTED}")
    for i, value in enumerate(found, 1):
        place = f"document {i}" if len(found) > 1 else ""
        if not isinstance(value, dict | list):
            raise InputError(source, f"holds {_kind_of(value)}; expected {EXPECTED}", place)
        yield _from_value(value, source, place)


def looks_like_json(data: bytes) -> bool:
    """True for what starts as a JSON object or array; YAML in flow style, `{kind: List}`, does not."""
    return _JSON.match(data) is not None


def checked_text(data: bytes, source: str, expected: str) -> bytes:
    """The bytes less a byte order mark; InputError for what is not UTF-8 text at first sight."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(source, "is UTF-16 text (PowerShell's `>` writes it); save it as UTF-8")
    if data.startswith(b"\x1f\x8b"):
        raise InputError(source, "is compressed with gzip; unpack it first (gunzip)")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data.strip():
        raise InputError(source, f"is empty; expected {expected}")
    if b"\0" in data[:65536]:
        raise InputError(source, f"is a binary file; expected {expected}")
    return data


def _kind_of(value: object) -> str:
    return {str: "a string", bool: "true or false", int: "a number", float: "a number", dict: "a mapping"}.get(
        type(value), "nothing"
    )


def _from_value(value: dict[str, object] | list[msgspec.Raw], source: str, place: str) -> Document:
    if isinstance(value, list):
        return Document(value, "", "", is_list=True, message="", place=place)
    head = {key: part for key, part in value.items() if key != "items"}
    items = value.get("items")
    try:
        page = msgspec.convert(head, wire.Page)
    except msgspec.ValidationError as error:
        raise InputError(source, str(of_validation(error, head)), place) from None
    if items is not None and not isinstance(items, list):
        raise InputError(source, f"items: expected a list, found {_kind_of(items)}", place)
    page.items = items
    whole = page.items is None and not _names_a_list(page)
    return _document(page, msgspec.Raw(msgspec.json.encode(value)) if whole else None, place)


def _json_documents(data: bytes, source: str) -> Iterator[Document]:
    """One JSON text, or several, each from a new line on (JSON lines, or the output of several commands)."""
    try:
        yield _json_document(data, "")
        return
    except msgspec.ValidationError as error:
        raise InputError(source, str(of_validation(error, untyped(data)))) from None
    except msgspec.DecodeError as error:
        pieces = _BETWEEN.split(data) if "trailing characters" in str(error) else []
        if len(pieces) < 2:
            raise malformed_json(error, data, source) from None
    except RecursionError:
        raise InputError(source, "is nested too deeply to be Kubernetes objects") from None
    except UnicodeDecodeError:
        raise InputError(source, "is not text in UTF-8; save it as UTF-8") from None
    del data
    for i, piece in enumerate(pieces, 1):
        whole = piece if i == len(pieces) else piece + b"}"
        try:
            yield _json_document(whole, f"document {i}")
        except UNREADABLE as error:
            raise InputError(source, f"is not valid JSON ({_lower(str(error))})", f"document {i}") from None


def _json_document(data: bytes, place: str) -> Document:
    if data.lstrip()[:1] == b"[":
        return Document(_decode_array(data), "", "", is_list=True, message="", place=place)
    page = _decode_page(data)
    return _document(page, None if page.items is not None or _names_a_list(page) else msgspec.Raw(data), place)


def _names_a_list(page: wire.Page) -> bool:
    return (page.kind or "").endswith("List")


def _document(page: wire.Page, whole: msgspec.Raw | None, place: str) -> Document:
    """`whole` None: a list."""
    return Document(
        items=(page.items or ()) if whole is None else (whole,),
        kind=page.kind or "",
        api_version=page.api_version or "",
        is_list=whole is None,
        message=page.message if isinstance(page.message, str) else "",
        place=place,
    )


def malformed_json(error: msgspec.DecodeError, data: bytes, source: str) -> InputError:
    """Where and why a text is no JSON."""
    said = str(error)
    if "truncated" in said:
        return InputError(source, f"ends in the middle, after {len(data):,} bytes; write the file again")
    at = _OFFSET.search(said)
    if at is None:
        return InputError(source, f"is not valid JSON ({_lower(said)})")
    offset = int(at[1])
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset)
    reason = _OFFSET.sub("", said).removeprefix("JSON is malformed: ")
    return InputError(source, f"is not valid JSON ({_lower(reason)})", f"{line}:{column}")


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
