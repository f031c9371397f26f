"""Halving a graph."""

import time
from math import ceil, log2

import pytest

from pipeline.stages.bisection import Reading
from pipeline.stages.search import search


def reading(worst: float) -> Reading:
    return Reading(output="value", dtype="float32", shape=(2,), max_abs=worst, worst=worst)


@pytest.mark.parametrize("count", [1, 2, 3, 17, 1000])
def test_finds_any_node_in_a_logarithm_of_their_number(count):
    for bad in {0, 1, count // 2, count - 1} & set(range(count)):
        read: list[int] = []

        def measure(number: int, bad: int = bad, read: list[int] = read) -> Reading:
            read.append(number)
            return reading(7.0 if number >= bad else 0.5)

        found = search(count, measure, 60)
        assert (found.right, found.wrong) == (bad - 1, bad)
        assert found.after == reading(7.0)
        assert found.before == (reading(0.5) if bad else None)
        assert len(read) <= 1 + ceil(log2(count)) if count > 1 else len(read) == 1


def test_a_graph_that_is_right_has_no_bad_node():
    found = search(8, lambda _: reading(0.5), 60)
    assert (found.wrong, found.before) == (None, reading(0.5))


def test_a_graph_that_cannot_be_run_has_nothing_read():
    found = search(8, lambda _: None, 60)
    assert (found.wrong, found.before) == (None, None)


def test_cuts_that_cannot_be_run_are_stepped_over():
    unable = {3, 4, 5}
    found = search(8, lambda at: None if at in unable else reading(7.0 if at >= 4 else 0), 60)
    assert (found.right, found.wrong) == (2, 6)


def test_ends_before_a_cut_that_would_take_too_long():
    read = []

    def slow(number: int) -> Reading:
        read.append(number)
        time.sleep(0.2)
        return reading(7.0)

    found = search(1000, slow, 0.5)
    assert 1 <= len(read) <= 2
    assert (found.right, found.wrong) == (-1, read[-1])
