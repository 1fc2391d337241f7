"""Kubernetes objects as mappings, and their decoding, for the tests beside this file."""

from __future__ import annotations

import json
from typing import Any

from autoscaler.model.decoding.objects import decode_objects
from autoscaler.model.pods import Pod, PodSpec
from autoscaler.model.snapshot import Snapshot

Object = dict[str, Any]
SOURCE = "cluster.json"


def thing(kind: str, name: str, api_version: str = "v1", **fields: Any) -> Object:
    """An object; `meta` goes into its metadata."""
    meta = fields.pop("meta", {})
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **meta}, **fields}


def pod(name: str = "p", spec: Object | None = None, status: Object | None = None, **meta: Any) -> Object:
    """A pod in `default`."""
    return thing(
        "Pod", name, spec=spec or {}, status=status or {"phase": "Pending"}, meta={"namespace": "default", **meta}
    )


def container(requests: Object | None = None, limits: Object | None = None, **fields: Any) -> Object:
    """A container with these resources."""
    resources = {key: value for key, value in (("requests", requests), ("limits", limits)) if value is not None}
    return {"name": "c", "resources": resources, **fields}


def listed(*objects: Object, **fields: Any) -> bytes:
    """What `kubectl get -o json` prints."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects), **fields}).encode()


def snapshot(*objects: Object) -> Snapshot:
    """The decoded view of a cluster with these objects."""
    return decode_objects(listed(*objects), SOURCE).snapshot()


def decoded_pod(found: Object, *others: Object) -> Pod:
    """The one pod of a cluster that also has `others`."""
    (only,) = snapshot(*others, found).pods
    return only


def decoded_spec(spec: Object, *others: Object) -> PodSpec:
    """The spec of a pod with this spec."""
    return decoded_pod(pod(spec=spec), *others).spec
