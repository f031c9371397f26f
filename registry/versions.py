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


def find_version(store: Store, model: str, number: int) -> Version | None:
    """Read a version, removed or not; None where there never was one."""
    key = numbered(versions_prefix(model), number)
    data = store.get(key)
    return None if data is None else read_version(data, key, model, number)


def read_committed(store: Store, model: str, number: int) -> Version:
    """Read a version that a listing has named."""
    version = find_version(store, model, number)
    if version is None:
        key = numbered(versions_prefix(model), number)
        raise StoreError(f"{store.url}: {key} is gone. Restore the store from a backup")
    return version
