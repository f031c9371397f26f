"""The parts of a split model compose back to the model, for every model there is."""

import numpy as np
import pytest
import torch

from tests.models import MODELS

#: torch multiplies and adds in one step where it weighs, numpy in two.
TWO_ULP = {"bag_weighted", "bag_weighted_2d"}
#: What a kernel sums in another order once it is alone, or is given other strides.
REORDERED = {"recurrent"}
SIZES = (5, 1, 2, 17)


@pytest.fixture(params=MODELS)
def split(request, splits):
    return splits(request.param)


@pytest.fixture
def name(request, split):
    return request.node.callspec.params["split"]


def test_finds_what_there_is_to_find(split):
    found = split.split
    assert len(found.lookups) == split.model.lookups
    assert len(found.tables) == split.model.tables
    assert (found.ids is not None) is split.model.computed
    assert len(found.kept) == len(split.model.kept)
    for part in split.model.kept:
        assert any(part in kept.why for kept in found.kept), [kept.why for kept in found.kept]


@pytest.mark.parametrize("size", SIZES)
def test_the_parts_answer_like_the_model(split, name, size):
    arrays = split.model.arrays(size)
    answers, originals = split.composed.run(arrays), split.original(arrays)
    assert len(answers) == len(originals) > 0
    for answer, original in zip(answers, originals, strict=True):
        assert answer.shape == original.shape
        assert answer.numel() > 0
        if name in TWO_ULP | REORDERED:
            torch.testing.assert_close(answer, original, rtol=2e-6, atol=2e-6)
        else:
            assert torch.equal(answer, original)


@pytest.mark.parametrize("size", [1, 17])
def test_the_dense_part_answers_alike_as_onnx(split, size):
    arrays = split.model.arrays(size)
    for answer, original in zip(
        split.composed.run_onnx(arrays), split.original(arrays), strict=True
    ):
        np.testing.assert_allclose(answer, original.numpy(), rtol=1e-5, atol=1e-6)


def test_no_table_is_left_in_the_dense_part_unless_it_is_listed(split):
    listed = {(kept.rows, kept.dim) for kept in split.split.kept}
    held = {tuple(tensor.shape) for tensor in split.composed.program.state_dict.values()}
    for table in split.split.tables:
        assert (table.rows, table.dim) in listed or (table.rows, table.dim) not in held


def test_axes_have_the_names_of_the_job(split):
    allowed = {*split.model.axes, "ends_minus_1"}
    for tensor in (*split.split.dense.signature.inputs, *split.split.dense.signature.outputs):
        assert {dim for dim in tensor.shape if isinstance(dim, str)} <= allowed
