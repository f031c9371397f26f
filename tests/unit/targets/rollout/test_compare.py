import numpy as np
import pytest

from registry.errors import RolloutError
from targets.rollout.compare import compare
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
    with pytest.raises(RolloutError, match="score: 1 of 2 values are off, first at"):
        held(build, answer, [1, 2])


def test_another_shape_fails(build):
    with pytest.raises(RolloutError, match=r"shape \[2\], recorded was \[2, 1\]"):
        held(build, [1, 2], [[1], [2]])


def test_nothing_compared_fails(build):
    with pytest.raises(RolloutError, match="nothing was compared"):
        held(build, [], [])


def test_a_missing_output_fails(build):
    with pytest.raises(RolloutError, match="score: there is nothing to compare"):
        compare({}, RecordedAnswers({}, {}), build, "ranker 1")


def test_a_build_without_parity_fails(build):
    bare = build.model_copy(update={"parity": ()})
    with pytest.raises(RolloutError, match="nothing was compared"):
        held(bare, [1], [1])
