"""What a misspelt name was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that looks most like this one, if any does."""
    folded = {_fold(other): other for other in known}
    found = get_close_matches(_fold(name)[:64], folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Say which name was meant, or else which there are; starts with '; '."""
    known = tuple(known)
    if (meant := nearest(name, known)) is not None:
        return f"; did you mean `{meant}`?"
    if not known:
        return "; there are none"
    return f"; known: {', '.join(known[:12])}{', …' if len(known) > 12 else ''}"


def _fold(name: str) -> str:
    return name.lower().replace("-", "_")
