"""What is looked up: the inputs themselves, or what the ids program works out."""

import numpy as np
import onnx
import pytest
import torch

from registry.errors import InputError


@pytest.mark.parametrize(("name", "ids"), [("dlrm", "user"), ("din", "history"), ("bag_2d", "ids")])
def test_an_input_that_holds_the_ids_needs_no_program(splits, name, ids):
    found = splits(name).split
    assert found.ids is None
    assert ids in {lookup.ids for lookup in found.lookups}


def test_equal_expressions_are_worked_out_once(splits):
    found = splits("deepfm").split
    assert found.ids is not None
    assert [tensor.name for tensor in found.ids.signature.outputs] == ["ids__0"]
    assert {lookup.ids for lookup in found.lookups} == {"ids__0"}


def test_the_program_takes_the_inputs_that_ids_are_worked_out_from_alone(splits):
    found = splits("wide_deep").split
    assert found.ids is not None
    assert [tensor.name for tensor in found.ids.signature.inputs] == ["ids"]


def test_the_program_computes_with_integers_alone(splits):
    split = splits("hashed")
    graph = onnx.load(split.composed.folder / "ids" / "model.onnx").graph
    types = {value.type.tensor_type.elem_type for value in (*graph.input, *graph.output)}
    assert types == {onnx.TensorProto.INT64}
    assert {tensor.data_type for tensor in graph.initializer} <= {
        onnx.TensorProto.INT64,
        onnx.TensorProto.BOOL,
    }


def test_ids_beyond_two_to_the_31_are_hashed_exactly(splits):
    split = splits("hashed")
    arrays = {"ids": np.array([[2**31 - 1, 2**31, 2**31 + 1], [2**39, 2**53 + 1, 0]])}
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_negative_ids_count_from_the_end_where_the_model_indexes(splits):
    split = splits("ranks")
    arrays = {"ids": np.array([-1, 0, -1100, 1099])}
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


@pytest.mark.parametrize("bad", [1100, -1101])
def test_ids_out_of_range_are_refused_where_the_model_indexes(splits, bad):
    said = r"ids run from 0 to 1099.*; the model computes \w+ from ids$"
    with pytest.raises(InputError, match=said):
        splits("ranks").composed.run({"ids": np.array([3, bad])})


@pytest.mark.parametrize("bad", [1500, -1])
def test_ids_out_of_range_are_refused_as_the_model_refuses_them(splits, bad):
    split = splits("din")
    arrays = {"history": np.array([[1, bad]]), "item": np.array([2])}
    with pytest.raises(IndexError):
        split.original(arrays)
    with pytest.raises(InputError, match=f"id {bad} is not in table items"):
        split.composed.run(arrays)


def test_sizes_that_ids_depend_on_come_from_the_ids_themselves(splits):
    found = splits("salted").split
    assert found.ids is not None
    assert [tensor.name for tensor in found.ids.signature.inputs] == ["words"]
