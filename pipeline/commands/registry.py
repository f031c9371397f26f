"""`pipeline registry`: look into a store, and bring versions out of it."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import describe, figures, moment, plain, total
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.catalog import Catalog
from registry.errors import IntegrityError, StoreError
from registry.manifest import Version
from registry.reference import check_name, parse_reference
from registry.side_by_side import ahead

app = typer.Typer(
    help="List, show, pull and verify versions.", no_args_is_help=True, add_completion=False
)

Ref = Annotated[str, typer.Argument(metavar="REF", help="MODEL, MODEL@7 or MODEL@CHANNEL.")]


@app.command()
def ls(
    model: Annotated[str | None, typer.Argument(help="One model's versions.")] = None,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """List the models of a store, or the versions of a model."""
    catalog = open_catalog(store, endpoint)
    if model is None:
        _list_models(catalog, as_json=as_json)
    else:
        _list_versions(catalog, check_name("model", model), as_json=as_json)


@app.command()
def show(
    reference: Ref,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show a version: its inputs, parts, targets, parity and origin; of MODEL, all versions too."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    if as_json:
        console.emit(version.model_dump(mode="json", by_alias=True))
        return
    console.say(describe(version))
    if "@" not in reference:
        console.say("")
        _list_versions(catalog, version.model, as_json=False)


@app.command()
def pull(
    reference: Ref,
    *,
    out: Annotated[Path, typer.Option(help="The folder for its files.")],
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Bring a version's files into a folder, each verified; goes on where one broke off."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    with console.progress_line("pull") as progress:
        catalog.pull(version, out, progress)
    if as_json:
        console.emit(figures(version) | {"folder": str(out)})
    else:
        console.say(
            f"{version.model}@{version.number}: {len(version.files)} files, "
            f"{size(total(version))}, verified, in {out}"
        )


@app.command()
def verify(
    reference: Ref,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Read all of a version's bytes in the store, and compare their digests."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    with console.progress_line("verify") as progress:
        catalog.verify(version, progress)
    if as_json:
        console.emit(figures(version) | {"intact": True})
    else:
        console.say(
            f"{version.model}@{version.number}: {len(version.files)} files, "
            f"{size(total(version))}, all as published"
        )


@app.command()
def log(
    reference: Annotated[str, typer.Argument(metavar="MODEL[@CHANNEL]")],
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show who moved a channel, or all of a model's, where, when and why; the newest first."""
    wanted = parse_reference(reference)
    if wanted.number is not None:
        raise StoreError(f"{reference!r} names a version. Write MODEL or MODEL@CHANNEL")
    catalog = open_catalog(store, endpoint)
    names = [wanted.channel] if wanted.channel else catalog.channels(wanted.model)
    moves = [move for name in names for move in catalog.history(wanted.model, name)]
    if not moves:
        catalog.resolve(reference)  # says what is missing
    moves.sort(key=lambda move: (move.when, move.number), reverse=True)
    if as_json:
        console.emit({"model": wanted.model, "moves": [m.model_dump(mode="json") for m in moves]})
        return
    rows = [
        (
            m.channel,
            str(m.number),
            moment(m.when),
            str(m.previous or ""),
            str(m.version),
            m.who,
            m.why,
        )
        for m in moves
    ]
    header = ("channel", "move", "when", "from", "to", "who", "why")
    console.show_table(header, [tuple(map(plain, row)) for row in rows])


def _list_models(catalog: Catalog, *, as_json: bool) -> None:
    models = catalog.models()
    if not models:
        _check_there(catalog)
    found = dict(zip(models, ahead(catalog.versions, models, width=8), strict=True))
    pointers = ahead(partial(_channels, catalog), models, width=8)
    channels = dict(zip(models, pointers, strict=True))
    if as_json:
        rows: list[JsonValue] = [
            {"model": model, "versions": list(numbers), "channels": {**channels[model]}}
            for model, numbers in found.items()
        ]
        console.emit({"store": catalog.store.url, "models": rows})
    elif not found:
        console.say(f"{catalog.store.url} holds no models")
    else:
        lines = [
            (model, str(len(numbers)), str(max(numbers, default="")), _pointers(channels[model]))
            for model, numbers in found.items()
        ]
        console.show_table(("model", "versions", "newest", "channels"), lines)


def _check_there(catalog: Catalog) -> None:
    if not catalog.store.is_there():
        raise StoreError(
            f"{catalog.store.url}: there is no such folder. Name another with --store; the first "
            "push makes one"
        )


def _list_versions(catalog: Catalog, model: str, *, as_json: bool) -> None:
    numbers = catalog.versions(model)
    if not numbers:
        catalog.resolve(model)  # says what is missing
    found = dict(zip(numbers, ahead(partial(_read, catalog, model), numbers, width=8), strict=True))
    channels = _channels(catalog, model)
    if as_json:
        rows: list[JsonValue] = [
            figures(read)
            if isinstance(read, Version)
            else {"model": model, "version": number, "damaged": read}
            for number, read in found.items()
        ]
        console.emit({"model": model, "channels": {**channels}, "versions": rows})
        return
    lines = [
        (str(number), *_facts(read), ", ".join(n for n, at in channels.items() if at == number))
        for number, read in found.items()
    ]
    console.show_table(("version", "created", "size", "targets", "channels"), lines)
    for read in found.values():
        if isinstance(read, str):
            console.note(plain(read))


def _read(catalog: Catalog, model: str, number: int) -> Version | str:
    """Read a version, or say why it cannot be believed: one that is damaged hides no other."""
    try:
        return catalog.version(model, number)
    except IntegrityError as error:
        return str(error)


def _facts(read: Version | str) -> tuple[str, str, str]:
    if isinstance(read, str):
        return "damaged", "", ""
    targets = ", ".join(build.target for build in read.builds)
    return moment(read.created), size(total(read)), targets


def _channels(catalog: Catalog, model: str) -> dict[str, int]:
    moves = {name: catalog.channel(model, name) for name in catalog.channels(model)}
    return {name: move.version for name, move in moves.items() if move}


def _pointers(channels: dict[str, int]) -> str:
    return ", ".join(f"{name}@{number}" for name, number in channels.items())
