"""Pod specs by their bytes: a spec that was met before costs a look-up.

Two keys, both of them bytes. The first is the whole spec less what the control plane writes into each pod: the name
of its node and the random name of its token volume. The second are the bytes of the fields that scheduling reads;
it also knows pods again that differ in their environment or host name. Only a spec that is new by both is decoded
in full. Bytes are a pre-key alone: specs that are written differently and mean the same end as one object too,
through equality of the values.
"""

from __future__ import annotations

import dataclasses
import re
import sys

import msgspec

from autoscaler.model.decoding import wire_pod
from autoscaler.model.decoding.classes import Classes
from autoscaler.model.decoding.convert_meta import MEMO_LIMIT, decoded
from autoscaler.model.decoding.convert_pod_spec import Shape, pod_spec, shape
from autoscaler.model.decoding.convert_requests import Resize
from autoscaler.model.labels import NodeSelectorTerm
from autoscaler.model.pods import PodSpec
from autoscaler.model.resources import Amounts

WHOLE_LIMIT = 4096
"""Whole specs that are remembered; they are some kilobytes each."""

_NODE_NAME = b'"nodeName"'
_NODE_VALUE = re.compile(rb'"nodeName"\s*:\s*"([^"\\]*)"')
# The volume that the ServiceAccount admission plugin adds to pods: this and five random characters.
_TOKEN = b"kube-api-access-"
_TOKEN_LENGTH = len(_TOKEN) + 5
_SEPARATOR = b"\x1f"  # cannot occur in JSON: control characters are escaped
_decode_slices = msgspec.json.Decoder(wire_pod.SpecSlices).decode
_decode_spec = msgspec.json.Decoder(wire_pod.PodSpec).decode


class ShapeReader:
    """Reads specs to shapes and node names, for one set of priority and runtime classes."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._whole: dict[bytes, Shape] = {}
        self._sliced: dict[bytes, Shape] = {}
        self._specs: dict[PodSpec, PodSpec] = {}
        self._shapes: dict[Shape, Shape] = {}

    def read(self, raw: msgspec.Raw, *, daemon: bool) -> tuple[Shape, str]:
        """The shape and `spec.nodeName` ("" for none) of an undecoded spec.

        `daemon`: the pod belongs to a DaemonSet, whose controller pins each pod to its node by an affinity. Once
        such a pod is bound that affinity is gone from its shape, as `nodeName` is, so that the pods of a DaemonSet
        share one. Raises FieldError with the path from the pod's root.
        """
        whole = bytes(raw)
        key, node = _general(whole, daemon=daemon)
        found = self._whole.get(key)
        if found is not None:
            return found, sys.intern(node.decode())
        found, name = self._read_slices(whole, daemon=daemon)
        # The bytes taken for the node's name must be that; then they are in all specs with this key.
        if name.encode() == node and whole.count(_NODE_NAME) == bool(node) and len(self._whole) < WHOLE_LIMIT:
            self._whole[key] = found
        return found, name

    def intern(self, spec: PodSpec) -> PodSpec:
        """The one object that stands for all specs equal to this one."""
        return self._specs.setdefault(spec, spec)

    def requests(self, raw: msgspec.Raw, resize: Resize) -> Amounts:
        """The effective requests of a spec while they are being changed in place."""
        return pod_spec(decoded(_decode_spec, raw, "spec"), self.classes, resize).requests

    def _read_slices(self, whole: bytes, *, daemon: bool) -> tuple[Shape, str]:
        raw = msgspec.Raw(b"{}" if whole in (b"", b"null") else whole)
        slices = decoded(_decode_slices, raw, "spec")
        node = sys.intern(slices.node_name or "")
        pinned = daemon and bool(node)
        key = _key(slices, node if pinned else "")
        found = self._sliced.get(key)
        if found is None:
            made = shape(decoded(_decode_spec, raw, "spec"), self.classes)
            if pinned:
                made = dataclasses.replace(made, spec=_unpinned(made.spec))
            made = dataclasses.replace(made, spec=self.intern(made.spec))
            found = self._shapes.setdefault(made, made)
            if len(self._sliced) < MEMO_LIMIT:
                self._sliced[key] = found
        return found, node


def _general(whole: bytes, *, daemon: bool) -> tuple[bytes, bytes]:
    """A spec less the value of the first `nodeName` and the suffix of the token volume's name; and that value."""
    node = b""
    at = whole.find(_NODE_NAME)
    found = _NODE_VALUE.match(whole, at) if at >= 0 else None
    if found is not None:
        node = found[1]
        quoted = b'"' + node + b'"'
        if daemon and whole.count(quoted) == 2:  # in nodeName and in the affinity that pins the pod
            whole = b"pinned" + whole.replace(quoted, b'""')
        else:
            whole = (b"daemon" if daemon else b"") + whole[: found.start(1)] + whole[found.end(1) :]
    at = whole.find(_TOKEN)
    if at >= 0:
        whole = whole.replace(whole[at : at + _TOKEN_LENGTH], _TOKEN)
    return whole, node


def _key(slices: wire_pod.SpecSlices, pinned_to: str) -> bytes:
    """The bytes of the slices, each field in its place. `pinned_to`: the node whose name is left out."""
    affinity: msgspec.Raw | bytes = slices.affinity
    if pinned_to:
        name = b'"' + pinned_to.encode() + b'"'
        held = bytes(affinity)
        # Only where the name is there once: were it a value of something else too, two nodes would share a key.
        affinity = b"*" + held.replace(name, b"") if held.count(name) == 1 else b"+" + held
    parts: list[msgspec.Raw | bytes] = [
        affinity,
        slices.host_network,
        slices.node_selector,
        slices.overhead,
        slices.priority,
        slices.priority_class_name,
        slices.resource_claims,
        slices.resources,
        slices.runtime_class_name,
        slices.scheduler_name,
        slices.scheduling_gates,
        slices.scheduling_group,
        slices.termination_grace_period_seconds,
        slices.tolerations,
        slices.topology_spread_constraints,
        slices.workload_ref,
    ]
    for container in slices.containers or ():
        parts += (b"c", container.resources, container.ports, container.restart_policy)
    for container in slices.init_containers or ():
        parts += (b"i", container.resources, container.ports, container.restart_policy)
    for volume in slices.volumes or ():
        sources = (volume.empty_dir, volume.host_path, volume.persistent_volume_claim, volume.ephemeral)
        if any(len(source) for source in sources):
            parts += (b"v", (volume.name or "").encode(), *sources)
    return _SEPARATOR.join(parts)


def _unpinned(spec: PodSpec) -> PodSpec:
    """The spec less the affinity to one node (`ReplaceDaemonSetPodNodeNameNodeAffinity` in
    pkg/controller/daemon/util/daemonset_util.go)."""
    terms = spec.node_affinity
    if not terms or not any(term.fields for term in terms):
        return spec
    kept = tuple(NodeSelectorTerm(term.expressions) for term in terms if term.expressions)
    return dataclasses.replace(spec, node_affinity=kept or None)
