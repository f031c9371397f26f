"""Unquoted scalars are read as YAML 1.2 does, and what readers disagree on is refused."""

import math

import pytest

from pipeline.job.scalar import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None), ("~", None), ("null", None), ("NULL", None),
        ("true", True), ("False", False), ("TRUE", True),
        ("0", 0), ("-7", -7), ("+12", 12), ("0x1F", 31), (str(2**63 - 1), 2**63 - 1),
        ("1e-5", 1e-5), ("1.", 1.0), (".5", 0.5), ("-1.5E+3", -1500.0), ("-.inf", -math.inf),
        ("1e999", math.inf), ("0.1", 0.1),
        ("y", "y"), ("n", "n"), ("nothing", "nothing"), ("nan", "nan"), ("inf", "inf"),
        ("2026-01-01", "2026-01-01"), ("1.2.3", "1.2.3"), ("-", "-"), ("e5", "e5"), ("0x", "0x"),
        ("10:99", "10:99"), ("tRUE", "tRUE"),
    ],
)  # fmt: skip
def test_a_scalar_is_read_as_the_core_schema_says(text, value):
    found = resolve(text)
    assert (found, type(found)) == (value, type(value))


def test_nan_is_a_number():
    assert math.isnan(resolve(".nan"))


@pytest.mark.parametrize(
    "text",
    ["yes", "No", "ON", "off", "NO", "007", "-01", "0o17", "1:30", "-1:30:00.5", "1_000", "0b10",
     "0x_1", "1_0.5", str(2**63), "-9223372036854775809", "9" * 5000, "0." + "1" * 5000],
)  # fmt: skip
def test_what_readers_disagree_on_is_refused(text):
    with pytest.raises(ValueError, match=r"some YAML readers|64 bits"):
        resolve(text)
