"""Integers that may exceed 32 bits do not reach OpenVINO, and nothing else is refused."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node

from converters.onnx_models.integers import check_integers
from registry.errors import ConversionError
from registry.signature import DType, Ids, Input
from tests.tiny_onnx import MODELS, model, tensor, write

IDS = Input(name="ids", dtype=DType.INT64, shape=("batch", "length"))


def ids(**fields: object) -> tuple[Input, ...]:
    return (IDS.model_copy(update=fields),)


@pytest.fixture
def file(tmp_path) -> Path:
    return write(MODELS["integers"](), tmp_path)


@pytest.mark.parametrize(
    "inputs",
    [
        ids(ids=Ids(cardinality=2**31)),
        ids(ids=Ids(cardinality=(10, 2**31))),
        ids(range=(0, 2**31 - 1)),
        ids(range=(-(2**31) + 1, 5)),
        (),
    ],
)
def test_an_input_that_fits_passes(file, inputs):
    check_integers(file, inputs)


@pytest.mark.parametrize(
    ("inputs", "fault"),
    [
        (ids(), "input 'ids' is int64 and the job does not say what it holds. Declare its ids or"),
        (ids(ids=Ids(cardinality=2**31 + 1)), "input 'ids' may hold 2147483648. Hash it"),
        (ids(ids=Ids(cardinality=(10, 2**40))), "may hold 1099511627775"),
        (ids(range=(-(2**40), 0)), "may hold 1099511627776"),
    ],
)
def test_an_input_that_may_not_fit_is_named_with_the_remedy(file, inputs, fault):
    with pytest.raises(ConversionError) as caught:
        check_integers(file, inputs)
    assert fault in str(caught.value)
    assert "keep it out of the dense part, or build for onnxruntime" in str(caught.value)


def constant(value: int, node: onnx.NodeProto, *more: onnx.NodeProto) -> onnx.ModelProto:
    return model(
        [node, *more],
        [tensor("x", TensorProto.INT64, "batch")],
        [tensor("y", TensorProto.INT64, "batch")],
        [
            numpy_helper.from_array(np.array([value], np.int64), "c"),
            numpy_helper.from_array(np.array([0], np.int64), "zero"),
        ],
    )


SMALL = (Input(name="x", dtype=DType.INT64, shape=("batch",), range=(0, 9)),)


@pytest.mark.parametrize("value", [2**31, 2_654_435_761, -(2**63)])
def test_a_constant_that_does_not_fit_is_named(tmp_path, value):
    file = write(constant(value, make_node("Add", ["x", "c"], ["y"], name="add")), tmp_path)
    with pytest.raises(ConversionError, match=f"constant 'c' holds {value}"):
        check_integers(file, SMALL)


def test_the_starts_of_bags_are_bounded_by_what_they_start(tmp_path):
    file = write(constant(1, make_node("Add", ["x", "c"], ["y"], name="add")), tmp_path)
    check_integers(file, (Input(name="x", dtype=DType.INT64, shape=("batch",), offsets="ids"),))


def test_a_constant_in_a_node_counts_as_well(tmp_path):
    made = constant(
        1,
        make_node("Constant", [], ["big"], value=numpy_helper.from_array(np.array([2**40]), "v")),
        make_node("Mul", ["x", "big"], ["y"], name="mul"),
    )
    with pytest.raises(ConversionError, match="constant 'big' holds 1099511627776"):
        check_integers(write(made, tmp_path), SMALL)


def test_the_end_of_a_slice_may_be_the_largest_integer(tmp_path):
    direct = constant(2**63 - 1, make_node("Slice", ["x", "zero", "c"], ["y"], name="slice"))
    check_integers(write(direct, tmp_path), SMALL)
    carried = constant(
        2**63 - 1,
        make_node("Identity", ["c"], ["d"], name="carry"),
        make_node("Slice", ["x", "zero", "d"], ["y"], name="slice"),
    )
    check_integers(write(carried, tmp_path), SMALL)


def test_a_constant_that_is_handed_out_is_named(tmp_path):
    file = write(constant(2**40, make_node("Identity", ["c"], ["y"], name="out")), tmp_path)
    with pytest.raises(ConversionError, match=f"constant 'c' holds {2**40}"):
        check_integers(file, SMALL)


def test_an_input_of_which_only_the_shape_is_read_passes(tmp_path):
    made = model(
        [make_node("Shape", ["x"], ["y"], name="shape")],
        [tensor("x", TensorProto.INT64, "batch")],
        [tensor("y", TensorProto.INT64, 1)],
    )
    check_integers(write(made, tmp_path), (Input(name="x", dtype=DType.INT64, shape=("batch",)),))


def grown(*nodes: onnx.NodeProto, value: int, size: int | str = "batch") -> onnx.ModelProto:
    """A model that computes with x, of which the job says 0 to 9, and a constant c."""
    return model(
        list(nodes),
        [tensor("x", TensorProto.INT64, size)],
        [tensor("y", TensorProto.INT64, "any")],
        [
            numpy_helper.from_array(np.array([value], np.int64), "c"),
            numpy_helper.from_array(np.array(0, np.int64), "zero"),
        ],
    )


@pytest.mark.parametrize(
    ("operator", "value", "reached"),
    [
        ("Mul", 2**30, 9 * 2**30),
        ("Add", 2**31 - 1, 2**31 + 8),
        ("Sub", 2**31 - 1, None),
        ("Mod", 2**31 - 1, None),
        ("Div", 2**31 - 1, None),
        ("Max", 2**31 - 1, None),
        ("Mul", 2**27, None),
    ],
)
def test_a_node_that_can_pass_32_bits_is_named_with_the_way_there(
    tmp_path, operator, value, reached
):
    file = write(
        grown(make_node(operator, ["x", "c"], ["y"], name="node_7"), value=value), tmp_path
    )
    if reached is None:
        check_integers(file, SMALL)
        return
    with pytest.raises(ConversionError) as caught:
        check_integers(file, SMALL)
    assert f"{operator} (node 'node_7') can reach {reached}, by way of " in str(caught.value)


def test_a_hash_is_refused_though_it_ends_below_the_limit(tmp_path):
    hashed = (
        make_node("Mul", ["x", "c"], ["wide"], name="spread"),
        make_node("Mod", ["wide", "c"], ["y"], name="bucket"),
    )
    with pytest.raises(ConversionError, match=r"Mul \(node 'spread'\) can reach 9663676416"):
        check_integers(write(grown(*hashed, value=2**30), tmp_path), SMALL)


@pytest.mark.parametrize(("size", "refused"), [(4, True), (2, False), ("batch", False)])
def test_a_sum_counts_its_elements_where_they_are_fixed(tmp_path, size, refused):
    nodes = (
        make_node("Mul", ["x", "c"], ["large"], name="grow"),
        make_node("CumSum", ["large", "zero"], ["y"], name="sum"),
    )
    made = grown(*nodes, value=2**26, size=size)
    made.graph.value_info.append(tensor("large", TensorProto.INT64, size))
    file = write(made, tmp_path)
    if refused:
        with pytest.raises(ConversionError, match=r"CumSum \(node 'sum'\) .* x → grow → sum"):
            check_integers(file, SMALL)
    else:
        check_integers(file, SMALL)


def test_sizes_are_not_taken_for_large_numbers(tmp_path):
    nodes = (
        make_node("Shape", ["x"], ["s"], name="shape"),
        make_node("Mul", ["s", "c"], ["y"], name="flat"),
    )
    check_integers(write(grown(*nodes, value=2**31 - 1), tmp_path), SMALL)
