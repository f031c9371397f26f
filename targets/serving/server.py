"""The server's process: listen, load, answer, follow the channel, and leave in good order."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from registry.catalog import Catalog
from registry.listen import listen
from registry.manifest import Version
from registry.require import require
from targets.serving.app import App
from targets.serving.drain import DrainingServer
from targets.serving.follow import Follower
from targets.serving.limits import Limits
from targets.serving.live import Live, Loaded
from targets.serving.metrics import new_metrics
from targets.serving.presence import Presence, announce, withdraw
from targets.serving.routes import Room

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServeOptions:
    """What is served, and where.

    Attributes:
        reference: MODEL, MODEL@7 or MODEL@channel.
        port: 0 takes a free one.
        poll: Seconds between two looks at the channel.
    """

    reference: str
    cache: Path
    host: str = "127.0.0.1"
    port: int = 8080
    poll: float = 2.0
    log_requests: bool = False
    limits: Limits = field(default_factory=Limits)


Tell = Callable[[str], None]
Load = Callable[[Version], Loaded]


def serve(catalog: Catalog, options: ServeOptions, load: Load, tell: Tell) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        tell: Told the address once the server listens.

    Raises:
        ServeError: The address cannot be had.
        PlatformError: The first version does not load.
    """
    uvloop = require("uvloop", extra="serve")
    with (
        listen(options.host, options.port, 2048) as listener,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(_serve(catalog, options, load, tell, listener))


async def _serve(
    catalog: Catalog, options: ServeOptions, load: Load, tell: Tell, listener: socket.socket
) -> None:
    live = Live(options.reference.partition("@")[0], options.limits, new_metrics())
    follower = Follower(live, catalog, options.reference, load)
    room = Room(live, follower.refresh)
    server = DrainingServer(App(room, options.log_requests), live)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, follower.wake)
    host, port = listener.getsockname()[:2]
    presence = Presence(
        model=live.model,
        reference=options.reference,
        store=catalog.store.url,
        host=host,
        port=port,
        pid=os.getpid(),
        instance=room.instance,
    )
    path = announce(options.cache, presence)
    tell(f"{live.model} at http://{host}:{port}/v2")
    work = asyncio.create_task(_load_and_follow(follower, server, options.poll))
    try:
        await server.serve(sockets=[listener])
    finally:
        withdraw(path, room.instance)
        work.cancel()
        await asyncio.wait([work])
        log.info("stopped")
    if not work.cancelled() and (error := work.exception()):
        raise error


async def _load_and_follow(follower: Follower, server: DrainingServer, poll: float) -> None:
    """Load the first version, or end the server; then follow the channel for ever."""
    try:
        await follower.refresh()
    except BaseException:
        server.should_exit = True
        raise
    await follower.watch(poll)
