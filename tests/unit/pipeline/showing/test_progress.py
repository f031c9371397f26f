"""How amounts and times read."""

import pytest

from pipeline.showing.progress import amount, duration, how_far, size


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (3 << 29, "1.5 GiB"), (5 << 40, "5.0 TiB")],
)
def test_bytes(count, words):
    assert size(count) == words


@pytest.mark.parametrize(
    ("count", "unit", "words"),
    [(12, "cases", "12 cases"), (32000, "rows", "32.0k rows"), (1 << 20, "bytes", "1.0 MiB")],
)
def test_counts(count, unit, words):
    assert amount(count, unit) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (12.4, "12 s"),
        (59.6, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7800, "2 h 10 min"),
    ],
)
def test_times(seconds, words):
    assert duration(seconds) == words


def test_how_far_a_work_is_with_its_rate_and_the_time_left():
    assert how_far(1 << 30, 3 << 30, "bytes", 2) == "1.0 GiB of 3.0 GiB, 512.0 MiB/s, 4.0 s left"


def test_at_its_very_start_a_work_has_no_rate():
    assert how_far(0, 5, "cases", 1) == "0 of 5 cases"
    assert how_far(1, 5, "cases", 0) == "1 of 5 cases"


def test_steps_have_neither_a_rate_nor_a_time_left():
    assert how_far(1, 3, "steps", 40) == "1 of 3 steps"


def test_a_rate_below_1_is_left_out():
    assert how_far(2, 4, "cases", 8) == "2 of 4 cases, 8.0 s left"
