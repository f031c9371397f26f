"""What all requests to the pages share."""

from dataclasses import dataclass

from registry.catalog import Catalog
from registry.web.promotion import Promotion


@dataclass(frozen=True)
class Room:
    """The registry that is shown, and who may do what.

    Attributes:
        hosts: Names by which the server may be called, beside localhost and IP addresses.
        promotion: Set where channels may be moved from the pages.
    """

    catalog: Catalog
    hosts: frozenset[str] = frozenset()
    promotion: Promotion | None = None
