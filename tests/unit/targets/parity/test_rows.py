"""Recorded inputs in batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.signature import Axis, Ids, Input
from targets.parity.rows import batches_of, row_count, take_rows

USER = Input(name="user", dtype="int64", shape=("batch",), ids=Ids(cardinality=1000))
TABLE = Input(name="table", dtype="float32", shape=("items", 2))
WORDS = Input(name="words", dtype="int64", shape=("total",), ids=Ids(cardinality=99))
WEIGHTS = Input(name="weights", dtype="float32", shape=("total",))


def bags(sizes, *, last):
    ends = np.concatenate([[0], np.cumsum(sizes, dtype="i8")]).astype("i8")
    starts = Input(
        name="starts",
        dtype="int64",
        shape=("ends" if last else "batch",),
        offsets="words",
        includes_last=last,
    )
    total = int(ends[-1])
    arrays = {
        "words": np.arange(total),
        "weights": np.arange(total, dtype="f4") / 10,
        "starts": ends if last else ends[:-1],
    }
    return (WORDS, WEIGHTS, starts), arrays


def as_lists(arrays, *, last):
    starts = arrays["starts"].tolist()
    ends = starts[1:] if last else [*starts[1:], len(arrays["words"])]
    return [arrays["words"][a:b].tolist() for a, b in zip(starts, ends, strict=False)]


@pytest.mark.parametrize("last", [False, True])
@given(sizes=st.lists(st.integers(0, 3), min_size=1, max_size=9), most=st.integers(1, 5))
def test_bags_in_batches_are_the_bags_of_the_whole(last, sizes, most):
    inputs, arrays = bags(sizes, last=last)
    pieces = [piece for _, _, piece in batches_of(inputs, {}, arrays, most)]
    together = [bag for piece in pieces for bag in as_lists(piece, last=last)]
    assert together == as_lists(arrays, last=last)
    for piece in pieces:
        assert piece["starts"][0] == 0
        assert piece["starts"].dtype == np.int64
        np.testing.assert_array_equal(piece["weights"], piece["words"].astype("f4") / 10)


@given(sizes=st.lists(st.integers(0, 3), min_size=1, max_size=9), most=st.integers(1, 5))
def test_bags_that_lengths_tell_in_batches_are_the_bags_of_the_whole(sizes, most):
    (words, weights, _), arrays = bags(sizes, last=False)
    lengths = Input(name="lengths", dtype="int32", shape=("batch",), lengths="words")
    arrays = {"words": arrays["words"], "weights": arrays["weights"], "lengths": np.array(sizes)}
    found = []
    for _, _, piece in batches_of((lengths, words, weights), {}, arrays, most):
        assert len(piece["lengths"]) <= most
        np.testing.assert_array_equal(piece["weights"], piece["words"].astype("f4") / 10)
        found += [one.tolist() for one in np.split(piece["words"], piece["lengths"].cumsum())][:-1]
    whole = np.split(arrays["words"], np.cumsum(sizes))[:-1]
    assert found == [one.tolist() for one in whole]
    assert row_count((words, weights, lengths), arrays) == len(sizes)


def test_rows_are_cut_and_the_last_batch_is_smaller():
    arrays = {"user": np.arange(10)}
    found = [(a, b, x["user"].tolist()) for a, b, x in batches_of((USER,), {}, arrays, 4)]
    assert found == [(0, 4, [0, 1, 2, 3]), (4, 8, [4, 5, 6, 7]), (8, 10, [8, 9])]


def test_batches_stay_in_the_range_of_their_axis():
    arrays = {"user": np.arange(10)}
    axes = {"batch": Axis(min=2, max=3)}
    assert [(a, b) for a, b, _ in batches_of((USER,), axes, arrays, 256)] == [
        (0, 3),
        (3, 6),
        (6, 9),
    ]


def test_a_baked_in_batch_gets_whole_batches_alone():
    fixed = Input(name="x", dtype="float32", shape=(4, 2))
    arrays = {"x": np.zeros((10, 2), "f4")}
    found = [(a, b, x["x"].shape) for a, b, x in batches_of((fixed,), {}, arrays, 256)]
    assert found == [(0, 4, (4, 2)), (4, 8, (4, 2))]


def test_what_has_no_rows_is_taken_whole():
    other = Input(name="age", dtype="float32", shape=("batch",))
    arrays = {"user": np.arange(4), "age": np.arange(4.0), "table": np.zeros((7, 2))}
    taken = take_rows((USER, other, TABLE), arrays, 1, 3)
    assert taken["table"].shape == (7, 2)
    assert taken["user"].tolist() == [1, 2]
    assert row_count((TABLE, USER, other), arrays) == 4


def test_bags_that_are_not_as_many_make_one_batch():
    """Two kinds of bags with axes of their own, as two features of another length have."""
    first, arrays = bags([1, 0, 2, 1], last=False)
    others = Input(name="others", dtype="int64", shape=("sum",), ids=Ids(cardinality=9))
    starts = Input(name="other_starts", dtype="int64", shape=("count",), offsets="others")
    inputs = (*first, others, starts)
    arrays |= {"others": np.arange(5), "other_starts": np.array([0, 5])}
    ((start, stop, piece),) = batches_of(inputs, {}, arrays, 2)
    assert (start, stop) == (0, 4)
    assert all(piece[name] is arrays[name] for name in arrays)
    assert take_rows(inputs, arrays, 0, 2) == arrays


def test_bags_count_as_rows():
    inputs, arrays = bags([2, 0, 1], last=True)
    assert row_count(inputs, arrays) == 3
    inputs, arrays = bags([2, 0, 1], last=False)
    assert row_count(inputs, arrays) == 3
