"""Narrow rows are FBGEMM's, byte for byte, and what they cannot hold is found."""

import numpy as np
import pytest
import torch

from converters.narrow_rows import first_unheld, narrow

RANDOM = np.random.default_rng(11)
ROWS = {
    "normal": RANDOM.standard_normal((400, 16)),
    "of one element": RANDOM.standard_normal((50, 1)),
    "all alike": np.full((3, 5), 0.7),
    "zeros": np.zeros((2, 4)),
    "of many sizes": RANDOM.standard_normal((300, 7)) * 10.0 ** RANDOM.integers(-12, 30, (300, 1)),
    "far from zero": 1000 + RANDOM.standard_normal((100, 9)),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_rows_in_bytes_equal_those_of_torch(rows):
    rows = rows.astype(np.float32)
    wanted = torch.ops.quantized.embedding_bag_byte_prepack(torch.from_numpy(rows)).numpy()
    assert np.array_equal(narrow(rows, "i8"), wanted)


def test_an_element_in_bytes_is_off_by_half_a_scale_at_most():
    rows = ROWS["normal"].astype(np.float32)
    found = narrow(rows, "i8")
    scales = np.ascontiguousarray(found[:, -8:]).view(np.float32)
    values = found[:, :-8] * scales[:, :1] + scales[:, 1:]
    assert (np.abs(values - rows) <= 0.501 * scales[:, :1]).all()
    assert (values != rows).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_halves_are_the_nearest(dtype):
    rows = ROWS["normal"].astype(dtype)
    found = narrow(rows, "f16")
    assert found.dtype == np.float16
    assert np.array_equal(found, torch.from_numpy(rows).half().numpy())


@pytest.mark.parametrize(
    ("rows_as", "dtype", "big"), [("f16", "f4", 65520), ("i8", "f4", 3e38), ("i8", "f8", 1e300)]
)
def test_a_row_too_big_for_its_format_is_found(rows_as, dtype, big):
    rows = np.ones((5, 4), dtype)
    assert first_unheld(narrow(rows, rows_as), rows_as) is None
    rows[3] = [0, big, -big, 1]
    assert first_unheld(narrow(rows, rows_as), rows_as) == 3
