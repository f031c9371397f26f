"""The commit objects of a model: all that were ever made, and those that are still to be used."""

from registry.errors import StoreError
from registry.layout import numbered, numbers_in, versions_prefix
from registry.manifest import Version
from registry.record import read_version
from registry.removal import removed_from
from registry.store.store import Store


def committed(store: Store, model: str) -> tuple[int, ...]:
    """Return the numbers of all versions that were ever committed, in order."""
    return numbers_in(store.children(versions_prefix(model)))


def usable(store: Store, model: str) -> tuple[int, ...]:
    """Return the numbers of versions that nobody has removed, in order."""
    numbers = committed(store, model)
    gone = removed_from(store, model) if numbers else frozenset()
    return tuple(number for number in numbers if number not in gone)


def find_commit(store: Store, model: str, number: int) -> bytes | None:
    """Read a commit object as it is, of a version removed or not; None where there is none."""
    return store.get(numbered(versions_prefix(model), number))


def believe(commit: bytes, model: str, number: int) -> Version:
    """Understand a commit object.

    Raises:
        IntegrityError: It is not that of this version.
    """
    return read_version(commit, numbered(versions_prefix(model), number), model, number)


def read_committed(store: Store, model: str, number: int) -> Version:
    """Read a version that a listing has named."""
    commit = find_commit(store, model, number)
    if commit is None:
        key = numbered(versions_prefix(model), number)
        raise StoreError(f"{store.url}: {key} is gone. Restore the store from a backup")
    return believe(commit, model, number)
