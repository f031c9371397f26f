"""What parts are fed, as files."""

import numpy as np

from converters.calibration import read_calibration, read_feeds, write_feeds


def batches():
    yield {"x": np.array([[1.0, -2.0]], np.float32), "ids": np.array([7])}
    yield {"x": np.array([[5.0, 0.5]], np.float32), "ids": np.array([9])}


def test_batches_come_back_in_their_order(tmp_path):
    write_feeds(batches(), 2, tmp_path / "feeds")
    found = list(read_feeds(tmp_path / "feeds"))
    assert [batch["ids"].tolist() for batch in found] == [[7], [9]]
    np.testing.assert_array_equal(found[1]["x"], [[5.0, 0.5]])


def test_it_is_told_what_floats_hold_over_all_batches(tmp_path):
    made = write_feeds(batches(), 2, tmp_path)
    assert made.ranges == {"x": (-2.0, 5.0)}
    assert read_calibration(tmp_path) == made
    assert str(made) == "2 samples: x -2 to 5"


def test_a_part_that_takes_no_floats_has_no_ranges(tmp_path):
    made = write_feeds([{"ids": np.array([7])}], 1, tmp_path)
    assert (made.ranges, str(made)) == ({}, "1 samples")
