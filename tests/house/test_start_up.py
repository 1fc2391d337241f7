"""The command line starts fast: what a verb needs is imported by that verb, when it is called."""

from __future__ import annotations

import subprocess
import sys

import pytest

# numpy itself stands among the modules as a promise, kept by the first array; its core is there once loaded.
HEAVY = ("numpy._core", "highspy", "yaml", "msgspec", "simulations", "policies", "autoscaler.planning")
SHOW_HELP = """
import sys
from autoscaler.cli.main import run
assert run(ARGUMENTS) == 0
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["plan", "--help"], ["simulate", "--help"]], ids=" ".join)
def test_help_imports_nothing_that_only_a_verb_needs(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOW_HELP.replace("ARGUMENTS", repr(arguments))],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert "gpu-autoscaler" in done.stdout
    assert set(done.stderr.split()) & set(HEAVY) == set()
