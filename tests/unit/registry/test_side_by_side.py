import threading
import time

import pytest

from registry.side_by_side import StoppedError, Tally, ahead, each


def tally(total: int = 10) -> Tally:
    return Tally(total, lambda done, total, unit: None)


def test_results_are_in_the_order_of_the_items():
    assert each(lambda n: n * n, range(20), tally()) == [n * n for n in range(20)]
    assert list(ahead(lambda n: n * n, range(20))) == [n * n for n in range(20)]


def test_a_failure_stops_work_that_is_under_way():
    count = tally()
    stopped = threading.Event()

    def work(item: str) -> None:
        if item == "fails":
            raise ValueError(item)
        try:
            while True:
                count.advance(1)
                time.sleep(0.001)
        except StoppedError:
            stopped.set()
            raise

    with pytest.raises(ValueError, match="fails"):
        each(work, ["goes on", "fails"], count)
    assert stopped.is_set()


def test_does_not_run_further_ahead_than_told():
    started: list[int] = []
    results = ahead(lambda n: started.append(n) or n, range(100), width=3)
    assert next(results) == 0
    time.sleep(0.05)
    assert len(started) <= 4
    results.close()


def test_progress_counts_what_all_threads_move():
    seen: list[float] = []
    count = Tally(400, lambda done, total, unit: seen.append(done))
    each(lambda _: [count.advance(1) for _ in range(100)], range(4), count)
    assert seen == list(range(1, 401))
