"""Rows that changed are found whatever their width, and are laid where they belong or nowhere."""

import mmap

import numpy as np
import pytest
from safetensors.numpy import load, save

from registry.errors import IntegrityError
from registry.patching.rows import changed_rows, lay


def shard(rows: np.ndarray) -> bytes:
    return save({"rows": rows})


def laid(base: bytes, patch: bytes) -> bytes:
    with mmap.mmap(-1, len(base)) as place:
        place[:] = base
        lay(patch, place, "rows")
        return place[:]


@pytest.mark.parametrize(
    ("rows", "dim", "dtype"),
    [(1, 1, np.uint8), (70_000, 1, np.uint8), (70_000, 3, np.float16), (5, 7, np.float32)],
)
def test_rows_that_changed_lead_from_one_shard_to_the_other(rows, dim, dtype):
    chance = np.random.default_rng(1)
    before = chance.integers(0, 100, (rows, dim)).astype(dtype)
    after = before.copy()
    chosen = np.unique([0, rows // 2, rows - 1])
    after[chosen] += dtype(1)
    width = dim * before.itemsize
    patch = changed_rows(shard(before), shard(after), width)
    assert load(patch)["at"].tolist() == chosen.tolist()
    assert load(patch)["rows"].shape == (len(chosen), width)
    assert laid(shard(before), patch) == shard(after)


def test_a_zero_that_changed_its_sign_is_a_change():
    before, after = np.zeros((2, 2), np.float32), np.array([[0, 0], [0, -0.0]], np.float32)
    assert laid(shard(before), changed_rows(shard(before), shard(after), 8)) == shard(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (shard(np.zeros((2, 2), np.float32)), shard(np.zeros((4, 1), np.float32))),
        (shard(np.zeros((2, 2), np.float32)), shard(np.zeros((3, 2), np.float32))),
        (b"no shard at all" * 9, b"and neither this is" * 9),
        (b"short", b"other"),
    ],
    ids=["other shape", "more rows", "no shards", "too short"],
)
def test_files_that_are_not_shards_of_one_shape_are_not_compared(before, after):
    assert changed_rows(before, after, 8) is None


@pytest.mark.parametrize(
    "patch",
    [
        b"no safetensors",
        save({"rows": np.zeros((1, 8), np.uint8)}),
        save({"at": np.array([2], np.uint16), "rows": np.zeros((1, 8), np.uint8)}),
        save({"at": np.array([0], np.uint16), "rows": np.zeros((1, 5), np.uint8)}),
        save({"at": np.array([0, 1], np.uint16), "rows": np.zeros((3, 8), np.uint8)}),
        save({"at": np.array([0], np.uint16), "rows": np.zeros((0, 8), np.uint8)}),
        save({"at": np.array([0], np.uint16), "rows": np.zeros((1, 2), np.float32)}),
        save({"at": np.array([0.0], np.float32), "rows": np.zeros((1, 8), np.uint8)}),
        save({"at": np.array([0], np.uint16), "rows": np.zeros(8, np.uint8)}),
    ],
    ids=["text", "no at", "beyond", "width", "count", "none", "type", "float at", "flat"],
)
def test_what_does_not_fit_a_shard_is_not_laid_over_it(patch):
    with pytest.raises(IntegrityError, match="rows: rows that were published for it do not fit it"):
        laid(shard(np.zeros((2, 2), np.float32)), patch)
