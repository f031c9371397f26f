"""Read from a catalog what the pages show."""

from functools import partial
from itertools import chain

from registry.blob_file import blob_file
from registry.catalog import Catalog
from registry.channel import moves_of, read_entry
from registry.errors import PlatformError, StoreError
from registry.graphs.parts import graphs_of
from registry.layout import numbers_in, versions_prefix
from registry.manifest import Version
from registry.reference import check_name
from registry.side_by_side import ahead
from registry.tag import read_tag, tags_of
from registry.web.looks import (
    ChannelLook,
    ChannelRow,
    ModelList,
    ModelLook,
    ModelRow,
    ParityLook,
    SpeedLook,
    SpeedRow,
    Stay,
    TagRow,
    VersionLook,
    VersionRow,
)
from registry.web.refusals import NotThereError

#: Rows of a page.
PAGE = 50

#: Versions whose errors are laid side by side.
COMPARED = 100

#: Moves of a channel that are read to tell when it pointed to a version.
MOVES = 100

#: Bytes of a job file that are shown.
_LONGEST_JOB = 1 << 20

JOB = "job.yaml"

_WIDTH = 8


def list_models(catalog: Catalog, holds: str, page: int) -> ModelList:
    """Read a page of the models, by name."""
    names = [name for name in catalog.models() if holds.lower() in name]
    pages = max(1, -(-len(names) // PAGE))
    if page > pages:
        raise NotThereError(f"there are {pages} pages of models, and no page {page}")
    shown = names[(page - 1) * PAGE : page * PAGE]
    return ModelList(
        store=catalog.store.url,
        holds=holds,
        page=page,
        pages=pages,
        total=len(names),
        models=tuple(ahead(partial(_model_row, catalog), shown, width=_WIDTH)),
    )


def _model_row(catalog: Catalog, model: str) -> ModelRow:
    try:
        numbers = catalog.versions(model)
        channels = catalog.pointers(model)
    except PlatformError as error:
        return ModelRow(model=model, fault=str(error))
    newest = numbers[-1] if numbers else None
    return ModelRow(model=model, versions=len(numbers), newest=newest, channels=channels)


def look_at_model(catalog: Catalog, model: str, before: int | None) -> ModelLook:
    """Read a model's channels and tags, and a page of its versions, the newest first."""
    numbers = catalog.versions(model)
    channels = read_channels(catalog, model)
    every = numbers_in(catalog.store.children(versions_prefix(model)))
    if not every and not channels:
        raise NotThereError(f"there is no model {model!r} in {catalog.store.url}")
    older = [number for number in reversed(numbers) if before is None or number < before]
    shown = older[:PAGE]
    return ModelLook(
        model=model,
        total=len(numbers),
        removed=tuple(number for number in every if number not in set(numbers)),
        channels=channels,
        tags=read_tags(catalog, model),
        versions=tuple(ahead(partial(_version_row, catalog, model), shown, width=_WIDTH)),
        before=shown[-1] if len(older) > len(shown) else None,
    )


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


def _version_row(catalog: Catalog, model: str, number: int) -> VersionRow:
    try:
        return row_of(catalog.version(model, number))
    except PlatformError as error:
        return VersionRow(model=model, version=number, fault=str(error))


def row_of(version: Version) -> VersionRow:
    """Sum a version up."""
    return VersionRow(
        model=version.model,
        version=version.number,
        created=version.created,
        bytes=sum(file.size for file in version.files.values()),
        files=len(version.files),
        fingerprint=version.fingerprint,
        targets=tuple(build.target for build in version.builds),
        errors={
            build.target: {
                parity.kind: max(one.worst for one in parity.outputs) for parity in build.parity
            }
            for build in version.builds
        },
    )


def read_version(catalog: Catalog, model: str, number: int) -> Version:
    """Read a version, also one that was removed.

    Raises:
        NotThereError: There never was such a one.
    """
    try:
        return catalog.version(model, number)
    except StoreError as error:
        if number in catalog.versions(model) or catalog.removal(model, number):
            raise
        raise NotThereError(str(error)) from error


def look_at_version(catalog: Catalog, model: str, number: int) -> VersionLook:
    """Read all that is said of a version, and its job file."""
    version = read_version(catalog, model, number)
    look = VersionLook(
        version=version,
        removal=catalog.removal(model, number),
        served=stays(catalog, model, number),
        graphs=graphs_of(version),
    )
    try:
        data = file_of(catalog, version, JOB, _LONGEST_JOB)
    except PlatformError as error:
        return look.model_copy(update={"fault": str(error)})
    return look.model_copy(update={"job": data.decode(errors="replace") if data else None})


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


def look_at_parity(catalog: Catalog, model: str) -> ParityLook:
    """Read the errors of the newest versions, the oldest of them first."""
    numbers = _numbers(catalog, model)
    rows = tuple(ahead(partial(_version_row, catalog, model), numbers[-COMPARED:], width=_WIDTH))
    return ParityLook(model=model, total=len(numbers), versions=rows)


def look_at_speed(catalog: Catalog, model: str) -> SpeedLook:
    """Read how fast the newest versions answered, the oldest of them first."""
    numbers = _numbers(catalog, model)
    rows = tuple(ahead(partial(_speed_row, catalog, model), numbers[-COMPARED:], width=_WIDTH))
    return SpeedLook(model=model, total=len(numbers), versions=rows)


def _speed_row(catalog: Catalog, model: str, number: int) -> SpeedRow:
    try:
        builds = catalog.version(model, number).builds
    except PlatformError as error:
        return SpeedRow(model=model, version=number, fault=str(error))
    timed = {build.target: build.benchmark for build in builds if build.benchmark}
    return SpeedRow(model=model, version=number, builds=timed)


def _numbers(catalog: Catalog, model: str) -> tuple[int, ...]:
    numbers = catalog.versions(model)
    if not numbers:
        raise NotThereError(f"{model} has no version that is in use in {catalog.store.url}")
    return numbers


def look_at_channel(catalog: Catalog, model: str, channel: str) -> ChannelLook:
    """Read a channel's history, the newest move first."""
    moves = catalog.history(model, channel)
    if not moves:
        raise NotThereError(f"{model} has no channel {channel!r} in {catalog.store.url}")
    return ChannelLook(model=model, channel=channel, total=len(moves), moves=moves[::-1])


def file_of(catalog: Catalog, version: Version, name: str, most: int) -> bytes | None:
    """Read a file of a version, verified; None where it has none, or a larger one."""
    file = version.files.get(name)
    if file is None or file.size > most:
        return None
    with blob_file(catalog.store, version, name) as data:
        return bytes(data)


def check_there(what: str, name: str) -> None:
    """Refuse a name that nothing can have.

    Raises:
        NotThereError: So nothing has it.
    """
    try:
        check_name(what, name)
    except StoreError as error:
        raise NotThereError(str(error)) from error
