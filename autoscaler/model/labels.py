"""Label sets, and the selectors that read them.

Semantics follow apimachinery's `labels.Selector` and core/v1 `NodeSelector`: a requirement on an absent key
holds for `NotIn` and `DoesNotExist` only; `Gt` and `Lt` compare base-10 integers and fail on anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn


class Labels(dict[str, str]):
    """An immutable, hashable label set: dict look-ups at full speed, usable as a key."""

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(frozenset(self.items()))
            return self._hash

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a label set does not change; build a new one with `plus` or `without`")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def plus(self, more: Mapping[str, str]) -> Labels:
        """These labels and `more`; `more` wins."""
        return Labels({**self, **more}) if more else self

    def without(self, *keys: str) -> Labels:
        """These labels less `keys`."""
        return Labels({k: v for k, v in self.items() if k not in keys})

    def only(self, keys: Iterable[str]) -> Labels:
        """The labels whose key is among `keys`."""
        return Labels({k: self[k] for k in keys if k in self})

    def __reduce__(self) -> tuple[type[Labels], tuple[dict[str, str]]]:
        return (Labels, (dict(self),))


NO_LABELS = Labels()


@dataclass(frozen=True, slots=True)
class Requirement:
    """One expression of a selector: In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """True if the expression holds for `labels`; an unknown operator never holds."""
        found = labels.get(self.key)
        match self.operator:
            case "In":
                return found is not None and found in self.values
            case "NotIn":
                return found is None or found not in self.values
            case "Exists":
                return found is not None
            case "DoesNotExist":
                return found is None
            case "Gt" | "Lt":
                return _compare(found, self.operator, self.values)
            case _:
                return False


def _compare(found: str | None, operator: str, values: tuple[str, ...]) -> bool:
    if found is None or len(values) != 1:
        return False
    try:
        left, right = int(found), int(values[0])
    except ValueError:
        return False
    return left > right if operator == "Gt" else left < right


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A metav1 LabelSelector, `matchLabels` folded into requirements. Without requirements it matches everything.

    Where Kubernetes has a nil selector (which matches nothing), the field that would hold it is None.
    """

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """True if every requirement holds."""
        return all(r.matches(labels) for r in self.requirements)

    @property
    def keys(self) -> frozenset[str]:
        """The label keys that the selector reads."""
        return frozenset(r.key for r in self.requirements)


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """One term of a node affinity: all expressions must hold; a term without any matches no node."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str], node_name: str) -> bool:
        """True for a node with these labels and this name (`metadata.name` is the only field there is)."""
        if not self.expressions and not self.fields:
            return False
        fields = {"metadata.name": node_name}
        return all(r.matches(labels) for r in self.expressions) and all(r.matches(fields) for r in self.fields)
