"""The ledger: what the controller must remember, in one ConfigMap, written by compare-and-swap before an effect.

It is a `ControllerState` document under the key `state`: a person can read it, `plan --state` can use it. One that
cannot be read is never overwritten: what it counts would be forgotten, and budgets refilled.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from autoscaler.model.decoding.errors import InputError
from autoscaler.model.decoding.memory import decode_memory, encode_memory
from autoscaler.model.failures import PortFailure
from autoscaler.model.memory import NO_MEMORY, Futility, Memory, PoolMemory, Raise, Removal
from autoscaler.model.nodes import LaunchError
from autoscaler.model.ports import Cluster, DocumentName
from autoscaler.planning.pools import Policies

STATE = "state"
RAISES_KEPT_S, RAISES_KEPT = 3600.0, 1000
REMOVALS_KEPT_S, REMOVALS_KEPT = 3600.0, 5000
REFUSALS_KEPT_S, REFUSALS_KEPT = 3 * 3600.0, 5
FUTILITY_KEPT = 200


class LedgerMovedError(Exception):
    """Somebody else has written the ledger since it was read."""


class UnreadableLedgerError(Exception):
    """The ledger is there, and no state can be read from it."""


@dataclass(slots=True)
class Ledger:
    """The stored state. `memory`: as it lies in the cluster, as far as is known; `readable`: it could be read.

    A state that was read is decoded again only when its version has changed.
    """

    cluster: Cluster
    memory: Memory = NO_MEMORY
    readable: bool = False
    _version: str | None = None
    _known: bool = False
    _other: dict[str, str] = field(default_factory=dict)

    @property
    def exists(self) -> bool:
        """False where the document was not there at the last read."""
        return self._version is not None

    def load(self) -> Memory:
        """A quorum read. Raises PortFailure, UnreadableLedgerError."""
        stored = self.cluster.read_document(DocumentName.LEDGER)
        version = None if stored is None else stored.version
        if self._known and version == self._version:
            return self.memory
        self.readable = self._known = False
        memory = NO_MEMORY
        if stored is not None:
            text = stored.data.get(STATE, "")
            try:
                memory = decode_memory(text.encode(), f"{DocumentName.LEDGER}, data.{STATE}")
            except InputError as error:
                raise UnreadableLedgerError(str(error)) from None
        self._other = {k: v for k, v in stored.data.items() if k != STATE} if stored is not None else {}
        self.memory, self._version, self.readable, self._known = memory, version, True, True
        return memory

    def save(self, memory: Memory) -> None:
        """Replace the state, if nobody else has meanwhile; nothing is sent where it lies there already.

        Raises PortFailure, LedgerMovedError.
        """
        if memory == self.memory and self._version is not None:
            return
        text = json.dumps(encode_memory(memory), indent=1)
        data = {**self._other, STATE: text}
        try:
            self._version = self.cluster.write_document(DocumentName.LEDGER, data, self._version)
        except PortFailure as failure:
            self._known = False
            if failure.outcome_known:
                raise
            stored = self.cluster.read_document(DocumentName.LEDGER)
            if stored is None or stored.data.get(STATE) != text:
                raise LedgerMovedError("the write timed out, and another state lies there") from failure
            self._version, self._known = stored.version, True
        self.memory = memory


def bounded(memory: Memory, policies: Policies, now: float) -> Memory:
    """The memory without what no rule asks for any more; its size is bounded whatever happened."""
    longest = max((b.per for b in policies.cluster.budgets if b.per is not None), default=0.0)
    kept_s = max(REMOVALS_KEPT_S, longest)
    refusals: dict[str, tuple[LaunchError, ...]] = {}
    for group, told in memory.refusals.items():
        kept = _recent(told, now, REFUSALS_KEPT_S)[-REFUSALS_KEPT:]
        if kept:
            refusals[group] = kept
    futility = memory.futility
    if len(futility) > FUTILITY_KEPT:
        newest = sorted(futility.items(), key=lambda kv: (kv[1].at, kv[0]))[-FUTILITY_KEPT:]
        futility = dict(newest)
    removals = _recent(memory.removals, now, kept_s)[-REMOVALS_KEPT:]
    raises = _recent(memory.raises, now, RAISES_KEPT_S)[-RAISES_KEPT:]
    pools = {p.name for p in policies.pools}
    if not memory.pools.keys() <= pools and len(memory.pools) > 2 * len(pools) + 20:
        kept_pools = {name: found for name, found in memory.pools.items() if name in pools}
        memory = replace(memory, pools=kept_pools)
    if (
        len(removals) == len(memory.removals)
        and len(raises) == len(memory.raises)
        and refusals == memory.refusals
        and futility is memory.futility
    ):
        return memory
    return replace(memory, removals=removals, raises=raises, refusals=refusals, futility=futility)


def shifted(memory: Memory, delta_s: float, now: float) -> Memory:
    """The memory after the wall clock jumped by `delta_s` and says `now`: no timer gets shorter, no budget is refilled.

    Instants that a timer runs from move forward with the clock, and are never moved back: one that lies in the future
    after a jump back becomes now. So a second process that sees the same jump makes a timer longer at most (S11).
    """

    def past(at: float) -> float:
        return min(at + max(0.0, delta_s), now)

    def since(at: float | None) -> float | None:
        return None if at is None else past(at)

    def until(at: float | None) -> float | None:
        return None if at is None else at + delta_s

    def pool(found: PoolMemory) -> PoolMemory:
        return replace(
            found,
            last_scale_up=since(found.last_scale_up),
            last_scale_down=since(found.last_scale_down),
            backoff_until=until(found.backoff_until),
            failures_until=since(found.failures_until),
        )

    def futility(found: Futility) -> Futility:
        return replace(found, since=past(found.since), at=past(found.at), until=until(found.until))

    return replace(
        memory,
        pools={name: pool(found) for name, found in memory.pools.items()},
        removals=tuple(replace(r, at=past(r.at)) for r in memory.removals),
        raises=tuple(replace(r, at=past(r.at)) for r in memory.raises),
        refusals={g: tuple(replace(e, at=past(e.at)) for e in told) for g, told in memory.refusals.items()},
        futility={key: futility(found) for key, found in memory.futility.items()},
    )


Dated = TypeVar("Dated", Raise, Removal, LaunchError)


def _recent(found: Iterable[Dated], now: float, kept_s: float) -> tuple[Dated, ...]:
    """An instant of the future counts as now."""
    return tuple(item for item in found if now - item.at < kept_s)
