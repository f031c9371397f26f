"""Join requests that come at the same time into one inference, and split its answers again."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from time import monotonic

import numpy as np

from targets.serving.in_thread import hand_over
from targets.serving.joining import Answers, Predict, answer_all
from targets.serving.limits import Limits
from targets.serving.refusals import BusyError, LateError

Lane = tuple[tuple[int, ...], ...]


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request in the queue."""

    inputs: dict[str, np.ndarray]
    rows: int
    lane: Lane
    future: asyncio.Future[Answers]
    timer: asyncio.TimerHandle
    since: float = field(default_factory=monotonic)


def _unobserved(rows: int, wait: float) -> None:
    """Look away."""


class Batcher:
    """The queue before one loaded version. Lives on one event loop; infers in a thread of its own.

    Args:
        rows: Rows that may be joined along the first axis; 1 joins nothing.
        observe: Told the rows and the longest wait in seconds of each inference.
    """

    def __init__(
        self,
        predict: Predict,
        limits: Limits,
        *,
        rows: int,
        observe: Callable[[int, float], None] = _unobserved,
    ) -> None:
        self._predict = predict
        self._limits = limits
        self._rows = rows
        self._observe = observe
        self._loop = asyncio.get_running_loop()
        self._batches: SimpleQueue[list[_Waiting] | None] = SimpleQueue()
        self._lanes: dict[Lane, deque[_Waiting]] = {}
        self._waiting = 0
        self._crowd = 1  # how many requests the last inference answered: what to expect now
        self._busy = False
        self._delay: asyncio.TimerHandle | None = None
        self._idle = asyncio.Event()
        self._idle.set()
        # A daemon: an inference that hangs must not keep the process from ending.
        Thread(target=self._work, name="infer", daemon=True).start()

    @property
    def waiting(self) -> int:
        """Requests that no inference has taken up yet."""
        return self._waiting

    def submit(self, inputs: dict[str, np.ndarray]) -> asyncio.Future[Answers]:
        """Queue one request.

        Returns:
            A future of the answers. It fails with LateError when the time is up, or as
            `predict` failed for this request alone.

        Raises:
            BusyError: The queue is full.
        """
        if self._waiting >= self._limits.queue:
            raise BusyError(f"{self._waiting} requests are waiting already. Try again later")
        future: asyncio.Future[Answers] = self._loop.create_future()
        timer = self._loop.call_later(self._limits.timeout, self._give_up, future)
        rows = 1
        lane: Lane = ()
        if self._rows > 1:
            rows = len(next(iter(inputs.values())))
            lane = tuple(array.shape[1:] for array in inputs.values())
        self._lanes.setdefault(lane, deque()).append(_Waiting(inputs, rows, lane, future, timer))
        self._waiting += 1
        self._idle.clear()
        self._consider()
        return future

    async def close(self) -> None:
        """Answer what was queued, then end the thread."""
        await self._idle.wait()
        self._batches.put(None)

    def _give_up(self, future: asyncio.Future[Answers]) -> None:
        if not future.done():
            future.set_exception(LateError(f"not answered within {self._limits.timeout:g} s"))

    def _consider(self) -> None:
        """Infer now, or wait a moment for as many requests as came together last time."""
        if self._busy or not self._waiting:
            return
        if self._waiting >= min(self._crowd, self._rows):
            self._start()
        elif self._delay is None:
            self._delay = self._loop.call_later(self._limits.delay, self._start)

    def _start(self) -> None:
        if self._delay:
            self._delay.cancel()
            self._delay = None
        batch: list[_Waiting] = []
        while self._waiting and not batch:  # a lane may hold nothing but requests given up
            batch = self._take()
        if not batch:
            self._idle.set()
            return
        self._busy = True
        self._crowd = len(batch)
        self._observe(sum(item.rows for item in batch), monotonic() - batch[0].since)
        self._batches.put(batch)

    def _take(self) -> list[_Waiting]:
        """Take the request that has waited longest, and those that can be joined to it."""
        batch: list[_Waiting] = []
        rows = 0
        lane = min(self._lanes.values(), key=lambda lane: lane[0].since)
        while lane and (not batch or rows + lane[0].rows <= self._rows):
            item = lane.popleft()
            self._waiting -= 1
            if not lane:
                del self._lanes[item.lane]
            if not item.future.done():
                batch.append(item)
                rows += item.rows
        return batch

    def _work(self) -> None:
        """Answer batches, in the thread, and hand the answers of each back to the loop at once."""
        while batch := self._batches.get():
            results = answer_all(self._predict, [item.inputs for item in batch])
            hand_over(self._loop, self._finish, batch, results)

    def _finish(self, batch: list[_Waiting], results: list[Answers | Exception]) -> None:
        for item, result in zip(batch, results, strict=True):
            item.timer.cancel()
            if item.future.done():
                continue
            if isinstance(result, Exception):
                item.future.set_exception(result)
            else:
                item.future.set_result(result)
        self._busy = False
        if self._waiting:
            self._consider()
        else:
            self._idle.set()
