"""What the pages show and the API tells, as records; one damaged thing hides no other."""

from datetime import datetime

from pydantic import Field

from registry.manifest import Move
from registry.marks import Tag
from registry.signature import Frozen


class ModelRow(Frozen):
    """A model in the list.

    Attributes:
        versions: How many there are to be used.
        channels: Where each points.
        fault: Why this cannot be told.
    """

    model: str
    versions: int = 0
    newest: int | None = None
    channels: dict[str, int] = Field(default_factory=dict)
    fault: str | None = None


class ModelList(Frozen):
    """A page of the models whose names hold some text."""

    store: str
    holds: str
    page: int
    pages: int
    total: int
    models: tuple[ModelRow, ...]


class VersionRow(Frozen):
    """A version in a list.

    Attributes:
        errors: The largest error by target and kind, as part of what it may be.
        fault: Why the version cannot be believed.
    """

    model: str
    version: int
    created: datetime | None = None
    bytes: int = 0
    files: int = 0
    fingerprint: str = ""
    targets: tuple[str, ...] = ()
    errors: dict[str, dict[str, float]] = Field(default_factory=dict)
    fault: str | None = None


class ChannelRow(Frozen):
    """A channel: its last move, or why that cannot be told."""

    channel: str
    move: Move | None = None
    fault: str | None = None


class ModelLook(Frozen):
    """A model: its channels, its tags, and some of its versions, the newest first.

    Attributes:
        total: How many versions there are.
        before: Ask for versions before this one to go on; None at the end.
    """

    model: str
    total: int
    channels: tuple[ChannelRow, ...]
    tags: tuple[Tag, ...]
    versions: tuple[VersionRow, ...]
    before: int | None

    def names_of(self, number: int) -> tuple[str, ...]:
        """Return the channels and tags that name a version."""
        at = [row.channel for row in self.channels if row.move and row.move.version == number]
        return (*at, *(tag.name for tag in self.tags if tag.version == number))


class ChannelLook(Frozen):
    """A channel's history, the newest move first."""

    model: str
    channel: str
    total: int
    moves: tuple[Move, ...]


class Found(Frozen):
    """What a search has found.

    Attributes:
        more: There are others.
    """

    versions: tuple[VersionRow, ...]
    more: bool
