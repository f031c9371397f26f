"""Integers are followed into branches and loops: what could exceed 32 bits there is refused."""

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node

from converters.onnx_models.integers import check_integers
from registry.errors import ConversionError
from registry.signature import DType, Input
from tests.tiny_onnx import model, tensor, write

INT64, BOOL = TensorProto.INT64, TensorProto.BOOL


def number(name, value, kind="int64"):
    return numpy_helper.from_array(np.array(value, kind), name)


def one(name, kind=INT64):
    return tensor(name, kind, 2)


def held(name, value):
    return make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(value)))


def branch(operator, by, result):
    nodes = [held(f"{result}_by", by), make_node(operator, ["x", f"{result}_by"], [result])]
    return helper.make_graph(nodes, result, [], [one(result)])


def choose(*, most):
    """Multiply in one branch and add in the other, then divide again."""
    branches = {
        "then_branch": branch("Mul", np.int64(most), "large"),
        "else_branch": branch("Add", np.int64(1), "small"),
    }
    nodes = [
        make_node("ReduceMax", ["x"], ["top"], keepdims=0),
        make_node("Greater", ["top", "none"], ["any"]),
        make_node("If", ["any"], ["chosen"], name="choice", **branches),
        make_node("Div", ["chosen", "by"], ["y"]),
    ]
    return model(nodes, [one("x")], [one("y")], [number("none", 0), number("by", most)])


def repeat(operator, by, turns, start="x"):
    """Carry a number through a loop, and halve what comes out again and again."""
    body = helper.make_graph(
        [
            held("step", np.int64(by)),
            make_node("Identity", ["go"], ["on"]),
            make_node(operator, ["before", "step"], ["after"], name="grow"),
        ],
        "body",
        [tensor("turn", INT64), tensor("go", BOOL), one("before")],
        [tensor("on", BOOL), one("after")],
    )
    nodes = [
        make_node("Loop", ["turns", "", start], ["grown"], name="loop", body=body),
        make_node("Mod", ["grown", "odd"], ["y"]),
    ]
    return model(nodes, [one("x")], [one("y")], [number("turns", turns), number("odd", 1_000_003)])


def scan():
    """Multiply the rows of a matrix into a state."""
    body = helper.make_graph(
        [
            make_node("Mul", ["state", "row"], ["next"], name="multiply"),
            make_node("Identity", ["next"], ["shown"]),
        ],
        "body",
        [one("state"), one("row")],
        [one("next"), one("shown")],
    )
    nodes = [
        make_node("Scan", ["x", "rows"], ["end", "all"], name="scan", body=body, num_scan_inputs=1),
        make_node("Mod", ["end", "odd"], ["y"]),
    ]
    rows = number("rows", np.full((40, 2), 3))
    return model(nodes, [one("x")], [one("y")], [rows, number("odd", 1_000_003)])


def small(most=9):
    return (Input(name="x", dtype=DType.INT64, shape=(2,), range=(0, most)),)


WRONG = {
    "a branch": (choose(most=2**30), "Mul .node 'large'. can reach 9663676416"),
    "a loop": (repeat("Mul", 3, 30), "Mul .node 'grow'. can reach"),
    "a long loop": (repeat("Add", 2**20, 3000), "Add .node 'grow'. can reach"),
    "a scan": (scan(), "Mul .node 'multiply'. can reach"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_openvino_gets_wrong_inside_a_body_is_refused(tmp_path, case):
    made, fault = WRONG[case]
    file = write(made, tmp_path)
    x = np.array([9, 7])
    right = onnxruntime.InferenceSession(file).run(None, {"x": x})[0]
    compiled = openvino.Core().compile_model(openvino.convert_model(file), "CPU")
    assert not np.array_equal(compiled([x])[0], right)
    with pytest.raises(ConversionError, match=fault):
        check_integers(file, small())


RIGHT = {
    "a branch": choose(most=2**20),
    "a loop": repeat("Mul", 3, 10),
    "a loop that counts": repeat("Add", 1, 2**30),
    "a loop that settles": repeat("Min", 5, 2**30),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_fits_inside_a_body_passes(tmp_path, case):
    check_integers(
        write(RIGHT[case], tmp_path),
        small(),
    )


def test_an_input_that_only_a_body_reads_has_to_be_declared(tmp_path):
    branches = {
        "then_branch": branch("Add", np.int64(1), "one"),
        "else_branch": branch("Sub", np.int64(1), "two"),
    }
    nodes = [make_node("If", ["flag"], ["y"], **branches)]
    made = model(nodes, [one("x"), tensor("flag", BOOL)], [one("y")], [])
    undeclared = (Input(name="x", dtype=DType.INT64, shape=(2,)),)
    with pytest.raises(ConversionError, match="input 'x' is int64 and the job does not say"):
        check_integers(write(made, tmp_path), undeclared)


def test_a_constant_inside_a_body_is_named(tmp_path):
    file = write(choose(most=2**33), tmp_path)
    with pytest.raises(ConversionError, match="constant 'large_by' holds 8589934592"):
        check_integers(file, small(0))


def test_the_way_names_each_node_once(tmp_path):
    with pytest.raises(ConversionError) as caught:
        check_integers(write(repeat("Mul", 3, 30), tmp_path), small())
    assert "by way of x → grow. " in str(caught.value)


def test_a_body_that_reads_a_value_beyond_the_limit_does_not_hide_it(tmp_path):
    """The value's one reader is inside."""
    branches = {
        "then_branch": helper.make_graph(
            [make_node("Sub", ["big", "much"], ["a"])], "a", [], [one("a")]
        ),
        "else_branch": helper.make_graph(
            [make_node("Identity", ["x"], ["b"])], "b", [], [one("b")]
        ),
    }
    nodes = [
        make_node("Mul", ["x", "much"], ["big"], name="times"),
        make_node("If", ["flag"], ["y"], **branches),
    ]
    made = model(nodes, [one("x"), tensor("flag", BOOL)], [one("y")], [number("much", 2**30)])
    onnx.checker.check_model(made)
    with pytest.raises(ConversionError, match=r"Mul \(node 'times'\) can reach"):
        check_integers(write(made, tmp_path), small())
