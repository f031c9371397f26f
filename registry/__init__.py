"""What versions are and where they are kept."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from registry.catalog import Catalog

__all__ = ["Catalog"]


def __getattr__(name: str) -> object:
    """Load the catalog when it is asked for: who needs an error alone stays fast."""
    if name != "Catalog":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from registry.catalog import Catalog  # noqa: PLC0415

    return Catalog
