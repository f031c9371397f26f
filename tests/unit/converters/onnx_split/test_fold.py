"""Tables that an ONNX file computes from its weights are worked out once, and looked up."""

import numpy as np
import pytest
from onnx.helper import make_node

from converters.brief import Brief
from converters.sources.onnx_file import SOURCE, OnnxOptions
from converters.split.policy import SplitOptions
from registry.progress import silent
from tests.composed_onnx import ComposedOnnx
from tests.tiny_onnx import model, tensor, values, write
from tests.tiny_recommenders import AXES, FLOAT, INPUTS, INT64, constant

USER = INPUTS[0]
SCALARS = [
    constant("half", 0.5, "float32"),
    constant("bias", 0.25, "float32"),
    constant("from", [1]),
    constant("to", [2]),
    constant("axis", [0]),
    constant("flat", [1200, 4]),
]
SCALED = [make_node("Mul", ["w", "half"], ["m"]), make_node("Add", ["m", "bias"], ["t"])]
SLICED = [
    make_node("Slice", ["stack", "from", "to", "axis"], ["s"]),
    make_node("Reshape", ["s", "flat"], ["t"]),
]
JOINED = [
    make_node("Transpose", ["across"], ["turned"], perm=[1, 0]),
    make_node("Concat", ["turned", "more"], ["t"], axis=0),
]
SPREAD = [make_node("MatMul", ["near", "w"], ["t"])]


def brief_of(folder):
    return Brief(OnnxOptions(file="model.onnx"), folder, (USER,), AXES)


def split(folder, nodes, weights, *, external=False, more=()):
    nodes = [*nodes, make_node("Gather", ["t", "user"], ["y"]), *more]
    outputs = [tensor("y", FLOAT, "batch", 4)]
    outputs += [tensor("z", FLOAT, 1200)] if more else []
    given = [tensor("user", INT64, "batch")]
    write(model(nodes, given, outputs, [*weights, *SCALARS]), folder, external=external)
    return SOURCE.split(brief_of(folder), SplitOptions(), folder / "out", silent)


@pytest.mark.parametrize("external", [False, True], ids=["inside", "beside"])
@pytest.mark.parametrize(
    ("nodes", "weights", "name", "fold"),
    [
        (SCALED, [values("w", 1200, 4)], "w", "Add(Mul(w, half), bias)"),
        (
            SLICED,
            [values("stack", 3, 1200, 4)],
            "stack",
            "Reshape(Slice(stack, from, to, axis), flat)",
        ),
        (
            JOINED,
            [values("across", 4, 700), values("more", 500, 4)],
            "across_more",
            "Concat(Transpose(across), more)",
        ),
        (SPREAD, [values("near", 1200, 30), values("w", 30, 4)], "near_w", "MatMul(near, w)"),
    ],
    ids=["scaled", "sliced", "joined", "spread"],
)
def test_an_expression_of_weights_is_worked_out_and_says_so(
    nodes, weights, name, fold, external, tmp_path
):
    found = split(tmp_path, nodes, weights, external=external)
    (table,) = found.tables
    assert (table.name, table.rows, table.dim) == (name, 1200, 4)
    assert table.fold == fold
    assert f"table {name} is {fold}: worked out once" in found.remarks[-1].text
    assert set(found.nodes_after) <= {"Identity"}
    ids = {"user": np.array([0, 1199, 7, 7])}
    whole = SOURCE.answers(brief_of(tmp_path))(ids)["y"]
    assert np.abs(whole).max() > 0.1
    assert np.array_equal(ComposedOnnx(found, tmp_path / "out").run(ids)["y"], whole)


def test_what_is_used_densely_too_leaves_the_expression_in_the_dense_part(tmp_path):
    more = [make_node("ReduceSum", ["t", "from"], ["z"], keepdims=0)]
    found = split(tmp_path, SCALED, [values("w", 1200, 4)], more=more)
    assert [table.fold for table in found.tables] == ["Add(Mul(w, half), bias)"]
    assert "used densely" in found.kept[0].why
    ids = {"user": np.array([3, 4])}
    whole = SOURCE.answers(brief_of(tmp_path))(ids)
    parts = ComposedOnnx(found, tmp_path / "out").run(ids)
    assert all(np.array_equal(parts[name], whole[name]) for name in ("y", "z"))


def test_rows_that_take_more_than_what_they_are_made_of_stay_as_they_are(tmp_path):
    wide = [make_node("Expand", ["w", "flat"], ["t"])]
    found = split(tmp_path, wide, [values("w", 1, 4)])
    assert found.tables == ()
    assert found.nodes_after == {"Expand": 1, "Gather": 1}


def test_an_expression_in_which_an_input_has_a_say_is_no_table(tmp_path):
    nodes = [
        make_node("ReduceMax", ["user"], ["most"], keepdims=0),
        make_node("Cast", ["most"], ["factor"], to=FLOAT),
        make_node("Mul", ["w", "factor"], ["t"]),
    ]
    assert split(tmp_path, nodes, [values("w", 1200, 4)]).tables == ()
