"""Metadata, selectors and taints: wire -> model. Equal label sets and owners become one object."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from autoscaler.model.decoding import wire
from autoscaler.model.decoding.errors import FieldError, of_validation, untyped
from autoscaler.model.instants import parse_rfc3339
from autoscaler.model.labels import NO_LABELS, Labels, LabelSelector, NodeSelectorTerm, Requirement
from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Owner

T = TypeVar("T")

MEMO_LIMIT = 1 << 16
"""Entries that a memo of bytes may hold; past it new values are decoded each time, so that memory stays bounded."""

ANNOTATIONS = (
    "cluster-autoscaler.kubernetes.io/",
    "gpu-autoscaler.dev/",
    "karpenter.sh/",
    "kubernetes.io/config.mirror",
    "kueue.x-k8s.io/",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.",
)
"""Prefixes of the annotations that are kept; all others (last-applied configurations and the like) are dropped."""

_Strings = dict[str, str | None]
_decode_strings = msgspec.json.Decoder(_Strings).decode
_decode_owners = msgspec.json.Decoder(list[wire.OwnerReference]).decode


def text(value: str | None) -> str:
    """The string, "" for none."""
    return value or ""


def decoded(decode: Callable[[msgspec.Raw], T], raw: msgspec.Raw, path: str) -> T:
    """`raw` decoded, a refusal told as a FieldError under `path`."""
    try:
        return decode(raw)
    except msgspec.ValidationError as error:
        found = of_validation(error, untyped(raw))
        raise (found.under(path) if path else found) from None


def _may_matter(annotations: bytes) -> bool:
    """False for annotations none of which is kept: looking for parts of their keys is cheaper than decoding."""
    return (
        b"autoscaler" in annotations
        or b"scheduling." in annotations
        or b"karpenter.sh/" in annotations
        or b"kueue.x-k8s.io/" in annotations
        or b"config.mirror" in annotations
        or b"\\u" in annotations  # a key may be written with escapes
    )


def strings(items: Mapping[str, str | None]) -> Labels:
    """A label set of interned strings. A null counts as "", as in Go."""
    return Labels({sys.intern(k): sys.intern(v or "") for k, v in items.items()}) if items else NO_LABELS


class MetaReader:
    """Reads labels, annotations, owners and instants; what was read before is looked up by its bytes."""

    def __init__(self) -> None:
        self._labels: dict[bytes, Labels] = {b"": NO_LABELS, b"null": NO_LABELS, b"{}": NO_LABELS}
        self._owners: dict[bytes, Owner | None] = {b"": None, b"null": None, b"[]": None}
        self._instants: dict[str, float] = {}
        self._seen: dict[Labels, Labels] = {NO_LABELS: NO_LABELS}

    def labels(self, raw: msgspec.Raw) -> Labels:
        """`metadata.labels`."""
        key = bytes(raw)
        found = self._labels.get(key)
        if found is None:
            found = strings(decoded(_decode_strings, raw, "metadata.labels"))
            found = self._seen.setdefault(found, found)
            if len(self._labels) < MEMO_LIMIT:
                self._labels[key] = found
        return found

    def annotations(self, raw: msgspec.Raw) -> Labels:
        """`metadata.annotations`, those of `ANNOTATIONS` alone."""
        if not len(raw):
            return NO_LABELS
        held = bytes(raw)
        if held == b"null" or not _may_matter(held):
            return NO_LABELS
        found = decoded(_decode_strings, raw, "metadata.annotations")
        kept = strings({k: v for k, v in found.items() if k.startswith(ANNOTATIONS)})
        if len(self._seen) >= MEMO_LIMIT:
            return kept
        return self._seen.setdefault(kept, kept)

    def owner(self, raw: msgspec.Raw) -> Owner | None:
        """The reference of `metadata.ownerReferences` that controls (metav1.GetControllerOf); others own nothing."""
        key = bytes(raw)
        if key in self._owners:
            return self._owners[key]
        references = decoded(_decode_owners, raw, "metadata.ownerReferences")
        made = next((_owner(r) for r in references if r.controller), None)
        if len(self._owners) < MEMO_LIMIT:
            self._owners[key] = made
        return made

    def instant(self, value: str, path: str) -> float:
        """Seconds since the epoch of an RFC 3339 time."""
        found = self._instants.get(value)
        if found is None:
            try:
                found = parse_rfc3339(value)
            except ValueError as error:
                raise FieldError(path, str(error)) from None
            if len(self._instants) < MEMO_LIMIT:
                self._instants[value] = found
        return found

    def created(self, meta: wire.Meta) -> float:
        """`metadata.creationTimestamp`; 0.0 for an object that was never in a cluster."""
        value = meta.creation_timestamp
        return self.instant(value, "metadata.creationTimestamp") if value else 0.0

    def deleted(self, meta: wire.Meta) -> float | None:
        """`metadata.deletionTimestamp`: when the grace period ends, None for an object that is not being deleted."""
        value = meta.deletion_timestamp
        return self.instant(value, "metadata.deletionTimestamp") if value else None


def _owner(reference: wire.OwnerReference) -> Owner:
    return Owner(text(reference.kind), text(reference.name), text(reference.uid), text(reference.api_version))


def named(meta: wire.Meta | None) -> wire.Meta:
    """The metadata of an object that has a name; FieldError for one that has none."""
    if meta is None or not meta.name:
        raise FieldError("metadata.name", "is missing; every object needs a name")
    return meta


def all_annotations(meta: wire.Meta | None) -> _Strings:
    """Every annotation of an object, for those that are no rules of an autoscaler and are not kept."""
    if meta is None or bytes(meta.annotations) in (b"", b"null"):
        return {}
    return decoded(_decode_strings, meta.annotations, "metadata.annotations")


def owners(meta: wire.Meta) -> list[wire.OwnerReference]:
    """Every owner of an object, the controlling one or not."""
    if bytes(meta.owner_references) in (b"", b"null"):
        return []
    return decoded(_decode_owners, meta.owner_references, "metadata.ownerReferences")


def namespace(meta: wire.Meta) -> str:
    """The namespace, `default` where none is written."""
    return sys.intern(meta.namespace or "default")


def requirement(expression: wire.Expression) -> Requirement:
    """One expression; values are sorted where their order means nothing."""
    return Requirement(
        text(expression.key), text(expression.operator), tuple(sorted(dict.fromkeys(expression.values or ())))
    )


def _requirements(expressions: Iterable[wire.Expression] | None) -> tuple[Requirement, ...]:
    made = {requirement(e) for e in expressions or ()}
    return tuple(sorted(made, key=lambda r: (r.key, r.operator, r.values)))


def label_selector(selector: wire.LabelSelector | None) -> LabelSelector | None:
    """A LabelSelector with `matchLabels` folded in; None (Kubernetes' nil) stays None and matches nothing."""
    if selector is None:
        return None
    labels = [wire.Expression(k, "In", [v or ""]) for k, v in (selector.match_labels or {}).items()]
    return LabelSelector(_requirements([*labels, *(selector.match_expressions or ())]))


def node_term(term: wire.NodeSelectorTerm) -> NodeSelectorTerm:
    """A node selector term."""
    return NodeSelectorTerm(_requirements(term.match_expressions), _requirements(term.match_fields))


def node_terms(selector: wire.NodeSelector | None) -> tuple[NodeSelectorTerm, ...] | None:
    """The alternatives of a node selector, sorted; None where there is no selector, () for one that matches no node."""
    if selector is None:
        return None
    return tuple(sorted({node_term(t) for t in selector.node_selector_terms or ()}, key=repr))


def taint(found: wire.Taint) -> Taint:
    """A taint."""
    return Taint(text(found.key), text(found.value), text(found.effect))
