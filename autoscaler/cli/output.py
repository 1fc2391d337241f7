"""Writing results: JSON and YAML documents, and text that is colored only on a terminal and never with NO_COLOR."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Any, TextIO


class Output(StrEnum):
    """How a command prints its data."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


def print_document(document: Any, output: Output) -> None:
    """One JSON or YAML document on standard output."""
    if output is Output.JSON:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
        sys.stdout.buffer.flush()
        return
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    yaml.dump(document, sys.stdout, Dumper=dumper, sort_keys=False, allow_unicode=True)


def wants_color(stream: TextIO) -> bool:
    """True on a terminal that has not asked for plain text (https://no-color.org)."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


class Paint:
    """ANSI colors, or nothing."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled

    def __call__(self, text: str, *codes: int) -> str:
        """`text` in the given SGR codes."""
        if not self.enabled or not codes:
            return text
        return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"


BOLD, DIM, RED, GREEN, YELLOW, CYAN = 1, 2, 31, 32, 33, 36
