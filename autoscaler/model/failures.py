"""What can go wrong at a port, by class: the class decides what happens next, the text is for people.

`outcome_known` False: the call may have taken hold although it failed (a time-out after the effect). Whoever gets such
a failure reads again before it does anything that a second time would make worse.
"""

from __future__ import annotations

from autoscaler.model.nodes import ErrorClass


class PortFailure(Exception):
    """A call to the cluster or the cloud that did not do what was asked."""

    error_class: ErrorClass = ErrorClass.TRANSIENT
    outcome_known: bool = True


class Unavailable(PortFailure):
    """The server refused or could not be reached: 5xx, connection refused. Nothing was done."""


class TimedOut(PortFailure):
    """No answer in time: the effect may or may not have taken hold."""

    outcome_known = False


class Throttled(PortFailure):
    """Too many requests (429 of a rate limiter); no reason to leave a pool or to change any state."""

    error_class = ErrorClass.THROTTLED

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Conflict(PortFailure):
    """A precondition did not hold: another resourceVersion or UID, or the object exists already (409)."""


class NotFound(PortFailure):
    """The object is gone (404)."""


class Denied(PortFailure):
    """Not permitted: RBAC, admission, IAM (401, 403)."""

    error_class = ErrorClass.UNAUTHORIZED


class Invalid(PortFailure):
    """The request makes no sense to the server (400, 422): a mistake of configuration."""

    error_class = ErrorClass.BAD_CONFIGURATION


class EvictionBlocked(PortFailure):
    """A PodDisruptionBudget does not allow the eviction now (429 of the eviction subresource)."""


class EvictionMisconfigured(PortFailure):
    """More than one PodDisruptionBudget selects the pod (500 of the eviction subresource): it will never be evicted."""

    error_class = ErrorClass.BAD_CONFIGURATION


class LaunchRefused(PortFailure):
    """The cloud does not give the capacity; `error_class` says why (Stockout, QuotaExceeded, …)."""

    def __init__(self, error_class: ErrorClass, message: str) -> None:
        super().__init__(message)
        self.error_class = error_class


class WouldLower(PortFailure):
    """`raise_to` was asked for a size below the group's present one, and refused (S1)."""

    error_class = ErrorClass.BAD_CONFIGURATION
