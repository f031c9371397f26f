"""Gathered rows of which only the greatest are wanted are cut as bags, where the answers stay."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node

from converters.brief import Brief, RefusalError
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.split.policy import SplitOptions
from registry.errors import InputError
from registry.progress import silent
from registry.signature import Axis, Ids, Input
from tests.composed_onnx import ComposedOnnx
from tests.tiny_onnx import tensor, values, write

ROWS, DIM = 1200, 4
IDS = Input(name="ids", dtype="int64", shape=("batch", "length"), ids=Ids(cardinality=ROWS))
AXES = {"batch": Axis(max=64), "length": Axis(min=1, max=40)}


def graph(opset, *, keepdims=0, axis=1, other=None):
    """Give bags of rows, their greatest, and a layer on it."""
    weights = [values("table", ROWS, DIM), values("w", DIM, 2)]
    taken = {"axes": [axis]} if opset < 18 else {}
    inputs = ["rows"] if opset < 18 else ["rows", "axes"]
    if opset >= 18:
        weights.append(numpy_helper.from_array(np.array([axis]), "axes"))
    nodes = [
        make_node("Gather", ["table", "ids"], ["rows"]),
        make_node("ReduceMax", inputs, ["top"], keepdims=keepdims, **taken),
        make_node("MatMul", ["top", "w"], ["y"]),
    ]
    outputs = [tensor("y", TensorProto.FLOAT, *("batch", 1)[: 1 + keepdims], 2)]
    if other:
        nodes.append(make_node(other, ["rows"], ["more"]))
        outputs.append(tensor("more", TensorProto.FLOAT, "batch", "length", DIM))
    given = [tensor("ids", TensorProto.INT64, "batch", "length")]
    made = helper.make_graph(nodes, "bags", given, outputs, weights)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def split(folder, built, axes=AXES, ids=IDS):
    write(built, folder)
    brief = Brief(OnnxOptions(file="model.onnx"), folder, (ids,), axes)
    return brief, SOURCE.split(brief, SplitOptions(), folder / "out", silent)


@pytest.mark.parametrize("opset", [17, 20])
@pytest.mark.parametrize("axis", [1, -2])
def test_the_greatest_of_a_bag_is_looked_up_and_the_answers_are_the_same_to_the_bit(
    opset, axis, tmp_path
):
    brief, found = split(tmp_path, graph(opset, axis=axis))
    (lookup,) = found.lookups
    assert (lookup.kind, lookup.mode, lookup.ids) == ("bag", "max", "ids")
    assert [str(one) for one in found.dense.signature.inputs] == [
        f"{lookup.output}: float32[batch, {DIM}]"
    ]
    assert found.nodes_after == {"MatMul": 1, "Identity": 1}
    parts, whole = ComposedOnnx(found, tmp_path / "out"), SOURCE.answers(brief)
    for batch, length in ((1, 1), (5, 40), (64, 3), (3, 7)):
        given = {"ids": np.random.default_rng(length).integers(-ROWS, ROWS, (batch, length))}
        given["ids"] %= ROWS
        assert np.array_equal(parts.run(given)["y"], whole(given)["y"])


def test_ids_count_from_the_end_and_those_of_no_row_are_refused_as_in_the_file(tmp_path):
    any_id = Input(name="ids", dtype="int64", shape=("batch", "length"), range=(-9999, 9999))
    brief, found = split(tmp_path, graph(20), ids=any_id)
    assert found.lookups[0].mode == "max"
    parts, whole = ComposedOnnx(found, tmp_path / "out"), SOURCE.answers(brief)
    given = {"ids": np.random.default_rng(1).integers(-ROWS, ROWS, (9, 5))}
    assert np.array_equal(parts.run(given)["y"], whole(given)["y"])
    for odd in (ROWS, -ROWS - 1, 1 << 31, (1 << 32) + 1, -(1 << 63), (1 << 63) - 1):
        given["ids"][4, 2] = odd
        with pytest.raises(RefusalError):
            whole(given)
        with pytest.raises(InputError, match="ids"):
            parts.run(given)


@pytest.mark.parametrize(
    ("built", "axes"),
    [
        (graph(20), AXES | {"length": Axis(min=0, max=40)}),
        (graph(20, keepdims=1), AXES),
        (graph(20, other="Neg"), AXES),
    ],
    ids=["may be empty", "keeps the axis", "rows are read"],
)
def test_rows_stay_rows_where_a_bag_would_answer_otherwise(built, axes, tmp_path):
    _, found = split(tmp_path, built, axes)
    assert [(one.kind, one.mode) for one in found.lookups] == [("embedding", None)]
    assert found.nodes_after["ReduceMax"] == 1
