"""The words of the shorthand, one by one: counts, resources, taints, owners, zones, durations."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

Doc = dict[str, Any]

OWNER_APIS = {"Job": "batch/v1", "Node": "v1", **dict.fromkeys(("ReplicaSet", "DaemonSet", "StatefulSet"), "apps/v1")}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def numbered(items: Iterable[Doc] | None) -> Iterable[Doc]:
    """`{name: n, count: 2}` as n-1 and n-2, and the pods on them as p-1 and p-2."""
    for item in items or ():
        if "count" not in item:
            yield item
            continue
        rest = {key: value for key, value in item.items() if key != "count"}
        for number in range(1, item["count"] + 1):
            one = {**rest, "name": f"{item['name']}-{number}"}
            if "pods" in rest:
                one["pods"] = [{**pod, "name": f"{pod['name']}-{number}"} for pod in rest["pods"]]
            yield one


def resources(short: Mapping[str, Any], *, cpu: str = "8", memory: str = "64Gi") -> dict[str, str]:
    """The resources that a pool, node or pod names; "absent" ones left out."""
    found = {"cpu": short.get("cpu", cpu), "memory": short.get("mem", memory)}
    if short.get("disk") is not None:
        found["ephemeral-storage"] = short["disk"]
    if short.get("gpu") and not isinstance(short["gpu"], str):
        found["nvidia.com/gpu"] = short["gpu"]
    found |= {f"nvidia.com/{key}": value for key, value in short.items() if key.startswith("mig-")}
    found |= short.get("res") or {}
    return {key: str(value) for key, value in found.items() if value not in ("absent", None)}


def taints(items: Iterable[str | Doc]) -> list[Doc]:
    """`key=value:Effect` spelled out."""
    found = []
    for item in items:
        if isinstance(item, str):
            head, _, effect = item.rpartition(":")
            key, _, value = head.partition("=")
            item = {"key": key, "effect": effect} | ({"value": value} if value else {})
        found.append(item)
    return found


def reference(owner: str, pod: str) -> Doc:
    """The controlling owner reference of `Kind/name`; the name follows from the pod's where it is left out."""
    kind, _, name = owner.partition("/")
    name = name or pod.rsplit("-", 1)[0]
    api = OWNER_APIS.get(kind, "kubeflow.org/v1")
    return {"apiVersion": api, "kind": kind, "name": name, "uid": f"uid-owner-{name}", "controller": True}


def zones_of(pool: Mapping[str, Any]) -> list[str]:
    """The zones of a pool, one group each."""
    return list(pool.get("zones") or [pool.get("zone", "zone-a")])


def group_name(pool: str, short: Mapping[str, Any], zone: str) -> str:
    """The name of a pool's group in a zone."""
    return f"{pool}-{zone}" if len(zones_of(short)) > 1 else pool


def of_zone(given: Any, zone: str, first: str, default: Any) -> Any:
    """A value given by zone, or plainly for the first zone."""
    if isinstance(given, Mapping):
        return given.get(zone, default)
    return given if given is not None and zone == first else default


def strings(items: Mapping[str, object]) -> dict[str, str]:
    """The values as text."""
    return {key: str(value) for key, value in items.items()}


def merged(base: Doc, more: Mapping[str, Any] | None) -> Doc:
    """`more` over `base`, key by key; lists and scalars of `more` win."""
    found = copy.deepcopy(base)
    for key, value in (more or {}).items():
        both = isinstance(value, Mapping) and isinstance(found.get(key), dict)
        found[key] = merged(found[key], value) if both else value
    return found


def duration(text: object) -> timedelta:
    """A Go-style duration, perhaps negative; a plain number is seconds. Raises ValueError."""
    if isinstance(text, int | float):
        return timedelta(seconds=text)
    whole = str(text).removeprefix("-")
    parts = re.findall(r"(\d+(?:\.\d+)?)([smhd])", whole)
    if not parts or "".join(number + unit for number, unit in parts) != whole:
        raise ValueError(f"{text!r} is not a duration such as 1h30m")
    total = sum((timedelta(**{UNITS[unit]: float(number)}) for number, unit in parts), timedelta())
    return -total if str(text).startswith("-") else total
