"""What all parts of the schema share: strict, frozen, closed, camelCase in the file and snake_case in the code."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

Item = TypeVar("Item")


class Part(BaseModel):
    """A part of the policy file. Unknown keys are refused, types are not converted, values do not change."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        arbitrary_types_allowed=False,
        protected_namespaces=(),
    )


def _as_tuple(value: object) -> object:
    """A list of the file as a tuple; everything else is left to be refused."""
    return tuple(value) if isinstance(value, list) else value


Tuple = Annotated[tuple[Item, ...], BeforeValidator(_as_tuple)]
"""A list of the file, kept as a tuple."""

ITEMS_MAX = 1000  # of any list of a policy; more is a mistake, and would make every look at the policy slow


def _as_short_tuple(value: object) -> object:
    """As `_as_tuple`; a list that is too long is refused before its items are looked at."""
    if isinstance(value, list) and len(value) > ITEMS_MAX:
        raise ValueError(f"has {len(value)} items; {ITEMS_MAX} are the most")
    return _as_tuple(value)


List = Annotated[tuple[Item, ...], BeforeValidator(_as_short_tuple), Field(max_length=ITEMS_MAX)]
"""A list of a policy, kept as a tuple."""
