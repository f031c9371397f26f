import asyncio
import threading

import pytest

from targets.serving.in_thread import hand_over, in_thread


def test_gives_what_the_work_gives():
    assert asyncio.run(in_thread(lambda: 7)) == 7


def test_raises_what_the_work_raises():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(lambda: 1 // 0))


def test_the_loop_goes_on_meanwhile():
    go = threading.Event()

    async def main():
        waiting = asyncio.create_task(in_thread(lambda: go.wait(5)))
        await asyncio.sleep(0)
        go.set()
        return await waiting

    assert asyncio.run(main())


def test_work_that_outlives_its_loop_disturbs_nobody():
    loop = asyncio.new_event_loop()
    loop.close()
    hand_over(loop, print, "nobody reads this")
