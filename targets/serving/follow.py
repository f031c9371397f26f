"""Follow a reference: when its channel moves, load the version beside the live one, then swap."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from registry.catalog import Catalog
from registry.errors import PlatformError
from registry.manifest import Version
from targets.serving.in_thread import in_thread
from targets.serving.live import Live, Loaded

log = logging.getLogger(__name__)


class Follower:
    """Keep what is live at what the reference points to.

    Args:
        reference: MODEL, MODEL@7 or MODEL@channel.
        load: Makes a version ready; called in a thread of its own.
    """

    def __init__(
        self, live: Live, catalog: Catalog, reference: str, load: Callable[[Version], Loaded]
    ) -> None:
        self._live = live
        self._catalog = catalog
        self._reference = reference
        self._load = load
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._refused: int | None = None
        self._retiring: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Look at the reference now, and try again what failed to load."""
        self._refused = None
        self._wake.set()

    async def refresh(self) -> None:
        """Go to the version that the reference points to; the old one serves until then.

        Raises:
            PlatformError: The store or the version is at fault; the old version serves on.
        """
        async with self._lock:
            await self._refresh(again=True)

    async def watch(self, every: float) -> None:
        """Look at the reference every so many seconds, for ever."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), every)
            self._wake.clear()
            try:
                async with self._lock:
                    await self._refresh(again=False)
            except PlatformError as error:
                log.error("%s: the live version stays: %s", self._reference, error)  # noqa: TRY400 - no fault of the code
            except Exception:
                log.exception("%s: the live version stays", self._reference)

    async def _refresh(self, *, again: bool) -> None:
        version: Version = await in_thread(lambda: self._catalog.resolve(self._reference))
        served = self._live.served
        if served and served.number == version.number:
            return
        if version.number == self._refused and not again:
            return
        try:
            loaded = await in_thread(lambda: self._load(version))
        except Exception:
            self._refused = version.number
            self._live.metrics.reloads.labels("failed").inc()
            raise
        self._swap(loaded)

    def _swap(self, loaded: Loaded) -> None:
        old = self._live.swap(loaded)
        self._refused = None
        self._live.metrics.reloads.labels("live").inc()
        version = loaded.version
        log.info("%s %s is live on %s", version.model, version.number, loaded.build.target)
        if old:
            task = asyncio.create_task(old.retire())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
