"""Do what blocks beside the event loop, so much of it at a time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(work: Callable[[], Result], places: asyncio.Semaphore) -> Result:
    """Run work in a daemon thread: unlike an executor's, it never keeps the process from ending.

    A place is taken until the work has ended, also where nobody waits for it any more.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result) -> None:
        places.release()
        if not future.done():
            future.set_result(result)

    def fail(error: BaseException) -> None:
        places.release()
        if not future.done():
            future.set_exception(error)

    def run() -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody waits
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                loop.call_soon_threadsafe(fail, error)
            else:
                loop.call_soon_threadsafe(settle, result)

    await places.acquire()
    Thread(target=run, daemon=True).start()
    return await future
