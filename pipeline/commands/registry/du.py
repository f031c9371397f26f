"""`pipeline registry du`: what versions take up."""

from typing import Annotated

import typer
from pydantic import JsonValue

from pipeline.commands.registry.there import check_there
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.catalog import Catalog
from registry.searching.usage import Usage, Usages


def du(
    model: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="Show this model's versions.")
    ] = None,
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Show what models, or a model's versions, take up: own bytes are freed when they go."""
    catalog = open_catalog(store, endpoint)
    check_there(catalog)
    usages = catalog.usage()
    rows = _rows(catalog, usages, model)
    if as_json:
        found: list[JsonValue] = [
            {"name": name, "bytes": usage.bytes, "own": usage.own, "shared": usage.shared}
            for name, usage in rows
        ]
        console.emit({"store": catalog.store.url, "bytes": usages.total, "usage": found})
        return
    cells = [(name, size(use.bytes), size(use.own), size(use.shared)) for name, use in rows]
    if cells:
        console.show_table(("version" if model else "model", "size", "own", "shared"), cells)
    total = usages.models[model].bytes if model else usages.total
    console.say(f"{size(total)} in all")


def _rows(catalog: Catalog, usages: Usages, model: str | None) -> list[tuple[str, Usage]]:
    if model is None:
        return list(usages.models.items())
    if model not in usages.models:
        catalog.resolve(model)  # says what is missing
    return [
        (f"{name}@{number}", usage)
        for (name, number), usage in usages.versions.items()
        if name == model
    ]
