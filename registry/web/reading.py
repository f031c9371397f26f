"""Read from a catalog what the pages show."""

from functools import partial

from registry.blob_file import blob_file
from registry.catalog import Catalog
from registry.errors import PlatformError, StoreError
from registry.graphs.parts import graphs_of
from registry.layout import numbers_in, versions_prefix
from registry.manifest import Version
from registry.reference import check_name
from registry.side_by_side import ahead
from registry.web.looks import (
    ModelList,
    ModelLook,
    ModelRow,
    VersionLook,
    VersionRow,
)
from registry.web.naming import read_channels, read_tags, stays
from registry.web.refusals import NotThereError

#: Rows of a page.
PAGE = 50

#: Bytes of a job file that are shown.
_LONGEST_JOB = 1 << 20

JOB = "job.yaml"

#: Records that are read side by side.
WIDTH = 8


def list_models(catalog: Catalog, holds: str, page: int) -> ModelList:
    """Read a page of the models, by name."""
    known = _known(catalog)
    names = [name for name in known or catalog.models() if holds.lower() in name]
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
        models=tuple(known[name] for name in shown)
        if known
        else tuple(ahead(partial(_model_row, catalog), shown, width=WIDTH)),
    )


def _known(catalog: Catalog) -> dict[str, ModelRow]:
    """Sum all models up, if the store has an index; what is damaged is for who reads each."""
    try:
        found = catalog.quick_overview()
    except PlatformError:
        found = None
    if found is None:
        return {}
    return {
        model: ModelRow(
            model=model,
            versions=len(numbers),
            newest=numbers[-1] if numbers else None,
            channels=found.channels.get(model, {}),
        )
        for model, numbers in found.versions.items()
    }


def _model_row(catalog: Catalog, model: str) -> ModelRow:
    try:
        numbers = catalog.versions(model)
    except PlatformError as error:
        return ModelRow(model=model, fault=str(error))
    row = ModelRow(model=model, versions=len(numbers), newest=numbers[-1] if numbers else None)
    try:
        return row.model_copy(update={"channels": catalog.pointers(model)})
    except PlatformError as error:
        return row.model_copy(update={"fault": str(error)})


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
        removed=tuple(sorted({*every} - {*numbers})),
        channels=channels,
        tags=read_tags(catalog, model),
        versions=tuple(ahead(partial(version_row, catalog, model), shown, width=WIDTH)),
        before=shown[-1] if len(older) > len(shown) else None,
    )


def version_row(catalog: Catalog, model: str, number: int) -> VersionRow:
    """Sum a version up, or say why it cannot be believed."""
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
