"""Errors that a person can mend: one sentence with the place and the fix."""

from __future__ import annotations


class UserError(Exception):
    """Bad input or a missing file. `str()` is what the person reads; the exit status is 1."""
