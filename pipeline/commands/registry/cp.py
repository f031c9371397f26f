"""`pipeline registry cp`: take a version over into another store."""

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
from pipeline.commands.version_text import figures, total
from pipeline.showing import console
from pipeline.showing.progress import size
from registry.errors import StoreError

To = Annotated[str, typer.Option("--to-store", metavar="URL", help="The store that gets it.")]
ToEndpoint = Annotated[
    str | None, typer.Option(metavar="URL", help="Of the service of --to-store, if not AWS.")
]


def cp(
    reference: Ref,
    *,
    to: To,
    to_endpoint: ToEndpoint = None,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Copy a version into another store, where it gets the next number; only what lacks moves."""
    source, target = open_catalog(store, endpoint), open_catalog(to, to_endpoint)
    if source.store.url == target.store.url:
        raise StoreError(f"{target.store.url} is the store that the version is in. Name another")
    version = source.resolve(reference)
    with console.progress_line("copy") as progress:
        copied = target.copy(version, source, progress)
    if as_json:
        console.emit(figures(copied) | {"store": target.store.url})
    else:
        console.say(
            f"{version.model}@{version.number} is {copied.model}@{copied.number} in "
            f"{target.store.url}: {len(copied.files)} files, {size(total(copied))}"
        )
