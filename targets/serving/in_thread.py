"""Run slow work beside the event loop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result]) -> Result:
    """Run work in a daemon thread: unlike an executor's, it never keeps the process from ending."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def succeed(result: Result) -> None:
        if not future.done():
            future.set_result(result)

    def fail(error: BaseException) -> None:
        if not future.done():
            future.set_exception(error)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            hand_over(loop, fail, error)
        else:
            hand_over(loop, succeed, result)

    Thread(target=run, daemon=True).start()
    return await future


def hand_over(
    loop: asyncio.AbstractEventLoop, settle: Callable[..., object], *values: object
) -> None:
    """Call something on a loop, from a thread; a loop that has ended has nobody who waits."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(settle, *values)
