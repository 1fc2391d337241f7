"""What all parts of the schema share: strict, frozen, closed, camelCase in the file and snake_case in the code."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict
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
