"""The ONNX graph that OpenVINO reads: rewritten where it must be, and only there."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info
from onnx.reference import ReferenceEvaluator

from converters.converter import ConvertOptions
from converters.onnx_legal import REWRITES, legal_file, legalise
from converters.onnx_to_openvino import convert
from registry.errors import ConversionError, InputError
from targets.openvino import load
from targets.target import ThreadPlan
from tests.tiny_onnx import MODELS, tensor, write

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def opset(
    version: int,
    nodes: list[onnx.NodeProto],
    inputs: list[onnx.ValueInfoProto],
    outputs: list[onnx.ValueInfoProto],
    stored: dict[str, np.ndarray] | None = None,
) -> onnx.ModelProto:
    weights = [numpy_helper.from_array(array, name) for name, array in (stored or {}).items()]
    graph = make_graph(nodes, "tiny", inputs, outputs, weights)
    return make_model(graph, opset_imports=[make_opsetid("", version)], ir_version=10)


def answers(
    made: onnx.ModelProto, folder: Path, *feeds: dict[str, np.ndarray]
) -> list[list[np.ndarray]]:
    write(made, folder)
    convert(folder, folder / "out", ConvertOptions())
    runner = load(folder / "out", "f32", ThreadPlan(threads=1))
    return [list(runner.run(one).values()) for one in feeds]


def hold(made: onnx.ModelProto, folder: Path, *feeds: dict[str, np.ndarray]) -> None:
    """Hold OpenVINO's answers against those of ONNX's reference."""
    reference = ReferenceEvaluator(made)
    for got, given in zip(answers(made, folder, *feeds), feeds, strict=True):
        for one, other in zip(got, reference.run(None, given), strict=True):
            np.testing.assert_allclose(one, other, 1e-4, 1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_openvino_computes_rightly_is_left_alone(name):
    made = MODELS[name]()
    assert legalise(made, REWRITES) is made


def test_a_rewritten_model_reads_its_weights_where_they_lie(tmp_path):
    weights = np.random.default_rng(0).random((64, 64), np.float32)
    made = opset(
        28,
        [make_node("MatMul", ["x", "w"], ["h"]), make_node("CumProd", ["h", "last"], ["y"])],
        [tensor("x", F32, "batch", 64)],
        [tensor("y", F32, "batch", 64)],
        {"w": weights, "last": np.array(1)},
    )
    file = write(made, tmp_path, external=True)
    with legal_file(file, REWRITES, tmp_path) as legal:
        assert legal != file
        assert legal.stat().st_size < weights.nbytes
        assert (legal.parent / "model.onnx.data").samefile(tmp_path / "model.onnx.data")
    assert not legal.exists()
    convert(tmp_path, tmp_path / "out", ConvertOptions())
    x = np.random.default_rng(1).random((3, 64), np.float32) / 16
    got = load(tmp_path / "out", "f32", ThreadPlan(threads=1)).run({"x": x})["y"]
    np.testing.assert_allclose(got, np.cumprod(x @ weights, 1), 1e-4)


def test_all_nodes_that_cannot_be_computed_are_named_with_their_modules():
    first = make_node("BitCast", ["x"], ["a"], name="view", to=TensorProto.INT32)
    first.metadata_props.add(key="module", value="tower.0")
    second = make_node("Det", ["m"], ["b"], name="volume")
    made = opset(
        28,
        [first, second],
        [tensor("x", F32, "batch"), tensor("m", F32, 9, 9)],
        [tensor("a", TensorProto.INT32, "batch"), tensor("b", F32)],
    )
    with pytest.raises(ConversionError) as caught:
        legalise(made, REWRITES)
    assert str(caught.value) == (
        "OpenVINO cannot compute BitCast (node 'view' of module 'tower.0'): "
        "OpenVINO has no such operator; "
        "Det (node 'volume'): its input has matrices of 9 rows, more than 4"
    )


def test_a_node_inside_a_branch_is_rewritten(tmp_path):
    def branch(name: str, node: onnx.NodeProto) -> onnx.GraphProto:
        return make_graph([node], name, [], [make_tensor_value_info(node.output[0], F32, None)])

    made = opset(
        28,
        [
            make_node(
                "If", ["flag"], ["y"],
                then_branch=branch("then", make_node("CumProd", ["x", "last"], ["p"])),
                else_branch=branch("else", make_node("Neg", ["x"], ["n"])),
            )
        ],
        [tensor("flag", BOOL), tensor("x", F32, "batch", 3)],
        [tensor("y", F32, "batch", 3)],
        {"last": np.array(1)},
    )  # fmt: skip
    x = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    (one,), (other,) = answers(
        made, tmp_path, {"flag": np.array(True), "x": x}, {"flag": np.array(False), "x": x}
    )
    np.testing.assert_array_equal(one, np.cumprod(x, 1))
    np.testing.assert_array_equal(other, -x)


def test_a_function_of_the_file_is_looked_into(tmp_path):
    body = onnx.helper.make_function(
        "local", "Crop", ["a"], ["b"],
        [make_node("SpaceToDepth", ["a"], ["b"], blocksize=2, mode="CRD")], [make_opsetid("", 28)],
    )  # fmt: skip
    made = opset(
        28,
        [make_node("Crop", ["x"], ["y"], domain="local")],
        [tensor("x", F32, "batch", 2, 4, 4)],
        [tensor("y", F32, "batch", 8, 2, 2)],
    )
    made.functions.append(body)
    made.opset_import.append(make_opsetid("local", 1))
    hold(made, tmp_path, *({"x": np.random.rand(n, 2, 4, 4).astype(np.float32)} for n in (1, 3)))


def test_an_input_that_is_an_output_and_one_of_no_elements_are_kept(tmp_path):
    made = opset(
        18,
        [make_node("Identity", ["x"], ["same"]), make_node("ReduceSum", ["x", "none"], ["y"])],
        [tensor("x", F32, "batch", 2), tensor("none", I64, 0)],
        [tensor("same", F32, "batch", 2), tensor("y", F32, 1, 1)],
    )
    x = np.array([[1, 2], [3, 4]], np.float32)
    ((same, total),) = answers(made, tmp_path, {"x": x, "none": np.zeros(0, np.int64)})
    np.testing.assert_array_equal(same, x)
    assert total.tolist() == [[10]]


def test_equal_values_come_out_in_their_order(tmp_path):
    made = opset(
        18,
        [make_node("TopK", ["x", "k"], ["values", "places"], axis=1)],
        [tensor("x", F32, "batch", 50)],
        [tensor("values", F32, "batch", 20), tensor("places", I64, "batch", 20)],
        {"k": np.array([20])},
    )
    x = np.random.default_rng(3).integers(0, 4, (4, 50)).astype(np.float32)
    ((_, places),) = answers(made, tmp_path, {"x": x})
    np.testing.assert_array_equal(places, np.argsort(-x, axis=1, kind="stable")[:, :20])


def test_infinite_doubles_stay_infinite(tmp_path):
    made = opset(
        18,
        [
            make_node("Cast", ["x"], ["f"], to=F32),
            make_node("Cast", ["f"], ["y"], to=TensorProto.DOUBLE),
        ],
        [tensor("x", TensorProto.DOUBLE, "batch")],
        [tensor("y", TensorProto.DOUBLE, "batch")],
    )
    x = np.array([3, np.inf, -np.inf, np.nan], np.float64)
    ((y,),) = answers(made, tmp_path, {"x": x})
    np.testing.assert_array_equal(y, x)


def test_doubles_that_float32_does_not_have_are_refused(tmp_path):
    made = opset(
        18,
        [make_node("Neg", ["x"], ["y"])],
        [tensor("x", TensorProto.DOUBLE, "batch")],
        [tensor("y", TensorProto.DOUBLE, "batch")],
    )
    with pytest.raises(InputError, match=r"x: -2e\+39 does not fit into the float32"):
        answers(made, tmp_path, {"x": np.array([1, -2e39])})


@pytest.mark.parametrize("size", [1, 3, "length"])
def test_branches_of_different_ranks_need_a_condition_that_is_known(size, tmp_path):
    def branch(name: str, *nodes: onnx.NodeProto) -> onnx.GraphProto:
        made = make_tensor_value_info(nodes[-1].output[0], F32, None)
        return make_graph(nodes, name, [], [made])

    axes = make_node("Constant", [], ["axes"], value_ints=[1])
    nodes = [
        make_node("Shape", ["x"], ["shape"]),
        make_node("Gather", ["shape", "last"], ["size"]),
        make_node("Equal", ["size", "last"], ["alone"]),
        make_node(
            "If", ["alone"], ["squeezed"], name="choose",
            then_branch=branch("then", axes, make_node("Squeeze", ["x", "axes"], ["s"])),
            else_branch=branch("else", make_node("Identity", ["x"], ["i"])),
        ),
        make_node("ReduceMax", ["squeezed"], ["y"], keepdims=0),
    ]  # fmt: skip
    stored = {"last": np.array(1)}
    made = opset(18, nodes, [tensor("x", F32, "batch", size)], [tensor("y", F32)], stored)
    if size == "length":
        with pytest.raises(ConversionError, match=r"If \(node 'choose'\): .* different ranks"):
            legalise(made, REWRITES)
    else:
        hold(made, tmp_path, {"x": np.random.rand(2, size).astype(np.float32)})


@pytest.mark.parametrize("size", [1, 3])
def test_a_condition_is_known_behind_pads_and_slices_that_are_worked_out(size, tmp_path):
    """Voice detectors have such pads: places of constants, turned around and cast."""
    made = make_tensor_value_info("s", F32, None), make_tensor_value_info("i", F32, None)
    axes = make_node("Constant", [], ["axes"], value_ints=[1])
    squeeze = make_node("Squeeze", ["cut", "axes"], ["s"])
    nodes = [
        make_node("Reshape", ["ends", "square"], ["pairs"]),
        make_node("Transpose", ["pairs"], ["turned"], perm=[1, 0]),
        make_node("Reshape", ["turned", "four"], ["flat"]),
        make_node("ConstantOfShape", ["four"], ["none"]),
        make_node("Add", ["flat", "none"], ["both"]),
        make_node("Cast", ["both"], ["pads"], to=TensorProto.INT64),
        make_node("Pad", ["x", "pads"], ["wide"], mode="reflect"),
        make_node("Unsqueeze", ["end", "zero"], ["stop"]),
        make_node("Slice", ["wide", "zero", "stop", "one"], ["cut"]),
        make_node("Shape", ["cut"], ["shape"]),
        make_node("Gather", ["shape", "one"], ["size"]),
        make_node("Equal", ["size", "one"], ["alone"]),
        make_node(
            "If", ["alone"], ["squeezed"], name="choose",
            then_branch=make_graph([axes, squeeze], "then", [], made[:1]),
            else_branch=make_graph([make_node("Identity", ["cut"], ["i"])], "else", [], made[1:]),
        ),
        make_node("ReduceMax", ["squeezed"], ["y"], keepdims=0),
    ]  # fmt: skip
    stored = {
        "ends": np.array([0, 0, 1, 2], np.float32), "square": np.array([2, 2]),
        "four": np.array([4]), "end": np.array(size), "zero": np.array([0]), "one": np.array([1]),
    }  # fmt: skip
    padded = opset(18, nodes, [tensor("x", F32, "batch", 6)], [tensor("y", F32)], stored)
    hold(padded, tmp_path, {"x": np.random.rand(2, 6).astype(np.float32)})


def test_names_that_are_made_are_made_once():
    """Attention's body ends in what is rewritten in turn, under the name of the same output."""
    wide = [tensor(name, F32, 1, 2, 4, 8) for name in ("q", "k", "v")]
    windowed = make_node("Attention", ["q", "k", "v"], ["y"], is_causal=1, left_window_size=1)
    made = legalise(opset(25, [windowed], wide, [tensor("y", F32, 1, 2, 4, 8)]), REWRITES)
    names = [name for node in made.graph.node for name in node.output if name]
    assert len(names) > 20
    assert len(set(names)) == len(names)
    onnx.checker.check_model(made)


@pytest.mark.parametrize("operator", ["Mul", "Div"])
@pytest.mark.parametrize("shape", [(3, 3), (2, 1, 3), (3, 1)])
def test_a_factor_of_each_place_is_not_taken_for_one_of_the_filters(tmp_path, operator, shape):
    draw = np.random.default_rng(0)
    made = opset(
        20,
        [
            make_node("Abs", ["m"], ["f"]),
            make_node(operator, ["x", "f"], ["h"]),
            make_node("Conv", ["h", "w"], ["y"], pads=[1, 1, 1, 1]),
        ],
        [tensor("x", F32, "batch", 2, 3, 3)],
        [tensor("y", F32, "batch", 1, 3, 3)],
        {
            "m": draw.uniform(1, 2, shape).astype(np.float32),
            "w": draw.random((1, 2, 3, 3), np.float32),
        },
    )
    hold(made, tmp_path, {"x": draw.random((3, 2, 3, 3), np.float32)})
