"""Blobs that were found corrupt: they are marked, so that the next push puts right ones there.

A mark removes nothing. Who found the bytes wrong may be wrong itself, by bad memory or a bad
network; the blob stays where it is until right bytes take its place, in one step. A mark too many
costs an upload.
"""

from collections.abc import Iterable
from contextlib import suppress

from registry.errors import IntegrityError, PlatformError, StoreError
from registry.layout import CORRUPT
from registry.store.store import Store


class CorruptBlobError(IntegrityError):
    """A blob is there, and is not what was published."""


def mark_corrupt(store: Store, digest: str, fault: str) -> str:
    """Mark a blob, and return what mends it."""
    try:
        store.create(f"{CORRUPT}{digest}", f"{fault}\n".encode())
    except PlatformError as error:
        return (
            f"It could not be marked as corrupt ({error}): run `pipeline registry verify` as who "
            "may write to the store, then publish again from the same files"
        )
    return (
        "It is marked: publish again from the same files, or copy the version from another store "
        "(pipeline registry cp), and it is replaced"
    )


def marked_corrupt(store: Store) -> frozenset[str]:
    """Return the digests of the blobs that are not to be relied on."""
    return frozenset(store.children(CORRUPT))


def clear_marks(store: Store, digests: Iterable[str]) -> None:
    """Remove the marks of blobs that were replaced; one that stays costs an upload."""
    with suppress(StoreError):  # who may not remove
        store.remove([f"{CORRUPT}{digest}" for digest in digests])
