"""Whether there is a store, before its emptiness is taken for an answer."""

from registry.catalog import Catalog
from registry.errors import StoreError


def check_there(catalog: Catalog) -> None:
    """Refuse a folder that is not there: most likely the name of another was meant."""
    if not catalog.store.is_there():
        raise StoreError(
            f"{catalog.store.url}: there is no such folder. Name another with --store; the first "
            "push makes one"
        )
