"""Marks of rows tell which rows differ, without the rows that were marked."""

import numpy as np
import pytest
from safetensors.numpy import load, save

from registry.patching.marks import differing, marks_of, read_marks, write_marks
from registry.patching.rows import changed_rows


def shard(rows: np.ndarray) -> bytes:
    return save({"rows": rows})


@pytest.mark.parametrize(
    ("rows", "dim", "dtype"),
    [(1, 1, np.uint8), (70_000, 3, np.float16), (5, 7, np.float32), (3000, 64, np.float32)],
)
def test_they_find_what_a_comparison_finds(rows, dim, dtype):
    chance = np.random.default_rng(1)
    before = chance.integers(0, 100, (rows, dim)).astype(dtype)
    after = before.copy()
    after[np.unique([0, rows // 2, rows - 1])] += dtype(1)
    width = dim * before.itemsize
    marks = read_marks(write_marks(marks_of(shard(before), width)))
    patch = differing(marks, shard(after), width)
    assert patch == changed_rows(shard(before), shard(after), width)
    there = marks_of(shard(after), width)
    laid = marks.laid_over(patch)
    assert (laid.head, laid.rows.tolist()) == (there.head, there.rows.tolist())
    assert differing(laid, shard(after), width) is None


def test_a_row_has_another_mark_where_any_bit_or_the_order_differs():
    row = np.random.default_rng(2).integers(0, 256, 128).astype(np.uint8)
    flips = np.packbits(np.eye(1024, dtype=bool), axis=1)
    bits = row ^ flips
    rows = np.stack([row, *bits, np.roll(row, 8), row[::-1], np.zeros_like(row)])
    marks = marks_of(shard(rows), 128).rows
    assert len(set(marks.tolist())) == len(rows)


def test_shards_of_another_shape_are_not_compared():
    rows = np.zeros((4, 32), np.float32)
    marks = marks_of(shard(rows), 128)
    assert differing(marks, shard(rows[:3] + 1), 128) is None
    assert differing(marks, shard(rows.view(np.int32) + 1), 128) is None
    assert marks_of(shard(rows), 100) is None


def test_what_is_kept_is_believed_as_it_was_written_alone():
    data = write_marks(marks_of(shard(np.zeros((4, 32), np.float32)), 128))
    assert read_marks(data) is not None
    for spoilt in (b"", data[:-1], data[:40] + b"x" + data[41:], data[32:]):
        assert read_marks(spoilt) is None


def test_rows_that_lie_outside_are_refused():
    marks = marks_of(shard(np.zeros((4, 32), np.float32)), 128)
    patch = save({"at": np.array([9], np.uint16), "rows": np.zeros((1, 128), np.uint8)})
    assert load(patch)["at"].tolist() == [9]
    with pytest.raises(IndexError):
        marks.laid_over(patch)
