"""`pipeline registry drop`: let a channel point nowhere."""

from typing import Annotated

import typer

from pipeline.commands.registry.arguments import Why
from pipeline.commands.store_options import DEFAULT_STORE, AsJson, Endpoint, StoreUrl, open_catalog
from pipeline.showing import console
from pipeline.who import who
from registry.errors import StoreError
from registry.reference import parse_reference


def drop(
    reference: Annotated[
        str, typer.Argument(metavar="MODEL@CHANNEL", help="The channel that is to go.")
    ],
    *,
    why: Why,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    as_json: AsJson = False,
) -> None:
    """Let a channel point nowhere, so that it holds no version. Its history stays, and tells it."""
    wanted = parse_reference(reference)
    if wanted.channel is None:
        raise StoreError(f"{reference!r} names no channel. Write MODEL@CHANNEL")
    catalog = open_catalog(store, endpoint)
    dropped = catalog.drop(wanted.model, wanted.channel, who=who(), why=why)
    if as_json:
        console.emit({"model": wanted.model} | dropped.model_dump(mode="json"))
    else:
        console.say(f"{reference} points nowhere any more; it was version {dropped.version}")
