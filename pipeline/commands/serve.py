"""`pipeline serve`: answer requests with a version, over HTTP."""

import logging
import sys
from typing import Annotated

import typer

from pipeline.commands.finite import finite
from pipeline.commands.home_option import DEFAULT_HOME, Home
from pipeline.commands.serving_options import Target, Threads
from pipeline.commands.store_options import DEFAULT_STORE, Endpoint, StoreUrl, open_catalog
from pipeline.home import open_home
from pipeline.showing import console
from registry.reference import parse_reference
from registry.require import require


def serve(  # noqa: PLR0913 - each is an option of the command
    reference: Annotated[
        str, typer.Argument(metavar="REF", help="MODEL@CHANNEL is followed; MODEL@7 stays.")
    ],
    *,
    store: StoreUrl = DEFAULT_STORE,
    endpoint: Endpoint = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="0 takes a free one.")
    ] = 8080,
    target: Target = None,
    threads: Threads = 0,
    max_batch: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows that are joined at most.")
    ] = 32,
    max_delay_ms: Annotated[
        float,
        typer.Option(
            callback=finite, min=0, metavar="MS", help="How long to wait for rows to join."
        ),
    ] = 1.0,
    max_queue: Annotated[
        int, typer.Option(min=1, metavar="N", help="Requests that may wait.")
    ] = 512,
    max_body_mb: Annotated[
        float, typer.Option(callback=finite, min=0.001, metavar="MB", help="The largest request.")
    ] = 64.0,
    timeout: Annotated[
        float, typer.Option(callback=finite, min=0.001, metavar="SECONDS", help="For a request.")
    ] = 30.0,
    poll: Annotated[
        float,
        typer.Option(
            callback=finite, min=0.05, metavar="SECONDS", help="Between looks at the channel."
        ),
    ] = 2.0,
    drain: Annotated[
        float, typer.Option(callback=finite, min=0, metavar="SECONDS", help="Of notice on SIGTERM.")
    ] = 1.0,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Log each request, in JSON.")
    ] = False,
    home: Home = DEFAULT_HOME,
) -> None:
    """Serve a version by the Open Inference Protocol v2, with metrics at /metrics.

    When the channel moves, the new version is loaded beside the live one, which answers
    until then. SIGHUP looks at the channel at once; SIGTERM drains and ends the server.
    Where only a toolchain has the runtime, it is served from there.
    """
    for module in ("uvicorn", "httptools", "orjson"):
        require(module, extra="serve")
    from pipeline.toolchains.enter import enter  # noqa: PLC0415  reads tables of runtimes
    from targets.serving.limits import Limits  # noqa: PLC0415  needs the extra
    from targets.serving.load import LoadOptions, load_version  # noqa: PLC0415
    from targets.serving.server import ServeOptions  # noqa: PLC0415
    from targets.serving.server import serve as run_server  # noqa: PLC0415

    parse_reference(reference)
    logging.basicConfig(
        stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    catalog = open_catalog(store, endpoint)
    enter(catalog.resolve(reference), target, to_serve=True)
    limits = Limits(
        delay=max_delay_ms / 1000,
        queue=max_queue,
        timeout=timeout,
        body=int(max_body_mb * (1 << 20)),
        drain=drain,
    )
    options = ServeOptions(
        reference,
        cache=open_home(home),
        host=host,
        port=port,
        poll=poll,
        log_requests=access_log,
        limits=limits,
    )
    load_options = LoadOptions(options.cache, target, threads, max_batch)
    run_server(
        catalog, options, lambda version: load_version(catalog, version, load_options), console.note
    )
