"""What a YAML scalar without quotes means.

YAML 1.1 as PyYAML reads it, less what its readers disagree on: `010` is eight, ten or text, `1:30` is ninety or text,
`1_000` a thousand or text. Such scalars are refused, so that one file means one thing to every tool that reads it.
"""

from __future__ import annotations

import re

import yaml

_TAG = "tag:yaml.org,2002:"
_RESOLVER = yaml.resolver.Resolver()
_TIMES = yaml.constructor.SafeConstructor()
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_TRUE = frozenset({"yes", "true", "on"})
DIGITS_MAX = 100


class ScalarError(ValueError):
    """A scalar that has no one meaning; one sentence with the fix."""


def kind_of(text: str) -> str:
    """`str`, `int`, `float`, `bool`, `null`, `timestamp`, `merge` or `value`: what YAML 1.1 takes `text` for."""
    tag: str = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return tag.removeprefix(_TAG)


def plain_value(text: str) -> object:
    """The value of a scalar without quotes: None, bool, int, float, date, datetime or str. Raises ScalarError."""
    match kind_of(text):
        case "null":
            return None
        case "bool":
            return text.lower() in _TRUE
        case "int":
            if len(text) > DIGITS_MAX:
                raise ScalarError(f"is a number of {len(text)} digits; write it shorter, or put text into quotes")
            if _INT.fullmatch(text):
                return int(text)
            raise _ambiguous(text)
        case "float":
            if _FLOAT.fullmatch(text):
                return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
            raise _ambiguous(text)
        case "timestamp":
            return _time(text)
        case _:
            return text


def _ambiguous(text: str) -> ScalarError:
    return ScalarError(
        f"{text[:40]} is not the same to every YAML reader; write a plain decimal number, or put text into quotes"
    )


def _time(text: str) -> object:
    try:
        return _TIMES.construct_yaml_timestamp(yaml.ScalarNode(f"{_TAG}timestamp", text))
    except (ValueError, OverflowError):
        raise ScalarError(f"{text[:40]} looks like a date and is none; put text into quotes") from None
