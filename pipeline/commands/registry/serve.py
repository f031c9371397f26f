"""`pipeline registry serve`: web pages over a store, and the same as JSON."""

import logging
import os
import sys
from typing import Annotated

import typer

from pipeline.commands.store_options import DEFAULT_STORE, Endpoint, StoreUrl, open_catalog
from pipeline.showing import console


def serve(
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="0 takes a free one.")
    ] = 8080,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which the server may be called."),
    ] = None,
    allow_promote: Annotated[
        bool,
        typer.Option(
            "--allow-promote",
            help="Let who has the token of PIPELINE_PROMOTE_TOKEN move channels; "
            "where it is not set, one is made and printed.",
        ),
    ] = False,
) -> None:
    """Show models, versions, channels, parity and differences in a browser; JSON is at /api.

    Nothing can be changed unless --allow-promote is given. Who can reach the address can read
    what the store's records say.
    """
    from registry.web.promotion import TOKEN, new_promotion  # noqa: PLC0415  of this command only
    from registry.web.room import Room  # noqa: PLC0415
    from registry.web.server import serve as run_server  # noqa: PLC0415  loads uvicorn

    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    given = os.environ.get(TOKEN) or None
    promotion = new_promotion(given) if allow_promote else None
    names = frozenset(name.lower() for name in (*(allow_host or ()), host))
    room = Room(open_catalog(store, endpoint), names, promotion)
    if promotion and given is None:
        console.note(f"token to promote with: {promotion.token}")
    run_server(room, host, port, lambda at: console.note(f"{room.catalog.store.url} at {at}"))
