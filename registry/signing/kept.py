"""Signatures in a store: a numbered series beside each version."""

from registry.errors import StoreError
from registry.layout import numbered, numbers_in, signatures_prefix
from registry.store.store import Store

_ATTEMPTS = 1000


def signatures_of(store: Store, model: str, number: int) -> tuple[bytes, ...]:
    """Return all signatures of a version, the oldest first."""
    prefix = signatures_prefix(model, number)
    found = (store.get(numbered(prefix, at)) for at in numbers_in(store.children(prefix)))
    return tuple(signature for signature in found if signature is not None)


def keep_signature(store: Store, model: str, number: int, signature: bytes) -> None:
    """Put a signature beside those that a version has."""
    prefix = signatures_prefix(model, number)
    for _ in range(_ATTEMPTS):
        last = max(numbers_in(store.children(prefix)), default=0)
        if store.create(numbered(prefix, last + 1), signature):
            return
    raise StoreError(f"{prefix}: others sign it without end. Find out what does")
