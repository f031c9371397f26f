"""Try a store out."""

from collections.abc import Iterator
from contextlib import suppress
from uuid import uuid4

from registry.checkup.checks import CHECKS
from registry.checkup.finding import Check, Finding, Outcome
from registry.errors import IntegrityError, StoreError
from registry.layout import PROBES
from registry.store.store import Store


def examine(store: Store) -> Iterator[Finding]:
    """Try each thing that versions rest on, below a prefix of its own that is removed after.

    Raises:
        StoreError: The store cannot be reached, so that nothing can be said of it.
    """
    prefix = f"{PROBES}{uuid4().hex}/"
    next(iter(store.entries(prefix)), None)
    try:
        for check in CHECKS:
            yield Finding(check, _run(check, store, prefix))
    finally:
        with suppress(StoreError):
            store.remove([entry.key for entry in store.entries(prefix)])


def _run(check: Check, store: Store, prefix: str) -> Outcome:
    try:
        return check.run(store, prefix)
    except (StoreError, IntegrityError) as error:
        return Outcome(passed=False, seen=str(error))
