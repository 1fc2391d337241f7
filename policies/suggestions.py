""" "Did you mean": the nearest known word, where there is one that is near."""

from __future__ import annotations

from collections.abc import Iterable

WORD_CHARACTERS_MAX = 64  # nothing longer is a slip of a known word


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant: the same but for case, or alike; None if nothing is near."""
    from difflib import get_close_matches  # only where something is wrong

    words = sorted(set(known))
    if len(given) > WORD_CHARACTERS_MAX or given in words:
        return None
    same = [word for word in words if word.lower() == given.lower()]
    found = same or get_close_matches(given, words, n=1, cutoff=0.6)
    return found[0] if found else None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """`; did you mean X?`, or ""."""
    found = nearest(given, known)
    return f"; did you mean {found}?" if found else ""
