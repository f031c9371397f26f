"""`pipeline registry pull`: bring a version out of a store."""

from pathlib import Path
from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Ref
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.commands.version_text import figures, total
from pipeline.showing import console
from pipeline.showing.progress import size


def pull(
    reference: Ref,
    *,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder for its files.")],
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
