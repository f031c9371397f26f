"""Read from a catalog what the pages show."""

import shlex
from functools import partial
from itertools import islice

from registry.blob_file import blob_file
from registry.catalog import Catalog
from registry.errors import PlatformError, StoreError
from registry.layout import numbers_in, versions_prefix
from registry.manifest import Version
from registry.reference import check_name
from registry.searching.condition import parse_condition
from registry.side_by_side import ahead
from registry.tag import read_tag, tags_of
from registry.web.looks import (
    ChannelLook,
    ChannelRow,
    Found,
    ModelList,
    ModelLook,
    ModelRow,
    ParityLook,
    TagRow,
    VersionLook,
    VersionRow,
)
from registry.web.refusals import NotThereError, RefusalError

#: Rows of a page.
PAGE = 50

#: Versions that a search shows.
FOUND = 100

#: Versions whose errors are laid side by side.
COMPARED = 100

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
    look = VersionLook(version=version, removal=catalog.removal(model, number))
    try:
        data = file_of(catalog, version, JOB, _LONGEST_JOB)
    except PlatformError as error:
        return look.model_copy(update={"fault": str(error)})
    return look.model_copy(update={"job": data.decode(errors="replace") if data else None})


def look_at_parity(catalog: Catalog, model: str) -> ParityLook:
    """Read the errors of the newest versions, the oldest of them first."""
    numbers = catalog.versions(model)
    if not numbers:
        raise NotThereError(f"{model} has no version that is in use in {catalog.store.url}")
    rows = tuple(ahead(partial(_version_row, catalog, model), numbers[-COMPARED:], width=_WIDTH))
    return ParityLook(model=model, total=len(numbers), versions=rows)


def look_at_channel(catalog: Catalog, model: str, channel: str) -> ChannelLook:
    """Read a channel's history, the newest move first."""
    moves = catalog.history(model, channel)
    if not moves:
        raise NotThereError(f"{model} has no channel {channel!r} in {catalog.store.url}")
    return ChannelLook(model=model, channel=channel, total=len(moves), moves=moves[::-1])


def search(catalog: Catalog, where: str) -> Found:
    """Find versions by conditions such as `target=openvino* created>=2026-11`.

    Raises:
        RefusalError: One is not a condition.
    """
    try:
        conditions = shlex.split(where)
        for condition in conditions:
            parse_condition(condition)
    except (ValueError, StoreError) as error:
        raise RefusalError(f"{error}. Set values with spaces in quotes") from error
    if not conditions:
        return Found(where=where, versions=(), more=False)
    found = list(islice(catalog.search(conditions), FOUND + 1))
    return Found(where=where, versions=tuple(map(row_of, found[:FOUND])), more=len(found) > FOUND)


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
