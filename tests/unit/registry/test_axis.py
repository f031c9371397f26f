"""The sizes that an axis may have."""

import pytest
from pydantic import ValidationError

from registry.signature import Axis

STEPS = Axis(min=32, max=320, multiple_of=32)


@pytest.mark.parametrize(
    ("size", "within"), [(0, 32), (31, 32), (32, 32), (63, 32), (64, 64), (500, 320)]
)
def test_a_size_is_brought_to_the_nearest_below(size, within):
    assert STEPS.within(size) == within
    assert STEPS.holds(size) is (size == within)


def test_ends_are_sizes_themselves():
    for ends in ({"min": 1}, {"min": 32, "max": 100}):
        with pytest.raises(ValidationError, match="both ends are multiples of 32"):
            Axis(multiple_of=32, **ends)


def test_the_least_that_is_something_is_a_size():
    assert [Axis(min=0, max=64, multiple_of=32).least, Axis(min=0).least, Axis(min=3).least] == [
        32,
        1,
        3,
    ]


def test_it_is_told_with_its_steps():
    assert [str(STEPS), str(Axis())] == ["32 to 320, multiples of 32", "1 to 1024"]
