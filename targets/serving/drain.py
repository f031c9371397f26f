"""Leave without losing a request."""

import asyncio
import logging
import signal
from types import FrameType

import uvicorn

from targets.serving.app import App
from targets.serving.live import Live

log = logging.getLogger(__name__)

#: Seconds that requests get once nothing new is taken on.
_LAST_SECONDS = 10


class DrainingServer(uvicorn.Server):
    """uvicorn that says goodbye first.

    On SIGTERM readiness goes false and every answer asks its client to close the
    connection, while requests are still answered; only then does the server stop. So no
    client finds its connection closed under a request. On SIGINT, or on a second signal,
    there is no such notice; requests under way are answered all the same.
    """

    def __init__(self, app: App, live: Live) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=2048,
                timeout_keep_alive=75,
                timeout_graceful_shutdown=_LAST_SECONDS,
            )
        )
        self._live = live
        self._loop = asyncio.get_running_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to leave; uvicorn calls this from its signal handler."""
        del frame
        notice = self._live.limits.drain if sig == signal.SIGTERM else 0.0
        if self._live.draining:
            notice = 0.0
        self._live.draining = True
        self._loop.call_soon_threadsafe(self._drain, notice)

    def _drain(self, notice: float) -> None:
        log.info("draining: requests are still answered, the server stops in %g s", notice)
        self._loop.call_later(notice, self._stop)

    def _stop(self) -> None:
        self.should_exit = True
