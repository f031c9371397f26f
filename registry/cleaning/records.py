"""What publishers and sweeps tell each other through the store."""

from pydantic import Field

from registry.cleaning.alive import Process
from registry.signature import Frozen


class Announcement(Frozen):
    """Somebody is about to publish a version of these blobs, and relies on those that are there."""

    digests: tuple[str, ...]


class SweepNotice(Frozen):
    """These blobs may be removed at any moment.

    Attributes:
        seconds: After so long from when the notice was written, its writer removes nothing more.
        writer: Who that is, if it knows.
    """

    digests: tuple[str, ...]
    seconds: float = Field(gt=0)
    writer: Process | None = None
