import asyncio
import threading
import time

import numpy as np
import pytest

from registry.errors import InputError
from targets.serving.batching import Batcher
from targets.serving.limits import Limits
from targets.serving.refusals import BusyError, LateError


class Doubler:
    """A model that doubles, refuses -1, and remembers how many rows came together."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.rows = []
        self.go = threading.Event()
        self.go.set()

    def __call__(self, inputs):
        self.go.wait(5)
        x = inputs["x"]
        if (x == -1).any():
            raise InputError("-1 is no id")
        if (x == -2).any():
            raise RuntimeError("the runtime broke")
        self.rows.append(len(x))
        time.sleep(self.seconds)
        return {"y": x * 2}


def row(value, width=2):
    return {"x": np.full((1, width), value)}


def run(test, model, rows=8, **limits):
    async def main():
        batcher = Batcher(model, Limits(**limits), rows=rows)
        try:
            return await test(batcher)
        finally:
            model.go.set()
            await batcher.close()

    return asyncio.run(main())


async def all_of(batcher, requests):
    futures = [batcher.submit(request) for request in requests]
    return await asyncio.gather(*futures, return_exceptions=True)


def test_each_request_gets_its_own_rows():
    model = Doubler(0.001)
    requests = [{"x": np.full((1 + n % 3, 2), n)} for n in range(50)]
    answers = run(lambda batcher: all_of(batcher, requests), model)
    for request, answer in zip(requests, answers, strict=True):
        np.testing.assert_array_equal(answer["y"], request["x"] * 2)


def test_requests_that_wait_are_joined_up_to_the_limit():
    model = Doubler(0.001)
    run(lambda batcher: all_of(batcher, [row(n) for n in range(65)]), model)
    assert sum(model.rows) == 65
    assert max(model.rows) == 8
    assert len(model.rows) <= 11


def test_an_idle_server_makes_nobody_wait():
    async def one_by_one(batcher):
        start = time.monotonic()
        for n in range(5):
            await batcher.submit(row(n))
        return time.monotonic() - start

    assert run(one_by_one, Doubler(), delay=1.0) < 1.0


def test_after_a_crowd_the_next_one_waits_no_longer_than_the_delay():
    async def crowd_then_one(batcher):
        await all_of(batcher, [row(n) for n in range(9)])
        start = time.monotonic()
        await batcher.submit(row(1))
        return time.monotonic() - start

    assert run(crowd_then_one, Doubler(), delay=0.1) < 1.0


def test_only_requests_of_one_width_are_joined():
    model = Doubler(0.001)
    requests = [row(n, width=2 + n % 2) for n in range(20)]
    answers = run(lambda batcher: all_of(batcher, requests), model)
    for request, answer in zip(requests, answers, strict=True):
        np.testing.assert_array_equal(answer["y"], request["x"] * 2)
    assert max(model.rows) > 1


def test_nothing_is_joined_where_rows_may_not_be():
    model = Doubler(0.001)
    run(lambda batcher: all_of(batcher, [row(n) for n in range(9)]), model, rows=1)
    assert model.rows == [1] * 9


def test_a_request_larger_than_the_limit_goes_alone():
    model = Doubler()
    requests = [{"x": np.zeros((30, 2))}, row(1)]
    answers = run(lambda batcher: all_of(batcher, requests), model)
    assert [len(answer["y"]) for answer in answers] == [30, 1]


@pytest.mark.parametrize(("bad", "kind"), [(-1, InputError), (-2, RuntimeError)])
def test_a_bad_request_fails_alone(bad, kind):
    requests = [row(bad if n in (3, 11) else n) for n in range(16)]
    answers = run(lambda batcher: all_of(batcher, requests), Doubler())
    assert [n for n, answer in enumerate(answers) if isinstance(answer, kind)] == [3, 11]
    assert all(answers[n]["y"][0, 0] == 2 * n for n in range(16) if n not in (3, 11))


def test_a_full_queue_refuses_the_next_one():
    async def fill(batcher):
        model.go.clear()
        first = batcher.submit(row(1))
        waiting = [batcher.submit(row(n)) for n in range(4)]
        with pytest.raises(BusyError, match="4 requests are waiting"):
            batcher.submit(row(5))
        model.go.set()
        return await asyncio.gather(first, *waiting)

    model = Doubler()
    assert len(run(fill, model, queue=4)) == 5


def test_a_request_is_given_up_when_its_time_is_over():
    async def late(batcher):
        model.go.clear()
        futures = [batcher.submit(row(n)) for n in range(3)]
        answers = await asyncio.gather(*futures, return_exceptions=True)
        model.go.set()
        return answers, await batcher.submit(row(4))

    model = Doubler()
    late_ones, answer = run(late, model, timeout=0.05)
    assert all(isinstance(error, LateError) for error in late_ones)
    assert answer["y"][0, 0] == 8


def test_closing_answers_what_was_queued():
    async def close(batcher):
        futures = [batcher.submit(row(n)) for n in range(20)]
        await batcher.close()
        return [future.done() for future in futures]

    assert all(run(close, Doubler(0.001)))


def test_a_model_that_does_not_keep_rows_answers_each_request_alone():
    class Summing(Doubler):
        def __call__(self, inputs):
            return {"y": inputs["x"].sum(axis=0, keepdims=True)}

    answers = run(lambda batcher: all_of(batcher, [row(n) for n in range(6)]), Summing())
    assert [answer["y"][0, 0] for answer in answers] == list(range(6))
