"""How amounts and times read."""

import pytest

from pipeline.progress import amount, duration, size


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
