"""`lint`: every mistake and warning of a policy file, with its place."""

from __future__ import annotations

import sys
from pathlib import Path

from autoscaler.cli.output import Output, print_document


def run(path: Path, output: Output) -> int:
    """Print the findings; 1 if one of them is an error."""
    from policies.lint import check
    from policies.loading import PolicyError, load
    from providers.catalog.catalog import load_catalog

    try:
        problems = list(check(load(path), load_catalog()))
    except PolicyError as wrong:
        problems = list(wrong.problems)
    errors = [p for p in problems if p.severity == "error"]
    if output is not Output.TEXT:
        keys = ("severity", "file", "line", "column", "path", "message")
        print_document({"problems": [{k: getattr(p, k) for k in keys} for p in problems]}, output)
    else:
        for problem in problems:
            sys.stdout.write(f"{problem.severity}: {problem}\n")
        warnings = len(problems) - len(errors)
        sys.stdout.write(f"{len(errors)} errors, {warnings} warnings\n")
    return 1 if errors else 0
