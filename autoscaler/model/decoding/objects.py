"""Objects of a cluster from files or responses, in any order and any packing, to one view of the cluster."""

from __future__ import annotations

import gc
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from autoscaler.model.decoding import wire
from autoscaler.model.decoding.collector import Objects
from autoscaler.model.decoding.documents import Document, documents
from autoscaler.model.decoding.errors import UNREADABLE, FieldError, InputError, of_validation, untyped
from autoscaler.model.decoding.kinds import KINDS, Kind
from autoscaler.model.decoding.pods import PodReader
from autoscaler.model.decoding.yaml_documents import Progress

T = TypeVar("T")

PROGRESS_STEP = 10_000
_OURS = "gpu-autoscaler.dev"
_FLAGS = {"CloudState": "--cloud", "ControllerState": "--state"}

# Serialized objects begin with these two; then nothing else needs to be looked at to know what an object is.
_HEAD = re.compile(rb'\s*\{\s*"apiVersion"\s*:\s*"([^"\\]*)"\s*,\s*"kind"\s*:\s*"([^"\\]*)"')
_decode_head = msgspec.json.Decoder(wire.Head).decode
_decode_page = msgspec.json.Decoder(wire.Page).decode


class _Name(msgspec.Struct, gc=False):
    name: str | None = None
    namespace: str | None = None


class _Named(msgspec.Struct, gc=False):
    metadata: _Name | None = None


_decode_named = msgspec.json.Decoder(_Named).decode


@dataclass(slots=True)
class _Bucket:
    """The objects of one kind, undecoded; `where[i]` tells the place of `raws[i]`."""

    group: str
    kind: str
    raws: list[msgspec.Raw] = field(default_factory=list)
    where: array[int] = field(default_factory=lambda: array("Q"))


def decode_objects(
    data: bytes | Sequence[bytes | Mapping[str, object]],
    source: str,
    progress: Progress | None = None,
) -> Objects:
    """Read Kubernetes objects.

    `data`: JSON or YAML as bytes, or several such documents (pages of a list, or objects as mappings). A document
    is a `kind: List`, a typed list (`PodList`; its items need no kind), an object, or an array of objects; lists may
    hold lists. The order of objects changes nothing. Kinds that decisions do not read are counted in
    `Objects.skipped`.

    `progress` is called with what is done and what there is in all: bytes while YAML is parsed, then objects.
    `source` names the input in errors. Raises InputError for the first object that cannot be read: one sentence
    with the index, kind and name of the object, the path of the field, and the fix.
    """
    with _no_collections():
        try:
            return _Reading(source, progress).of(data)
        except RecursionError:
            raise InputError(source, "is nested too deeply to be Kubernetes objects") from None


