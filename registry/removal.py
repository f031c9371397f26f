"""Versions that were removed: a mark beside the commit object, which stays."""

from datetime import UTC, datetime

from registry.changes import noted
from registry.layout import numbered, numbers_in, removed_prefix
from registry.marks import Removal
from registry.record import read_record, write_record
from registry.store.store import Store


def removed_from(store: Store, model: str) -> frozenset[int]:
    """Return the numbers of a model's removed versions."""
    return frozenset(numbers_in(store.children(removed_prefix(model))))


def read_removal(store: Store, model: str, number: int) -> Removal | None:
    """Return who removed a version and why, or None where nobody has."""
    key = numbered(removed_prefix(model), number)
    data = store.get(key)
    return None if data is None else read_record(data, key, Removal, {"version": number})


def mark_removed(store: Store, model: str, number: int, *, who: str, why: str) -> Removal:
    """Mark a version as removed; one that is so already keeps its mark.

    Nobody is given its number again, since the commit object stays where it is. Its blobs go with
    a later sweep, when the mark has lasted as long as the grace period.
    """
    mark = Removal(version=number, who=who, why=why, when=datetime.now(UTC))
    with noted(store, model):
        if store.create(numbered(removed_prefix(model), number), write_record(mark)):
            return mark
    return read_removal(store, model, number) or mark
