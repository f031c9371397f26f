"""The numbers of one output."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from targets.parity.tally import EQUAL, INFINITE, Spread, Tally, errors_of, histogram_of


@dataclass(frozen=True)
class Limit:
    atol: float
    rtol: float
    because: str = "a test says so"


def tally(reference, answer, atol=1e-3, rtol=1e-2):
    one = Tally("score", Limit(atol, rtol), exact=reference.dtype.kind in "iub")
    one.add("a case", reference, answer)
    return one.numbers()


def naive(reference, answer, atol, rtol):
    """Element by element, as the definition reads."""
    worst = largest = 0.0
    for left, right in zip(
        reference.reshape(-1).tolist(), answer.reshape(-1).tolist(), strict=True
    ):
        error = 0.0 if left == right else abs(right - left)
        error = math.inf if math.isnan(error) else error
        allowed = atol + rtol * abs(left) if math.isfinite(left) else 0.0
        ratio = 0.0 if error == 0 else error / allowed if allowed else math.inf
        worst, largest = max(worst, ratio), max(largest, error)
    return worst, largest


floats = hnp.arrays(
    np.float32,
    hnp.array_shapes(max_dims=3, max_side=4),
    elements=st.floats(width=32, allow_nan=True, allow_infinity=True),
)


@given(
    data=st.data(),
    reference=floats,
    atol=st.sampled_from([0.0, 1e-6, 1.0]),
    rtol=st.sampled_from([0.0, 1e-5, 0.5]),
)
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_definition_read_element_by_element(data, reference, atol, rtol):
    near = st.one_of(
        st.sampled_from(reference.reshape(-1).tolist()),
        st.floats(width=32, allow_nan=True, allow_infinity=True),
    )
    answer = data.draw(hnp.arrays(np.float32, reference.shape, elements=near))
    worst, largest = naive(reference, answer, atol, rtol)
    numbers = tally(reference, answer, atol, rtol)
    assert numbers.worst == pytest.approx(worst, rel=1e-9)
    assert numbers.max_abs == pytest.approx(largest, rel=1e-9)
    assert numbers.passed == (numbers.worst <= 1)
    assert sum(numbers.histogram.values()) == numbers.compared == reference.size


@pytest.mark.parametrize(
    ("reference", "answer", "passed"),
    [
        (np.nan, np.nan, False),
        (0.0, np.nan, False),
        (np.nan, 0.0, False),
        (np.inf, np.inf, True),
        (-np.inf, -np.inf, True),
        (np.inf, -np.inf, False),
        (np.inf, 3e38, False),
        (0.0, -np.inf, False),
        (0.0, -0.0, True),
    ],
)
def test_nan_fails_on_either_side_and_infinity_unless_both_have_it(reference, answer, passed):
    numbers = tally(np.array([1, reference], "f4"), np.array([1, answer], "f4"), rtol=0.0)
    assert numbers.passed is passed
    assert ("[1]" in numbers.where) is not passed
    assert (INFINITE in numbers.histogram) is not passed


def test_names_the_case_and_the_place_of_the_worst_element():
    reference = np.zeros((2, 3), "f4")
    answer = reference.copy()
    answer[1, 2] = 0.5
    numbers = tally(reference, answer)
    assert numbers.where == "case 'a case' at [1, 2]: 0.0 in the original, 0.5 here"
    assert numbers.worst == pytest.approx(500)


def test_keeps_the_worst_of_several_cases():
    one = Tally("score", Limit(1e-3, 0), exact=False)
    for case, error in (("small", 0.002), ("large", 0.1), ("medium", 0.01)):
        one.add(case, np.zeros(2), np.array([0, error]))
    numbers = one.numbers()
    assert "'large' at [1]" in numbers.where
    assert numbers.compared == 6
    assert numbers.histogram == {EQUAL: 3, -3: 1, -2: 1, -1: 1}


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool"])
def test_compares_integers_and_booleans_exactly_whatever_the_tolerance(dtype):
    reference = np.array([0, 1, 1], dtype)
    assert tally(reference, reference, atol=10, rtol=10).passed
    assert not tally(reference, np.array([0, 1, 0], dtype), atol=10, rtol=10).passed


def test_tells_neighbours_apart_that_are_one_float():
    reference = np.array([2**60], "int64")
    numbers = tally(reference, reference + 1)
    assert not numbers.passed
    assert numbers.max_abs == 1


def test_scales_the_error_by_the_spread_over_all_cases():
    one = Tally("score", Limit(1, 0), exact=False)
    parts = [np.array([0.0, 2.0]), np.array([10.0]), np.array([4.0, 4.0, 7.0])]
    for part in parts:
        one.add("a case", part, part + 0.5)
    assert one.numbers().max_scaled == pytest.approx(0.5 / np.concatenate(parts).std())


@pytest.mark.parametrize(
    ("reference", "constant"),
    [([0.25] * 9, True), ([0.0] * 9, True), ([0.5, 0.5 + 1e-8], True), ([1e-9, 3e-9], False)],
)
def test_flags_an_output_that_hardly_varies(reference, constant):
    reference = np.array(reference)
    numbers = tally(reference, reference)
    assert numbers.constant is constant
    assert math.isfinite(numbers.max_scaled)


def test_numbers_with_infinite_errors_survive_json():
    numbers = tally(np.array([np.nan]), np.array([1.0]))
    assert type(numbers).model_validate_json(numbers.model_dump_json()) == numbers


@given(
    st.lists(hnp.arrays(np.float64, st.integers(0, 5), elements=st.floats(-1e3, 1e3)), max_size=5)
)
def test_the_spread_of_pieces_is_the_spread_of_the_whole(pieces):
    spread = Spread()
    for piece in pieces:
        spread.add(piece)
    whole = np.concatenate([*pieces, np.empty(0)])
    expected = whole.std() if whole.size else 0.0
    assert spread.deviation() == pytest.approx(expected, abs=1e-9)


def test_counts_errors_by_power_of_ten():
    errors = np.array([0, 0, 2e-7, 9e-7, 3.0, 20.0, np.inf, 5e-324])
    assert histogram_of(errors) == {EQUAL: 2, -98: 1, -7: 2, 0: 1, 1: 1, INFINITE: 1}


def test_half_floats_do_not_overflow_in_the_comparison():
    errors = errors_of(np.array([60000], "f2"), np.array([-60000], "f2"))
    assert errors[0] == pytest.approx(120000, rel=1e-3)
