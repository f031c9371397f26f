"""`pipeline registry`: look into a store, and bring versions out of it."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline import console
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import describe, figures, moment, plain, total
from pipeline.progress import size
from registry.catalog import Catalog
from registry.errors import StoreError
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
    """Show a version: its inputs, parts, targets, parity and origin."""
    version = open_catalog(store, endpoint).resolve(reference)
    if as_json:
        console.emit(version.model_dump(mode="json", by_alias=True))
    else:
        console.say(describe(version))


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
    reference: Annotated[str, typer.Argument(metavar="MODEL@CHANNEL")],
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show a channel's history: who moved it where, when and why; the newest first."""
    wanted = parse_reference(reference)
    if wanted.channel is None:
        raise StoreError(f"{reference!r} names no channel. Write MODEL@CHANNEL")
    catalog = open_catalog(store, endpoint)
    catalog.resolve(reference)  # says what is missing
    moves = catalog.history(wanted.model, wanted.channel)[::-1]
    if as_json:
        console.emit({"model": wanted.model, "moves": [m.model_dump(mode="json") for m in moves]})
        return
    rows = [
        (str(m.number), moment(m.when), str(m.previous or ""), str(m.version), m.who, m.why)
        for m in moves
    ]
    header = ("move", "when", "from", "to", "who", "why")
    console.show_table(header, [tuple(map(plain, row)) for row in rows])


def _list_models(catalog: Catalog, *, as_json: bool) -> None:
    models = catalog.models()
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


def _list_versions(catalog: Catalog, model: str, *, as_json: bool) -> None:
    catalog.resolve(model)  # says what is missing
    versions = list(ahead(partial(catalog.version, model), catalog.versions(model), width=8))
    channels = _channels(catalog, model)
    if as_json:
        rows: list[JsonValue] = [figures(version) for version in versions]
        console.emit({"model": model, "channels": {**channels}, "versions": rows})
        return
    lines = [
        (
            str(version.number),
            moment(version.created),
            size(total(version)),
            ", ".join(build.target for build in version.builds),
            ", ".join(name for name, number in channels.items() if number == version.number),
        )
        for version in versions
    ]
    console.show_table(("version", "created", "size", "targets", "channels"), lines)


def _channels(catalog: Catalog, model: str) -> dict[str, int]:
    moves = {name: catalog.channel(model, name) for name in catalog.channels(model)}
    return {name: move.version for name, move in moves.items() if move}


def _pointers(channels: dict[str, int]) -> str:
    return ", ".join(f"{name}@{number}" for name, number in channels.items())
