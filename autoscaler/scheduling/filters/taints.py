"""Taints and tolerations (plugin TaintToleration, core/v1 `Toleration.ToleratesTaint`).

`PreferNoSchedule` only ranks nodes. `Gt` and `Lt` (1.35+) compare the taint's value with the toleration's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from autoscaler.model.nodes import Taint
from autoscaler.model.pods import Toleration
from autoscaler.scheduling.filters.site import Site
from autoscaler.scheduling.rejections import Rejection, taint_not_tolerated

BLOCKING = ("NoSchedule", "NoExecute")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = 2**63


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """True if one of the tolerations matches the taint."""
    return any(_matches(t, taint) for t in tolerations)


def first_untolerated(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> Taint | None:
    """The first taint, in the node's order, that keeps the pod away."""
    for taint in taints:
        if taint.effect in BLOCKING and not tolerates(tolerations, taint):
            return taint
    return None


def check(site: Site) -> Rejection | None:
    """TaintNotTolerated, naming the taint."""
    taint = first_untolerated(site.spec.tolerations, site.row.taints)
    return None if taint is None else taint_not_tolerated(taint)


def _matches(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Gt" | "Lt":
            return _compares(toleration, taint)
        case _:
            return False


def _compares(toleration: Toleration, taint: Taint) -> bool:
    bound, value = _int64(toleration.value), _int64(taint.value)
    if bound is None or value is None:
        return False
    return value > bound if toleration.operator == "Gt" else value < bound


def _int64(text: str) -> int | None:
    """What Go's ParseInt(text, 10, 64) reads; None where it fails."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -_INT64 <= number < _INT64 else None
