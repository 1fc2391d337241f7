"""ControllerState: what the controller remembers between passes, from and to its document."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from autoscaler.model.decoding.errors import FieldError, InputError, one_of
from autoscaler.model.decoding.strict import API_VERSION, decode_strict, instant
from autoscaler.model.decoding.wire import Count
from autoscaler.model.instants import rfc3339
from autoscaler.model.memory import Memory, PoolMemory, Removal
from autoscaler.model.nodes import ErrorClass

KIND = "ControllerState"


class _Pool(Struct, gc=False, rename="camel"):
    last_scale_up_at: str | None = None
    last_scale_down_at: str | None = None
    consecutive_failures: Count | None = None
    backoff_until_at: str | None = None
    backoff_until: str | None = None
    backoff_cause: str | None = None
    missing: str | None = None


class _Removal(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    at: str | None = None
    pool: str | None = None
    reason: str | None = None


class _ControllerState(Struct, gc=False, rename="camel", forbid_unknown_fields=True):
    api_version: str
    kind: str
    metadata: dict[str, Any] | None = None
    pools: dict[str, _Pool | None] | None = None
    removals: list[_Removal] | None = None
    paused: bool | None = None
    paused_until: str | None = None
    pause_reason: str | None = None


def decode_memory(data: bytes, source: str) -> Memory:
    """The state in a ControllerState document (YAML or JSON); removals are sorted.

    Unknown keys at the top are refused. Unknown keys of a pool are ignored: a newer controller may have written
    them, and an older one that takes over must be able to start. Raises InputError.
    """
    document = decode_strict(data, source, KIND, _ControllerState)
    try:
        pools = {
            name: _pool(found or _Pool(), f"pools.{name}") for name, found in sorted((document.pools or {}).items())
        }
        removals = [_removal(found, f"removals[{i}]") for i, found in enumerate(document.removals or ())]
        until = instant(document.paused_until, "pausedUntil")
    except FieldError as error:
        raise InputError(source, str(error)) from None
    return Memory(
        pools=pools,
        removals=tuple(sorted(removals, key=lambda r: (r.at, r.pool, r.reason))),
        paused=bool(document.paused),
        paused_until=until,
        pause_reason=document.pause_reason or "",
    )


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
    )


def _removal(found: _Removal, path: str) -> Removal:
    for key in ("at", "pool", "reason"):
        if not getattr(found, key):
            raise FieldError(f"{path}.{key}", "is missing; a removal has at, pool and reason")
    return Removal(instant(found.at, f"{path}.at") or 0.0, found.pool or "", found.reason or "")


def encode_memory(memory: Memory) -> dict[str, Any]:
    """The ControllerState document, plain JSON values; what is unset is left out.

    `decode_memory` gives the same memory again, instants to the microsecond.
    """
    document: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "pools": {name: _pool_document(memory.pools[name]) for name in sorted(memory.pools)},
        "removals": [
            {"at": rfc3339(r.at), "pool": r.pool, "reason": r.reason}
            for r in sorted(memory.removals, key=lambda r: (r.at, r.pool, r.reason))
        ],
        "paused": memory.paused,
        "pausedUntil": None if memory.paused_until is None else rfc3339(memory.paused_until),
        "pauseReason": memory.pause_reason or None,
    }
    return {key: value for key, value in document.items() if value is not None}


def _pool_document(pool: PoolMemory) -> dict[str, Any]:
    instants = {
        "lastScaleUpAt": pool.last_scale_up,
        "lastScaleDownAt": pool.last_scale_down,
        "backoffUntilAt": pool.backoff_until,
    }
    document: dict[str, Any] = {key: rfc3339(at) for key, at in instants.items() if at is not None}
    if pool.consecutive_failures:
        document["consecutiveFailures"] = pool.consecutive_failures
    if pool.backoff_cause is not None:
        document["backoffCause"] = str(pool.backoff_cause)
    if pool.missing:
        document["missing"] = pool.missing
    return document
