"""Search versions, for as long as a page may take; the next page goes on from there."""

import shlex
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from registry.catalog import Catalog
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version
from registry.reference import Reference, is_name, parse_reference
from registry.searching.condition import Condition, parse_condition
from registry.side_by_side import ahead
from registry.web.looks import Found, VersionRow
from registry.web.reading import row_of
from registry.web.refusals import RefusalError

#: Versions that a page shows, and seconds for which it looks.
FOUND, SECONDS = 50, 0.6

#: Read side by side, and at once before the clock is looked at.
_WIDTH, _AT_ONCE = 8, 64

_SIGNS = frozenset("=<>!")


def search(catalog: Catalog, where: str, after: str, seconds: float = SECONDS) -> Found:
    """Find versions by conditions, model by model, of each the newest first.

    Args:
        where: Conditions such as `target=openvino* created>=2026-11`; a word alone is a part of
            the model's name.
        after: MODEL@NUMBER, where an earlier page ended.

    Raises:
        RefusalError: One is not a condition.
    """
    conditions, start = _conditions(where), _start(after)
    found: list[VersionRow] = []
    damaged: list[VersionRow] = []
    looked, last, until = 0, None, time.monotonic() + seconds
    versions = _ahead(catalog, conditions, start) if conditions else iter(())
    while len(found) < FOUND and (looked == 0 or time.monotonic() < until):
        some = list(islice(versions, _AT_ONCE))
        if not some:
            return Found(where=where, versions=tuple(found), looked=looked, damaged=tuple(damaged))
        for one in some:
            looked, last = looked + 1, one
            if isinstance(one, VersionRow):
                damaged.append(one)
            elif all(condition.holds(one) for condition in conditions):
                found.append(row_of(one))
            if len(found) == FOUND:
                break
    return Found(
        where=where,
        versions=tuple(found),
        looked=looked,
        damaged=tuple(damaged),
        after=None if last is None else str(_name(last)),
    )


def _conditions(where: str) -> list[Condition]:
    try:
        words = shlex.split(where)
    except ValueError as error:
        raise RefusalError(f"{where[:100]!r}: a quote or a backslash is open at its end") from error
    try:
        return [
            parse_condition(word if _SIGNS & set(word) else f"model=*{word.lower()}*")
            for word in words
        ]
    except StoreError as error:
        raise RefusalError(f"{error}. Set values with spaces in quotes") from error


def _start(after: str) -> Reference:
    try:
        return parse_reference(after) if after else Reference("")
    except StoreError as error:
        raise RefusalError(f"after: {error}") from error


def _ahead(
    catalog: Catalog, conditions: Sequence[Condition], start: Reference
) -> Iterator[Version | VersionRow]:
    """Read the versions of the models that can be meant, from where the last page ended."""
    for model in catalog.models():
        if model < start.model or not is_name(model) or not _can_be(model, conditions):
            continue
        numbers = reversed(catalog.versions(model))
        if model == start.model and start.number is not None:
            numbers = (number for number in numbers if number < start.number)
        yield from ahead(partial(_read, catalog, model), numbers, width=_WIDTH)


def _can_be(model: str, conditions: Sequence[Condition]) -> bool:
    return all(one.meets((model,)) for one in conditions if one.field == "model")


def _read(catalog: Catalog, model: str, number: int) -> Version | VersionRow:
    try:
        return catalog.version(model, number)
    except IntegrityError as error:
        return VersionRow(model=model, version=number, fault=str(error))


def _name(one: Version | VersionRow) -> Reference:
    return Reference(one.model, one.version if isinstance(one, VersionRow) else one.number)
