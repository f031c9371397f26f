"""`pipeline registry export`: lay a version out for a tool that serves it."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.store_options import (
    DEFAULT_STORE,
    AsJson,
    Endpoint,
    StoreUrl,
    open_catalog,
)
from pipeline.showing import console
from registry.exchange.export import Wish
from registry.exchange.layouts import LAYOUTS
from registry.exchange.layouts.layout import IMAGE

_LAYOUTS = "; ".join(f"{layout.name}: {layout.help}" for layout in LAYOUTS)


def export(  # noqa: PLR0913 - each is an option of the command
    reference: Ref,
    *,
    layout: Annotated[str, typer.Option(metavar="NAME", help=f"{_LAYOUTS}.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where it goes.")],
    target: Annotated[
        str | None, typer.Option(metavar="NAME", help="The build; else the first.")
    ] = None,
    image: Annotated[
        str, typer.Option(metavar="NAME", help="The container of our server, for kserve.")
    ] = IMAGE,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Lay a version out for OpenVINO Model Server, KServe or TorchServe, or as plain files."""
    catalog = open_catalog(store, endpoint)
    version = catalog.resolve(reference)
    wish = Wish(layout, target, store, endpoint, image)
    with console.progress_line("export") as progress:
        path = catalog.export(version, out, wish, progress)
    if as_json:
        console.emit({"model": version.model, "version": version.number, "file": str(path)})
    else:
        console.say(f"{version.model}@{version.number} is laid out for {layout}: {path}")
