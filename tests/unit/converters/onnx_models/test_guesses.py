"""What is guessed of an ONNX file's inputs: names, sizes and values, from it and from samples."""

import numpy as np
import pytest
from onnx import TensorProto, helper

from converters.onnx_models.guesses import guess_axes, guess_inputs
from registry.signature import Axis


def model(*inputs: tuple[str, int, list]):
    graph = helper.make_graph(
        [helper.make_node("Identity", [inputs[0][0]], ["y"])],
        "open",
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info("y", inputs[0][1], inputs[0][2])],
    )
    return helper.make_model(graph)


FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def guess(made, **samples):
    found = guess_inputs(made, samples)
    axes = guess_axes((given for given, _ in found), samples)
    return [given for given, _ in found], axes, [said for _, said in found]


@pytest.mark.parametrize("blank", [None, -1, "?"])
def test_a_size_without_a_name_is_that_of_the_samples(blank):
    image = np.full((5, 3, 4, 6), 0.25, np.float32)
    (x,), axes, (said,) = guess(model(("x", FLOAT, [blank, 3, blank, blank])), x=image)
    assert x.shape == ("batch", 3, 4, 6)
    assert axes == {"batch": Axis()}
    assert x.range == (0, 1)
    assert "4, 6: open in the file, of one size in all samples" in said


def test_without_samples_such_a_size_stays_open_and_the_job_says_so():
    (x,), axes, (said,) = guess(model(("x", FLOAT, [None, 3, None])))
    assert x.shape == ("batch", 3, "x_2")
    assert set(axes) == {"batch", "x_2"}
    assert "x_2: open in the file; write a number" in said


def test_an_axis_with_a_name_stays_and_has_room_for_the_samples():
    ids = np.zeros((2000, 1500), np.int64)
    (x,), axes, _ = guess(model(("x", INT64, ["N", "length"])), x=ids)
    assert x.shape == ("N", "length")
    assert axes == {"N": Axis(), "length": Axis(max=1500)}


def test_inputs_whose_first_size_has_no_name_go_with_the_one_that_has():
    (x, y), axes, _ = guess(model(("x", FLOAT, ["N", 2]), ("y", FLOAT, [None, 2])))
    assert (x.shape, y.shape) == (("N", 2), ("N", 2))
    assert set(axes) == {"N"}


def test_samples_of_another_rank_close_nothing():
    (x,), _, _ = guess(model(("x", FLOAT, [None, None])), x=np.ones(7, np.float32))
    assert x.shape == ("batch", "x_1")
