"""Limits for values inside a model."""

import numpy as np
import pytest

from targets.parity.scaled import Scaled, scaled, spread_of

LIMIT = Scaled(atol=1e-3, rtol=0.0, because="a test says so")
RANDOM = np.random.default_rng(0)


def test_values_ten_times_as_large_may_be_off_ten_times_as_much():
    values = RANDOM.standard_normal(1000)
    small, large = (scaled(LIMIT, 1.0, values * size) for size in (1, 10))
    assert small.atol == pytest.approx(1e-3, rel=0.1)
    assert large.atol == pytest.approx(10 * small.atol)


def test_a_wide_output_allows_less_inside():
    values = RANDOM.standard_normal(1000)
    assert scaled(LIMIT, 100.0, values).atol == pytest.approx(1e-5, rel=0.5)


def test_a_relative_limit_is_one_of_the_spread_where_values_are_near_zero():
    relative = Scaled(atol=0.0, rtol=1e-2, because="a test says so")
    assert scaled(relative, 1.0, RANDOM.standard_normal(1000)).atol > 5e-3


def test_no_limit_forbids_the_rounding_of_float32():
    values = np.full(10, 1000.0)
    exact = Scaled(atol=0.0, rtol=0.0, because="a test says so")
    assert scaled(exact, 1.0, values).atol > np.spacing(np.float32(1000))


@pytest.mark.parametrize(
    ("values", "spread"),
    [([1.0, 3.0], 1.0), ([5.0, 5.0], 5.0), ([0.0], 1.0), ([], 1.0), ([1.0, np.inf, 3.0], 1.0)],
)
def test_a_spread_is_never_zero(values, spread):
    assert spread_of(np.array(values)) == pytest.approx(spread)
