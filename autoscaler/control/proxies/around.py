"""What may be done around a call to a port: measured, recorded, limited, refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from autoscaler.control.latency import Latency
from autoscaler.control.proxies.bucket import TokenBucket
from autoscaler.model.failures import Denied, PortFailure, Throttled
from autoscaler.model.ports import Clock

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """A call: which port ("cluster" or "cloud"), which method, on what; `writes` True for an effect."""

    port: str
    method: str
    subject: str
    writes: bool


class Around(Protocol):
    """Does something around `do`, which makes the call."""

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """The result of the call, or a PortFailure."""
        ...


@dataclass(frozen=True, slots=True)
class Timed:
    """Tells how long calls take, failed ones included."""

    clock: Clock
    latency: Latency

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """Measure."""
        began = self.clock.monotonic()
        try:
            return do()
        finally:
            if call.port == "cluster":
                self.latency.took(self.clock.monotonic() - began)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Tells a listener of every call and how it ended: (call, failure or None)."""

    listener: Callable[[Call, PortFailure | None], None]

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """Record."""
        try:
            result = do()
        except PortFailure as failure:
            self.listener(call, failure)
            raise
        self.listener(call, None)
        return result


@dataclass(frozen=True, slots=True)
class Limited:
    """Refuses calls beyond a rate with Throttled, before they are made; nothing ever waits here."""

    clock: Clock
    bucket: TokenBucket

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """Take a token or refuse."""
        wait = self.bucket.take(self.clock.monotonic())
        if wait > 0:
            raise Throttled(f"our own limit of calls is spent; {call.method} in {wait:.1f} s", wait)
        return do()


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A dry run: what would write is refused, what reads goes through. `but`: methods that may write all the same."""

    but: frozenset[str] = frozenset()

    def __call__(self, call: Call, do: Callable[[], T]) -> T:
        """Refuse or pass."""
        if call.writes and call.method not in self.but:
            raise Denied(f"dry run: {call.method} of {call.subject} was not sent")
        return do()
