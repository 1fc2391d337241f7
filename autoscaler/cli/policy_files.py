"""A policy file for the verbs: loaded, linted, compiled; its mistakes as one failure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autoscaler.cli.user_error import UserError

if TYPE_CHECKING:
    from autoscaler.planning.pools import Policies


def compiled(path: Path) -> Policies:
    """The compiled policies of a file or folder. Errors stop; warnings are for `lint`."""
    from autoscaler.planning.compile import compile_policies
    from policies.lint import check
    from policies.loading import PolicyError, load
    from providers.catalog.catalog import load_catalog

    catalog = load_catalog()
    try:
        file = load(path)
    except PolicyError as wrong:
        raise UserError(str(wrong)) from None
    errors = [p for p in check(file, catalog) if p.severity == "error"]
    if errors:
        raise UserError("\n".join(str(p) for p in errors[:20]))
    return compile_policies(file, catalog)
