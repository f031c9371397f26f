"""Rewrites keep axes free: what ONNX's own cases, of fixed sizes, do not try."""

import numpy as np
import pytest
from onnx import TensorProto
from onnx.helper import make_node

from tests.tiny_onnx import tensor
from tests.unit.converters.onnx_legal.test_legalise import answers, hold, opset

F32, I64 = TensorProto.FLOAT, TensorProto.INT64


def images(*shapes: tuple[int, ...]) -> list[dict[str, np.ndarray]]:
    draw = np.random.default_rng(0)
    return [{"x": draw.random(shape, np.float32)} for shape in shapes]


@pytest.mark.parametrize(
    "attributes",
    [
        {"mode": "linear", "coordinate_transformation_mode": "half_pixel_symmetric"},
        {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
        {"mode": "cubic", "exclude_outside": 1},
        {"mode": "cubic", "antialias": 1},
        {"mode": "nearest", "coordinate_transformation_mode": "half_pixel_symmetric"},
    ],
    ids=str,
)
def test_resize(attributes, tmp_path):
    made = opset(
        19,
        [make_node("Resize", ["x", "", "scales"], ["y"], **attributes)],
        [tensor("x", F32, "n", "c", "h", "w")],
        [tensor("y", F32, "n", "c", "high", "wide")],
        {"scales": np.array([1, 1, 0.7, 1.3], np.float32)},
    )
    hold(made, tmp_path, *images((1, 1, 6, 7), (2, 3, 9, 5)))


def test_pooling_that_rounds_up(tmp_path):
    pool = {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1}
    made = opset(
        22,
        [make_node("MaxPool", ["x"], ["y"], **pool)],
        [tensor("x", F32, "n", 2, "h", "w")],
        [tensor("y", F32, "n", 2, "high", "wide")],
    )
    hold(made, tmp_path, *images((1, 2, 4, 6), (2, 2, 5, 7), (1, 2, 3, 3)))


@pytest.mark.parametrize(("operator", "over"), [("AveragePool", np.mean), ("MaxPool", np.max)])
def test_a_window_wider_than_the_image(operator, over, tmp_path):
    pool = {"kernel_shape": [7, 9], "strides": [7, 9], "ceil_mode": 1}
    made = opset(
        22,
        [make_node(operator, ["x"], ["y"], **pool)],
        [tensor("x", F32, "n", 2, 3, 2)],
        [tensor("y", F32, "n", 2, 1, 1)],
    )
    feeds = images((1, 2, 3, 2), (4, 2, 3, 2))
    for (got,), given in zip(answers(made, tmp_path, *feeds), feeds, strict=True):
        np.testing.assert_allclose(got, over(given["x"], axis=(2, 3), keepdims=True), 1e-6)


def test_padding_that_goes_round(tmp_path):
    made = opset(
        19,
        [make_node("Pad", ["x", "pads", "", "axes"], ["y"], mode="wrap")],
        [tensor("x", F32, "n", "m")],
        [tensor("y", F32, "n", "wide")],
        {"pads": np.array([2, 1]), "axes": np.array([1])},
    )
    for given in images((1, 3), (2, 4)):
        hold(made, tmp_path, given)


def test_space_to_depth(tmp_path):
    made = opset(
        28,
        [make_node("SpaceToDepth", ["x"], ["y"], blocksize=2, mode="CRD")],
        [tensor("x", F32, "n", 2, "h", "w")],
        [tensor("y", F32, "n", 8, "high", "wide")],
    )
    hold(made, tmp_path, *images((1, 2, 4, 6), (3, 2, 2, 8)))


def test_volumes_are_sampled(tmp_path):
    made = opset(
        22,
        [make_node("GridSample", ["x", "grid"], ["y"], mode="linear", padding_mode="border")],
        [tensor("x", F32, "n", 2, "d", "h", "w"), tensor("grid", F32, "n", "a", "b", "c", 3)],
        [tensor("y", F32, "n", 2, "a", "b", "c")],
    )
    draw = np.random.default_rng(1)
    given = images((1, 2, 3, 4, 5), (2, 2, 2, 3, 2))
    for one in given:
        one["grid"] = draw.uniform(-1.2, 1.2, (len(one["x"]), 2, 3, 2, 3)).astype(np.float32)
    hold(made, tmp_path, *given)


def test_remainders_of_floats_have_the_sign_of_the_divisor(tmp_path):
    made = opset(
        13,
        [make_node("Mod", ["x", "by"], ["y"], fmod=1), make_node("Mod", ["i", "j"], ["z"])],
        [tensor("x", F32, "n"), tensor("by", F32, "n"), tensor("i", I64, "n"), tensor("j", I64, 1)],
        [tensor("y", F32, "n"), tensor("z", I64, "n")],
    )
    x = np.array([5.3, -5.3, 4, -4], np.float32)
    by = np.array([2, 2, -3, -3], np.float32)
    hold(made, tmp_path, {"x": x, "by": by, "i": np.array([5, -5, 4, -4]), "j": np.array([3])})


def test_transforms_of_batches(tmp_path):
    made = opset(
        20,
        [make_node("DFT", ["x", "", "axis"], ["y"], onesided=1)],
        [tensor("x", F32, "n", 12, 1)],
        [tensor("y", F32, "n", 7, 2)],
        {"axis": np.array(1)},
    )
    hold(made, tmp_path, *images((1, 12, 1), (4, 12, 1)))


@pytest.mark.parametrize(
    ("attributes", "parts", "columns"),
    [({}, 1, "n"), ({}, 2, "n"), ({"inverse": 1}, 2, "n"), ({"onesided": 1}, 1, "half")],
    ids=str,
)
def test_transforms_of_any_length(attributes, parts, columns, tmp_path):
    made = opset(
        20,
        [make_node("DFT", ["x", "", "axis"], ["y"], **attributes)],
        [tensor("x", F32, "batch", "n", 3, parts)],
        [tensor("y", F32, "batch", columns, 3, 2)],
        {"axis": np.array(1)},
    )
    hold(made, tmp_path, *images(*((2, length, 3, parts) for length in (1, 2, 7, 16, 101))))


def test_signals_of_any_length_are_cut_into_frames(tmp_path):
    made = opset(
        17,
        [make_node("STFT", ["x", "step", "window"], ["y"])],
        [tensor("x", F32, "n", "length", 1), tensor("step", I64)],
        [tensor("y", F32, "n", "frames", 5, 2)],
        {"window": np.hanning(8).astype(np.float32)},
    )
    given = [{**one, "step": np.array(3)} for one in images((1, 20, 1), (2, 33, 1))]
    hold(made, tmp_path, *given)
