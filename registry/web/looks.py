"""What the pages show and the API tells, as records; one damaged thing hides no other."""

from datetime import datetime

from pydantic import Field

from registry.comparing.difference import Difference
from registry.graphs.sketch import Sketch, Stretch
from registry.manifest import Benchmark, Move, Version
from registry.marks import Removal, Tag
from registry.signature import Frozen


class ModelRow(Frozen):
    """A model in the list.

    Attributes:
        versions: How many there are to be used.
        channels: Where each points.
        fault: Why this cannot be told; versions are, where only the channels cannot.
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


class TagRow(Frozen):
    """A tag, or why it cannot be read."""

    name: str
    tag: Tag | None = None
    fault: str | None = None


class ModelLook(Frozen):
    """A model: its channels, its tags, and some of its versions, the newest first.

    Attributes:
        total: How many versions there are to be used.
        removed: Those that are out of use; what they were can still be read.
        before: Ask for versions before this one to go on; None at the end.
    """

    model: str
    total: int
    removed: tuple[int, ...]
    channels: tuple[ChannelRow, ...]
    tags: tuple[TagRow, ...]
    versions: tuple[VersionRow, ...]
    before: int | None

    def names_of(self, number: int) -> tuple[str, ...]:
        """Return the channels and tags that name a version."""
        at = [row.channel for row in self.channels if row.move and row.move.version == number]
        tags = [row.name for row in self.tags if row.tag and row.tag.version == number]
        return (*at, *tags)


class Stay(Frozen):
    """A time for which a channel pointed to a version.

    Attributes:
        until: None where it does so still.
    """

    move: Move
    until: datetime | None


class VersionLook(Frozen):
    """A version, whole.

    Attributes:
        served: When channels pointed to it, the latest first, as far as their last moves tell.
        graphs: The parts whose graphs can be looked at.
        job: The text of its job file; None where it has none, or a larger one than is shown.
        fault: Why the job file cannot be read.
    """

    version: Version
    removal: Removal | None
    served: tuple[Stay, ...] = ()
    graphs: tuple[str, ...] = ()
    job: str | None = None
    fault: str | None = None


class ParityLook(Frozen):
    """The largest errors of a model's versions, the oldest first.

    Attributes:
        total: How many versions there are; the newest of them are shown.
    """

    model: str
    total: int
    versions: tuple[VersionRow, ...]


class SpeedRow(Frozen):
    """How fast a version's builds answered, by target, or why that cannot be told."""

    model: str
    version: int
    builds: dict[str, Benchmark] = Field(default_factory=dict)
    fault: str | None = None


class SpeedLook(Frozen):
    """How fast a model's versions answered where they were validated, the oldest first.

    Attributes:
        total: How many versions there are; the newest of them are shown.
    """

    model: str
    total: int
    versions: tuple[SpeedRow, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the kinds of CPU on which versions were timed, each once."""
        timed = (one for row in self.versions for one in row.builds.values())
        return tuple(dict.fromkeys(one.cpu for one in timed))


class GraphLook(Frozen):
    """The graph of a part of a version, drawn in few boxes.

    Attributes:
        parts: All parts of the version that have a graph to look at.
        shown: Which stretch of the graph this is.
        total: Nodes of the graph, what is computed from constants alone left out.
        unread: Nodes that were not read, since there are too many.
    """

    model: str
    number: int
    part: str
    parts: tuple[str, ...]
    shown: Stretch
    total: int
    unread: int
    sketch: Sketch


class DiffLook(Frozen):
    """What two versions differ in.

    Attributes:
        whole: Also rows, graphs and the job were compared.
        bytes: What that reads, or would.
    """

    model: str
    before: int
    after: int
    whole: bool
    bytes: int
    difference: Difference


class ChannelLook(Frozen):
    """A channel's history, the newest move first."""

    model: str
    channel: str
    total: int
    moves: tuple[Move, ...]


class Found(Frozen):
    """What a search has found, as far as it came in the time that a page has.

    Attributes:
        where: What was asked for.
        looked: How many versions it looked at.
        damaged: Those that cannot be believed.
        after: Ask for what comes after this one to go on; None at the end.
    """

    where: str
    versions: tuple[VersionRow, ...]
    looked: int = 0
    damaged: tuple[VersionRow, ...] = ()
    after: str | None = None
