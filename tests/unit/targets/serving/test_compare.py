import numpy as np
import pytest

from registry.errors import ServeError
from targets.serving.compare import compare
from targets.serving.recorded import RecordedAnswers
from tests.versions import write_draft


@pytest.fixture
def build(tmp_path):
    return write_draft(tmp_path, 1, runtimes=("onnxruntime",)).builds[0]


def held(build, answer, wanted):
    recorded = RecordedAnswers({}, {"score": np.array(wanted, np.float32)})
    return compare({"score": np.array(answer, np.float32)}, recorded, build, "ranker 1")


def test_answers_within_tolerance_pass(build):
    assert held(build, [[1.00001], [2]], [[1], [2]]).startswith("2 values")


def test_equal_infinities_and_nans_pass(build):
    held(build, [np.nan, -np.inf], [np.nan, -np.inf])


@pytest.mark.parametrize("answer", [[1, 2.01], [1, np.nan], [np.inf, 2]])
def test_answers_that_are_off_name_the_first_place(build, answer):
    with pytest.raises(ServeError, match="score: 1 of 2 values are off, first at"):
        held(build, answer, [1, 2])


@pytest.mark.parametrize(("answer", "size"), [([1, 2.5], "0.5"), ([7, np.nan], "inf")])
def test_the_size_of_the_largest_difference_is_named(build, answer, size):
    with pytest.raises(ServeError, match=f"the largest difference is {size}$"):
        held(build, answer, [1, 2])


def test_another_shape_fails(build):
    with pytest.raises(ServeError, match=r"shape \[2\], recorded was \[2, 1\]"):
        held(build, [1, 2], [[1], [2]])


def test_nothing_compared_fails(build):
    with pytest.raises(ServeError, match="nothing was compared"):
        held(build, [], [])


def test_a_missing_output_fails(build):
    with pytest.raises(ServeError, match="score: there is nothing to compare"):
        compare({}, RecordedAnswers({}, {}), build, "ranker 1")


def test_a_build_without_parity_fails(build):
    bare = build.model_copy(update={"parity": ()})
    with pytest.raises(ServeError, match="nothing was compared"):
        held(bare, [1], [1])
