"""Cutting ONNX graphs."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_graph, make_node, make_tensor_value_info

from converters.onnx_models.cuts import Cuts
from converters.onnx_models.reference import open_session
from tests import tiny_onnx
from tests.tiny_onnx import model, tensor, values


def cuts_of(made: onnx.ModelProto, folder, **how: bool) -> Cuts:
    return Cuts(tiny_onnx.write(made, folder / "whole", **how).parent)


def run(folder, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    session = open_session(folder / "model.onnx")
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds), strict=True))


@pytest.mark.parametrize("name", tiny_onnx.MODELS)
@pytest.mark.parametrize("external", [False, True])
def test_every_prefix_computes_what_the_whole_does(name, external, tmp_path):
    made = tiny_onnx.MODELS[name]()
    cuts, feeds = cuts_of(made, tmp_path, external=external), tiny_onnx.feeds(made, 3)
    exposed = onnx.ModelProto()
    exposed.CopyFrom(made)
    inside = {name for node in made.graph.node for name in node.output}
    listed = {value.name for value in made.graph.output}
    exposed.graph.output.extend(
        onnx.helper.make_empty_tensor_value_info(name) for name in sorted(inside - listed)
    )
    tiny_onnx.write(exposed, tmp_path / "exposed")
    right = run(tmp_path / "exposed", feeds)
    for number in range(len(cuts)):
        out = tmp_path / f"cut {number}"
        inputs = cuts.write_prefix(number, out)
        answers = run(out, {name: feeds[name] for name in inputs})
        assert tuple(answers) == cuts.frontier(number)
        for value, answer in answers.items():
            np.testing.assert_array_equal(answer, right[value])
    assert set(answers) == listed


@pytest.mark.parametrize("name", tiny_onnx.MODELS)
def test_every_node_computes_the_same_by_itself(name, tmp_path):
    made = tiny_onnx.MODELS[name]()
    cuts, values = cuts_of(made, tmp_path), tiny_onnx.feeds(made, 3)
    for number in range(len(cuts)):
        out = tmp_path / f"node {number}"
        inputs = cuts.write_alone(number, values, out)
        assert len(onnx.load(out / "model.onnx").graph.node) == 1
        answers = run(out, {name: values[name] for name in inputs})
        assert tuple(answers) == cuts.node(number).outputs
        values |= answers
    cuts.write_prefix(len(cuts) - 1, tmp_path / "all")
    for output, right in run(tmp_path / "all", tiny_onnx.feeds(made, 3)).items():
        np.testing.assert_array_equal(values[output], right)


def test_weights_beside_the_file_are_not_copied(tmp_path):
    cuts = cuts_of(tiny_onnx.mlp(), tmp_path, external=True)
    cuts.write_prefix(1, tmp_path / "cut")
    cuts.write_prefix(2, tmp_path / "later")
    whole = tmp_path / "whole" / "model.onnx.data"
    assert (tmp_path / "cut" / "model.onnx.data").samefile(whole)
    assert (tmp_path / "later" / "model.onnx.data").samefile(whole)


def test_a_frontier_holds_all_that_is_still_taken(tmp_path):
    made = model(
        [
            make_node("Relu", ["x"], ["a"]),
            make_node("Constant", [], ["two"], value_float=2.0),
            make_node("Mul", ["a", "two"], ["b"]),
            make_node("Tanh", ["b"], ["c"]),
            make_node("Add", ["a", "c"], ["y"]),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 4)],
        [tensor("y", TensorProto.FLOAT, "batch", 4), tensor("b", TensorProto.FLOAT, "batch", 4)],
    )
    cuts = cuts_of(made, tmp_path)
    assert len(cuts) == 4
    assert [cuts.frontier(number) for number in range(4)] == [
        ("a",),
        ("a", "b"),
        ("a", "b", "c"),
        ("b", "y"),
    ]


def test_what_inner_graphs_take_counts_as_taken(tmp_path):
    inner = make_graph(
        [make_node("Neg", ["a"], ["minus"])],
        "inner",
        [],
        [make_tensor_value_info("minus", TensorProto.FLOAT, None)],
    )
    other = make_graph(
        [make_node("Abs", ["b"], ["plus"])],
        "other",
        [],
        [make_tensor_value_info("plus", TensorProto.FLOAT, None)],
    )
    made = model(
        [
            make_node("Relu", ["x"], ["a"]),
            make_node("Tanh", ["x"], ["b"]),
            make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
            make_node("Cast", ["sum"], ["which"], to=TensorProto.BOOL),
            make_node("If", ["which"], ["y"], then_branch=inner, else_branch=other),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 4)],
        [tensor("y", TensorProto.FLOAT, "batch", 4)],
    )
    cuts = cuts_of(made, tmp_path)
    assert cuts.frontier(3) == ("a", "b", "which")
    x = np.ones((2, 4), "f4")
    before = run_prefix(cuts, 3, tmp_path, x)
    inputs = cuts.write_alone(4, before, tmp_path / "if")
    assert set(inputs) == {"a", "b", "which"}
    np.testing.assert_array_equal(run(tmp_path / "if", before)["y"], -x)


def run_prefix(cuts: Cuts, number: int, folder, x: np.ndarray) -> dict[str, np.ndarray]:
    cuts.write_prefix(number, folder / "prefix")
    return run(folder / "prefix", {"x": x})


def test_types_that_numpy_lacks_are_widened_at_the_cut(tmp_path):
    made = model(
        [
            make_node("Cast", ["x"], ["wide"], to=TensorProto.UINT32),
            make_node("BitShift", ["wide", "two"], ["shifted"], direction="LEFT"),
            make_node("Cast", ["shifted"], ["y"], to=TensorProto.FLOAT),
        ],
        [tensor("x", TensorProto.FLOAT, "batch", 4)],
        [tensor("y", TensorProto.FLOAT, "batch", 4)],
        [numpy_helper.from_array(np.array([2], "u4"), "two")],
    )
    cuts = cuts_of(made, tmp_path)
    answer = run_prefix(cuts, 1, tmp_path, np.full((1, 4), 3.0, "f4"))["shifted"]
    assert answer.dtype == np.int64
    assert answer.tolist() == [[12] * 4]


def test_a_node_says_what_it_is(tmp_path):
    made = model(
        [make_node("MatMul", ["x", "w"], ["y"])],
        [tensor("x", TensorProto.FLOAT, "batch", 4)],
        [tensor("y", TensorProto.FLOAT, "batch", 2)],
        [values("w", 4, 2)],
    )
    made.graph.node[0].metadata_props.add(key="module", value="tower.0")
    node = cuts_of(made, tmp_path).node(0)
    assert (node.name, node.operator, node.module, node.outputs) == (
        "y",
        "MatMul",
        "tower.0",
        ("y",),
    )
