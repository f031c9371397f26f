"""The ids program computes with 64 bits."""

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper
from onnx.helper import make_node

from registry.errors import InputError
from targets.embedding.ids import IdsProgram
from tests.tiny_onnx import model, tensor, write


@pytest.fixture
def program(tmp_path) -> IdsProgram:
    """(hash * 31 + 7) % 1000003, and the places of its bags."""
    numbers = {"by": 31, "plus": 7, "rows": 1_000_003}
    made = model(
        [
            make_node("Mul", ["hash", "by"], ["a"], name="mul"),
            make_node("Add", ["a", "plus"], ["b"], name="add"),
            make_node("Mod", ["b", "rows"], ["ids"], name="mod"),
            make_node("CumSum", ["lengths", "axis"], ["offsets"], name="sum", exclusive=1),
        ],
        [tensor("hash", TensorProto.INT64, "total"), tensor("lengths", TensorProto.INT64, "batch")],
        [tensor("ids", TensorProto.INT64, "total"), tensor("offsets", TensorProto.INT64, "batch")],
        [
            *(numpy_helper.from_array(np.array(v, np.int64), k) for k, v in numbers.items()),
            numpy_helper.from_array(np.array(0, np.int64), "axis"),
        ],
    )
    return IdsProgram(write(made, tmp_path).parent)


def test_ids_are_exact_far_beyond_32_bits(program):
    hashes = np.array([0, 2**31, 2**32 + 5, 2**53 + 1, 2**58 - 1])
    found = program.run({"hash": hashes, "lengths": np.array([2**40, 2**41, 3])})
    assert found["ids"].tolist() == [(int(h) * 31 + 7) % 1_000_003 for h in hashes]
    assert found["offsets"].tolist() == [0, 2**40, 2**40 + 2**41]
    assert found["ids"].dtype == np.int64


def test_no_ids_give_no_ids(program):
    found = program.run({"hash": np.zeros(0, np.int64), "lengths": np.zeros(0, np.int64)})
    assert found["ids"].shape == found["offsets"].shape == (0,)


def test_inputs_that_are_for_other_parts_are_left_out(program):
    given = {"hash": np.array([1]), "lengths": np.array([1]), "price": np.zeros(1)}
    assert program.run(given)["ids"].tolist() == [38]


def test_another_dtype_is_refused(program):
    with pytest.raises(InputError, match="hash: is int32, not int64"):
        program.run({"hash": np.array([1], np.int32), "lengths": np.array([1])})


def test_it_says_what_it_computes(program):
    assert program.outputs == ("ids", "offsets")
