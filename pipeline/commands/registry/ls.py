"""`pipeline registry ls`: the models of a store, or the versions of one."""

from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.registry.there import check_there
from pipeline.commands.registry.versions_table import list_versions
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.showing import console
from registry.catalog import Catalog
from registry.listing.overview import Overview
from registry.reference import check_name


def ls(
    model: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="One model's versions.")
    ] = None,
    *,
    anew: Annotated[
        bool, typer.Option("--anew", help="List the whole store; believe no index of it.")
    ] = False,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """List the models of a store, or the versions of a model."""
    catalog = open_catalog(store, endpoint)
    if model is None:
        _list_models(catalog, catalog.overview(anew=anew), as_json=as_json)
    else:
        list_versions(catalog, check_name("model", model), as_json=as_json)


def _list_models(catalog: Catalog, overview: Overview, *, as_json: bool) -> None:
    found, channels = overview.versions, overview.channels
    if not found:
        check_there(catalog)
    if as_json:
        rows: list[JsonValue] = [
            {"model": model, "versions": list(numbers), "channels": {**channels.get(model, {})}}
            for model, numbers in found.items()
        ]
        console.emit({"store": catalog.store.url, "models": rows})
    elif not found:
        console.say(f"{catalog.store.url} holds no models")
    else:
        lines = [
            (
                model,
                str(len(numbers)),
                str(max(numbers, default="")),
                _pointers(channels.get(model, {})),
            )
            for model, numbers in found.items()
        ]
        console.show_table(("model", "versions", "newest", "channels"), lines)


def _pointers(channels: dict[str, int]) -> str:
    return ", ".join(f"{name}@{number}" for name, number in channels.items())
