"""The options by which commands are told of a store: the same everywhere."""

from typing import Annotated

import typer

from registry.catalog import Catalog
from registry.store import open_store

#: Where the example jobs push to.
DEFAULT_STORE = ".pipeline/store"

StoreUrl = Annotated[
    str,
    typer.Option(
        "--store",
        envvar="PIPELINE_STORE",
        metavar="URL",
        help="A folder or s3://bucket/prefix.",
    ),
]
Endpoint = Annotated[
    str | None,
    typer.Option(
        envvar="PIPELINE_ENDPOINT", metavar="URL", help="Of an S3-compatible service, if not AWS."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def open_catalog(store: str, endpoint: str | None) -> Catalog:
    """Open the catalog that the options name."""
    return Catalog(open_store(store, endpoint=endpoint))
