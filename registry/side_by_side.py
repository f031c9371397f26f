"""Work in several threads, bounded, that ends when one of them fails."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from registry.progress import Progress

Item = TypeVar("Item")
Result = TypeVar("Result")


class StoppedError(Exception):
    """Other work has failed, so that this is in vain."""


class Tally:
    """Bytes moved by several threads, told to one progress; the way to stop the threads."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._lock = threading.Lock()
        self._done, self._total, self._progress = 0, total, progress
        self._stopped = False

    def advance(self, count: int) -> None:
        """Count bytes.

        Raises:
            StoppedError: `stop` was called.
        """
        with self._lock:
            if self._stopped:
                raise StoppedError
            self._done += count
            self._progress(self._done, self._total, "bytes")

    def stop(self) -> None:
        """Make `advance` raise from now on."""
        with self._lock:
            self._stopped = True


def each(
    work: Callable[[Item], Result], items: Iterable[Item], tally: Tally, width: int = 4
) -> list[Result]:
    """Do some work for each item; the first failure stops the rest. Results are in order."""
    with ThreadPoolExecutor(width) as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            return [future.result() for future in futures]
        except BaseException:
            tally.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def ahead(
    work: Callable[[Item], Result], items: Iterable[Item], width: int = 3
) -> Iterator[Result]:
    """Do some work for each item, at most `width` of them ahead of what was asked for, in order."""
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(width) as pool:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > width:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
