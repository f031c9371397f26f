"""Read from a catalog by what names versions go, and went: channels and tags."""

from functools import partial
from itertools import chain

from registry.catalog import Catalog
from registry.channel import moves_of, read_entry
from registry.errors import PlatformError
from registry.side_by_side import ahead
from registry.tag import read_tag, tags_of
from registry.web.looks import ChannelLook, ChannelRow, Stay, TagRow
from registry.web.refusals import NotThereError

#: Moves of a channel that are read to tell when it pointed to a version.
MOVES = 100

#: Records that are read side by side.
_WIDTH = 8


def read_channels(catalog: Catalog, model: str) -> tuple[ChannelRow, ...]:
    """Read where each channel of a model points."""

    def read(name: str) -> ChannelRow:
        try:
            return ChannelRow(channel=name, move=catalog.channel(model, name))
        except PlatformError as error:
            return ChannelRow(channel=name, fault=str(error))

    return tuple(ahead(read, catalog.channels(model), width=_WIDTH))


def read_tags(catalog: Catalog, model: str) -> tuple[TagRow, ...]:
    """Read what each tag of a model names."""

    def read(name: str) -> TagRow:
        try:
            return TagRow(name=name, tag=read_tag(catalog.store, model, name))
        except PlatformError as error:
            return TagRow(name=name, fault=str(error))

    return tuple(ahead(read, tags_of(catalog.store, model), width=_WIDTH))


def stays(catalog: Catalog, model: str, number: int) -> tuple[Stay, ...]:
    """Read when channels pointed to a version, the latest first, but for damaged channels."""
    read = partial(_stays, catalog, model, number)
    found = chain.from_iterable(map(read, catalog.channels(model)))
    return tuple(sorted(found, key=lambda stay: stay.move.when, reverse=True))


def _stays(catalog: Catalog, model: str, number: int, channel: str) -> tuple[Stay, ...]:
    numbers = moves_of(catalog.store, model, channel)[-MOVES:]
    read = partial(read_entry, catalog.store, model, channel)
    try:
        moves = tuple(ahead(read, numbers, width=_WIDTH))
    except PlatformError:
        return ()
    ends = (*(move.when for move in moves[1:]), None)
    return tuple(
        Stay(move=move, until=until)
        for move, until in zip(moves, ends, strict=False)  # none has an end where none moved
        if move.version == number and not move.dropped
    )


def look_at_channel(catalog: Catalog, model: str, channel: str) -> ChannelLook:
    """Read a channel's history, the newest move first."""
    moves = catalog.history(model, channel)
    if not moves:
        raise NotThereError(f"{model} has no channel {channel!r} in {catalog.store.url}")
    return ChannelLook(model=model, channel=channel, total=len(moves), moves=moves[::-1])
