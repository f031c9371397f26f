"""The process that serves the pages: listen, answer, and leave in good order."""

import asyncio
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from registry.listen import listen
from registry.web.app import App
from registry.web.room import Room

#: Seconds that requests get once nothing new is taken on.
_LAST_SECONDS = 5


class Server(uvicorn.Server):
    """uvicorn that ends without an error when it is told to end."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to leave; uvicorn would raise the signal again at the end."""
        del sig, frame
        self.should_exit = True


def serve(room: Room, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        tell: Told the address once the server listens.

    Raises:
        ServeError: The address cannot be had.
    """
    with listen(host, port, 512) as listener, asyncio.Runner() as runner:
        at = listener.getsockname()[1]
        tell(f"http://{f'[{host}]' if ':' in host else host}:{at}/")
        runner.run(_serve(room, listener))


async def _serve(room: Room, listener: socket.socket) -> None:
    config = uvicorn.Config(
        App(room),
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    await Server(config).serve(sockets=[listener])
