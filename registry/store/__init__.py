"""Where bytes are kept: one file a kind of store."""

import re

from registry.errors import StoreError
from registry.store import folder_store, s3_store
from registry.store.store import Store, StoreKind

STORES: dict[str, StoreKind] = {
    "file": folder_store.FOLDER,
    "s3": s3_store.S3,
}


def open_store(url: str, *, endpoint: str | None = None) -> Store:
    """Open a store by its URL; what has no scheme is a folder. Nothing is touched yet.

    Args:
        endpoint: Of an S3-compatible service, if it is not AWS.

    Raises:
        StoreError: No such kind of store, or a URL that is not one of its kind.
    """
    scheme = re.match("^([A-Za-z][A-Za-z0-9+.-]*)://", url)
    kind = STORES.get(scheme[1].lower() if scheme else "file")
    if kind is None or not url:
        known = ", ".join(kind.example for kind in STORES.values())
        what = scheme[1] if scheme else "''"
        raise StoreError(f"store {what}: there is no such kind of store. Known are: {known}")
    return kind.open(url, endpoint or None)


__all__ = ["STORES", "Store", "StoreKind", "open_store"]