@contextmanager
def _no_collections() -> Iterator[None]:
    """Without the cyclic garbage collector: nothing here makes cycles, and its passes would take most of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class _Reading:
    """One reading: first every object is told apart by kind, then kind after kind is decoded."""

    def __init__(self, source: str, progress: Progress | None) -> None:
        self._source = source
        self._progress = progress
        self._buckets: dict[tuple[str, str], _Bucket] = {}
        self._heads: dict[tuple[bytes, bytes], _Bucket] = {}
        self._lists: list[str] = []

    def of(self, data: bytes | Sequence[bytes | Mapping[str, object]]) -> Objects:
        """Read everything."""
        pieces = [data] if isinstance(data, bytes) else data
        for i, piece in enumerate(pieces):
            held = piece if isinstance(piece, bytes) else msgspec.json.encode(piece)
            for document in documents(held, self._source, self._progress):
                place = f"document {i + 1}" if len(pieces) > 1 else document.place
                self._sort(document, place)
        return self._decode()

    def _sort(self, document: Document, place: str) -> None:
        """Put the objects of a document into the buckets of their kinds."""
        if document.kind == "Status":
            said = document.message or "no message"
            raise InputError(self._source, f"is an error of the API server ({said}); run the command again", place)
        kind = document.kind.removesuffix("List") if document.is_list else ""
        group = _group(document.api_version)
        start = f"{place}, " if place else ""
        self._lists.append(f"{start}items[{{}}]" if document.is_list else place)
        base = (len(self._lists) - 1) << 40
        typed = self._bucket(group, kind) if kind else None
        for i, raw in enumerate(document.items):
            bucket = typed or self._bucket_of(raw, base | i)
            if bucket is None:
                continue
            bucket.raws.append(raw)
            bucket.where.append(base | i)

    def _bucket_of(self, raw: msgspec.Raw, where: int) -> _Bucket | None:
        """The bucket for an object by its own kind; None for a list, whose items have been sorted."""
        found = _HEAD.match(raw)
        if found is not None:
            key = (found[1], found[2])
            known = self._heads.get(key)
            if known is not None:
                return known
        head = self._guarded(_decode_head, raw, where, "")
        kind, group = head.kind or "", _group(head.api_version or "")
        if not kind or not head.api_version:
            missing = "apiVersion" if kind else "kind"
            raise self._refusal(
                FieldError(missing, "is missing; every object needs apiVersion and kind"), raw, where, kind
            )
        if kind.endswith("List") and (group, kind) not in KINDS:
            page = self._guarded(_decode_page, raw, where, kind)
            if page.items is not None:
                inner = Document(page.items, kind, page.api_version or "", is_list=True, message="", place="")
                self._sort(inner, self._place(where))
                return None
        bucket = self._bucket(group, kind)
        if found is not None:
            self._heads[found[1], found[2]] = bucket
        return bucket

    def _bucket(self, group: str, kind: str) -> _Bucket:
        if group == _OURS:
            fix = f"give it with {_FLAGS[kind]}" if kind in _FLAGS else "give it with --policy"
            raise InputError(self._source, f"holds a {kind}, which is not an object of a cluster; {fix}")
        return self._buckets.setdefault((group, kind), _Bucket(group, kind))

    def _decode(self) -> Objects:
        """Decode the buckets, those first that others are read with."""
        into = Objects()
        reader = PodReader(into.classes, into.gangs)
        total = sum(len(b.raws) for b in self._buckets.values())
        done = 0
        read: list[tuple[int, str, str, Kind, _Bucket]] = []
        for (group, kind), bucket in self._buckets.items():
            handler = KINDS.get((group, kind))
            if handler is None:
                into.skipped[f"{group}/{kind}" if group else kind] += len(bucket.raws)
                done += len(bucket.raws)
            else:
                read.append((handler.rank, group, kind, handler, bucket))
        for _, _, _, handler, bucket in sorted(read, key=lambda r: r[:3]):
            for i, raw in enumerate(bucket.raws):
                try:
                    handler.read(into, reader, raw)
                except (FieldError, *UNREADABLE) as error:
                    raise self._refusal(error, raw, bucket.where[i], bucket.kind) from None
                done += 1
                if self._progress is not None and done % PROGRESS_STEP == 0:
                    self._progress(done, total)
        if self._progress is not None:
            self._progress(total, total)
        into.gangs_of_pods = reader.gangs_of_pods
        return into

    def _guarded(self, decode: Callable[[msgspec.Raw], T], raw: msgspec.Raw, where: int, kind: str) -> T:
        try:
            return decode(raw)
        except UNREADABLE as error:
            raise self._refusal(error, raw, where, kind) from None

    def _place(self, where: int) -> str:
        return self._lists[where >> 40].format(where & ((1 << 40) - 1))

    def _refusal(self, error: Exception, raw: msgspec.Raw, where: int, kind: str) -> InputError:
        """The error with the object's place, kind and name."""
        what = f"{kind} {_name_of(raw)}".strip()
        place = self._place(where)
        full = f"{place} ({what})" if place and what else place or what
        if isinstance(error, RecursionError):
            return InputError(self._source, "is nested too deeply to be a Kubernetes object", full)
        if isinstance(error, msgspec.ValidationError):
            error = of_validation(error, untyped(raw))
        if isinstance(error, FieldError):
            return InputError(self._source, str(error), full)
        return InputError(self._source, f"is not readable ({error}); write the file again, in UTF-8", full)


def _name_of(raw: msgspec.Raw) -> str:
    """`namespace/name` as far as the object has them, for messages alone."""
    try:
        meta = _decode_named(raw).metadata
    except UNREADABLE:
        return ""
    return "/".join(part for part in (meta.namespace, meta.name) if part) if meta else ""


def _group(api_version: str) -> str:
    """The API group: `apps` of `apps/v1`, "" of `v1`."""
    return api_version.rpartition("/")[0]
