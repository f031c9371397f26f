"""Follow a reference: when its channel moves, load the version beside the live one, then swap."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

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
        retry: Seconds until a version that failed to load is tried again.
    """

    def __init__(
        self,
        live: Live,
        catalog: Catalog,
        reference: str,
        load: Callable[[Version], Loaded],
        *,
        retry: float = 30.0,
    ) -> None:
        self._live = live
        self._catalog = catalog
        self._reference = reference
        self._load = load
        self._lock = asyncio.Lock()
        self._wake = asyncio.Event()
        self._retry = retry
        self._refused: int | None = None
        self._patient_until = 0.0
        self._fault = ""
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
                self._complain(str(error))
            except Exception:
                log.exception("%s: the live version stays", self._reference)

    def _complain(self, fault: str) -> None:
        """Log a fault once, and not at every look."""
        if fault != self._fault:
            log.error("%s: the live version stays: %s", self._reference, fault)
        self._fault = fault

    async def _refresh(self, *, again: bool) -> None:
        version: Version = await in_thread(lambda: self._catalog.resolve(self._reference))
        served = self._live.served
        if served and served.number == version.number:
            self._fault = ""
            return
        patient = version.number == self._refused and monotonic() < self._patient_until
        if patient and not again:
            return
        log.info("%s %s is being loaded", version.model, version.number)
        try:
            loaded = await in_thread(lambda: self._load(version))
        except Exception:
            self._refused, self._patient_until = version.number, monotonic() + self._retry
            self._live.metrics.reloads.labels("failed").inc()
            raise
        self._swap(loaded)

    def _swap(self, loaded: Loaded) -> None:
        old = self._live.swap(loaded)
        self._refused, self._fault = None, ""
        self._live.metrics.reloads.labels("live").inc()
        version = loaded.version
        runtime = loaded.predictor.in_force()["runtime"]
        where = f"{loaded.build.target} ({runtime})"
        log.info("%s %s is live on %s", version.model, version.number, where)
        if old:
            task = asyncio.create_task(old.retire())
            self._retiring.add(task)
            task.add_done_callback(self._retiring.discard)
