"""ControllerState: what the controller remembers between passes, from and to its document."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from autoscaler.model.decoding.errors import FieldError, InputError, one_of
from autoscaler.model.decoding.strict import API_VERSION, decode_strict, instant
from autoscaler.model.decoding.wire import Count
from autoscaler.model.instants import rfc3339
from autoscaler.model.memory import Futility, Memory, PoolMemory, Raise, Removal, Writer
from autoscaler.model.nodes import ErrorClass, LaunchError

KIND = "ControllerState"
SCHEMA_VERSION = 1
"""Grows when an older controller would misread the document; keys that it may ignore do not count."""


class _Pool(Struct, gc=False, rename="camel"):
    last_scale_up_at: str | None = None
    last_scale_down_at: str | None = None
    consecutive_failures: Count | None = None
    backoff_until_at: str | None = None
    backoff_until: str | None = None
    backoff_cause: str | None = None
    missing: str | None = None
    failures_until_at: str | None = None


class _Removal(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    at: str | None = None
    pool: str | None = None
    reason: str | None = None
    instance: str | None = None


class _Raise(Struct, gc=False, rename="camel"):
    at: str
    pool: str
    group: str
    size_from: Count
    size_to: Count


class _Refusal(Struct, gc=False, rename="camel"):
    at: str
    code: str
    message: str = ""


class _Futility(Struct, gc=False, rename="camel"):
    nodes: Count
    since: str
    at: str
    until: str | None = None
    times: Count = 0


class _Writer(Struct, gc=False, rename="camel"):
    epoch: Count
    holder: str = ""


class _ControllerState(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    api_version: str
    kind: str
    metadata: dict[str, Any] | None = None
    pools: dict[str, _Pool | None] | None = None
    schema_version: Count | None = None
    removals: list[_Removal] | None = None
    raises: list[_Raise] | None = None
    refusals: dict[str, list[_Refusal]] | None = None
    futility: dict[str, _Futility] | None = None
    policy: str | None = None
    held_policy: str | None = None
    writer: _Writer | None = None
    paused: bool | None = None
    paused_until: str | None = None
    pause_reason: str | None = None


def decode_memory(data: bytes, source: str) -> Memory:
    """The state in a ControllerState document (YAML or JSON); removals are sorted.

    Unknown keys at the top are refused. Unknown keys of a pool are ignored: a newer controller may have written
    them, and an older one that takes over must be able to start. Raises InputError.
    """
    document = decode_strict(data, source, KIND, _ControllerState)
    if (document.schema_version or 1) > SCHEMA_VERSION:
        problem = f"schemaVersion {document.schema_version} is newer than this program's {SCHEMA_VERSION}"
        raise InputError(source, f"{problem}; use the version of gpu-autoscaler that wrote it, or a newer one")
    try:
        pools = {
            name: _pool(found or _Pool(), f"pools.{name}") for name, found in sorted((document.pools or {}).items())
        }
        removals = [_removal(found, f"removals[{i}]") for i, found in enumerate(document.removals or ())]
        raises = [
            Raise(_at(r.at, f"raises[{i}].at"), r.pool, r.group, r.size_from, r.size_to)
            for i, r in enumerate(document.raises or ())
        ]
        refusals = {
            group: tuple(_refusal(r, f"refusals.{group}[{i}]") for i, r in enumerate(found))
            for group, found in sorted((document.refusals or {}).items())
        }
        futility = {k: _futility(f, f"futility.{k}") for k, f in sorted((document.futility or {}).items())}
        until = instant(document.paused_until, "pausedUntil")
    except FieldError as error:
        raise InputError(source, str(error)) from None
    return Memory(
        pools=pools,
        removals=tuple(sorted(removals, key=_removal_order)),
        raises=tuple(sorted(raises, key=_raise_order)),
        refusals=refusals,
        futility=futility,
        policy=document.policy or "",
        held_policy=document.held_policy or "",
        writer=Writer(document.writer.epoch, document.writer.holder) if document.writer is not None else Writer(),
        paused=bool(document.paused),
        paused_until=until,
        pause_reason=document.pause_reason or "",
    )


def _removal_order(removal: Removal) -> tuple[float, str, str, str]:
    return removal.at, removal.pool, removal.reason, removal.instance


def _raise_order(asked: Raise) -> tuple[float, str, int]:
    return asked.at, asked.group, asked.size_to


def _at(text: str, path: str) -> float:
    found = instant(text, path)
    if found is None:
        raise FieldError(path, "is missing; an RFC 3339 instant is expected")
    return found


def _refusal(found: _Refusal, path: str) -> LaunchError:
    if found.code not in list(ErrorClass):
        raise FieldError(f"{path}.code", one_of(found.code, list(ErrorClass)))
    return LaunchError(_at(found.at, f"{path}.at"), ErrorClass(found.code), found.message)


def _futility(found: _Futility, path: str) -> Futility:
    since, at = _at(found.since, f"{path}.since"), _at(found.at, f"{path}.at")
    return Futility(found.nodes, since, at, instant(found.until, f"{path}.until"), found.times)


def _pool(found: _Pool, path: str) -> PoolMemory:
    cause = found.backoff_cause
    if cause and cause not in list(ErrorClass):
        raise FieldError(f"{path}.backoffCause", one_of(cause, list(ErrorClass)))
    key = "backoffUntil" if found.backoff_until_at is None else "backoffUntilAt"
    return PoolMemory(
        last_scale_up=instant(found.last_scale_up_at, f"{path}.lastScaleUpAt"),
        last_scale_down=instant(found.last_scale_down_at, f"{path}.lastScaleDownAt"),
        consecutive_failures=found.consecutive_failures or 0,
        backoff_until=instant(found.backoff_until_at or found.backoff_until, f"{path}.{key}"),
        backoff_cause=ErrorClass(cause) if cause else None,
        missing=found.missing or "",
        failures_until=instant(found.failures_until_at, f"{path}.failuresUntilAt"),
    )


def _removal(found: _Removal, path: str) -> Removal:
    for key in ("at", "pool", "reason"):
        if not getattr(found, key):
            raise FieldError(f"{path}.{key}", "is missing; a removal has at, pool and reason")
    return Removal(instant(found.at, f"{path}.at") or 0.0, found.pool or "", found.reason or "", found.instance or "")


def encode_memory(memory: Memory) -> dict[str, Any]:
    """The ControllerState document, plain JSON values; what is unset is left out.

    `decode_memory` gives the same memory again, instants to the microsecond.
    """
    document: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "pools": {name: _pool_document(memory.pools[name]) for name in sorted(memory.pools)},
        "removals": [_removal_document(r) for r in sorted(memory.removals, key=_removal_order)],
        **_raises_document(memory),
        "policy": memory.policy or None,
        "heldPolicy": memory.held_policy or None,
        "writer": _writer_document(memory.writer),
        "paused": memory.paused,
        "pausedUntil": None if memory.paused_until is None else rfc3339(memory.paused_until),
        "pauseReason": memory.pause_reason or None,
    }
    return {key: value for key, value in document.items() if value is not None}


def _removal_document(removal: Removal) -> dict[str, Any]:
    document = {"at": rfc3339(removal.at), "pool": removal.pool, "reason": removal.reason}
    return {**document, "instance": removal.instance} if removal.instance else document


def _raises_document(memory: Memory) -> dict[str, Any]:
    raises = [
        {"at": rfc3339(r.at), "pool": r.pool, "group": r.group, "sizeFrom": r.size_from, "sizeTo": r.size_to}
        for r in sorted(memory.raises, key=_raise_order)
    ]
    refusals = {
        group: [{"at": rfc3339(e.at), "code": str(e.code), "message": e.message} for e in memory.refusals[group]]
        for group in sorted(memory.refusals)
    }
    futility = {key: _futility_document(memory.futility[key]) for key in sorted(memory.futility)}
    return {"raises": raises or None, "refusals": refusals or None, "futility": futility or None}


def _futility_document(found: Futility) -> dict[str, Any]:
    document: dict[str, Any] = {"nodes": found.nodes, "since": rfc3339(found.since), "at": rfc3339(found.at)}
    if found.until is not None:
        document["until"] = rfc3339(found.until)
    return {**document, "times": found.times} if found.times else document


def _writer_document(writer: Writer) -> dict[str, Any] | None:
    return {"epoch": writer.epoch, "holder": writer.holder} if writer.epoch or writer.holder else None


def _pool_document(pool: PoolMemory) -> dict[str, Any]:
    instants = {
        "lastScaleUpAt": pool.last_scale_up,
        "lastScaleDownAt": pool.last_scale_down,
        "backoffUntilAt": pool.backoff_until,
        "failuresUntilAt": pool.failures_until,
    }
    document: dict[str, Any] = {key: rfc3339(at) for key, at in instants.items() if at is not None}
    if pool.consecutive_failures:
        document["consecutiveFailures"] = pool.consecutive_failures
    if pool.backoff_cause is not None:
        document["backoffCause"] = str(pool.backoff_cause)
    if pool.missing:
        document["missing"] = pool.missing
    return document
