"""Rewrites that the parts' formats need."""

import numpy as np
import onnx
import pytest
import torch
from torch import nn

from registry.signature import Axis
from tests.composing import split_model
from tests.models import Model, ids, numbers


class Squeezing(nn.Module):
    """Drops axes in all ways."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(4, 1)

    def forward(self, numbers):
        every = self.out(numbers).squeeze()
        last = self.out(numbers).squeeze(-1)
        none = numbers.squeeze(1).squeeze(0)
        several = self.out(numbers).unsqueeze(0).squeeze((0, 1, 2))
        return every, last, none, several


class Choosing(nn.Module):
    """Chooses by constant masks of fewer and of more axes, and by one that depends on data."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.tensor([[[True, False, True], [False, True, True]]]))

    def forward(self, numbers):
        rows = numbers.shape[0]
        inner = torch.masked_select(numbers, self.mask).view(rows, 4)
        return inner, torch.masked_select(numbers, self.mask[0, 0]).view(rows, 2, 2)


class Putting(nn.Module):
    """Writes to where a mask says."""

    def forward(self, numbers):
        changed = numbers.clone()
        changed[changed < 0.5] = -1.0
        return changed * 2


class Mixing(nn.Module):
    """Puts integers and floats into one operator, which torch promotes."""

    def forward(self, numbers):
        counts = (numbers * 9).long()
        side = torch.stack([counts, numbers, counts > 2], 1)
        row = torch.hstack([counts, numbers])
        put = torch.select_scatter(numbers, counts[:, 0], 1, 0)
        return side, row, put, torch.pow(counts, numbers), torch.pow(counts, 0.5), 2.5**counts


def model_of(build, *shape) -> Model:
    return Model(
        build=build,
        inputs=(numbers("numbers", "batch", *shape),),
        axes={"batch": Axis(max=64)},
        lookups=0,
        tables=0,
    )


MODELS = {
    "squeezing": model_of(Squeezing, 4),
    "choosing": model_of(Choosing, 2, 3),
    "putting": model_of(Putting, 3),
    "mixing": model_of(Mixing, 3),
}


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory):
    made = {}

    def get(name):
        if name not in made:
            made[name] = split_model(MODELS[name], tmp_path_factory.mktemp(name))
        return made[name]

    return get


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [2, 9])
def test_rewritten_graphs_answer_like_the_model(rewritten, name, size):
    split = rewritten(name)
    arrays = split.model.arrays(size)
    answers = zip(
        split.composed.run(arrays),
        split.composed.run_onnx(arrays),
        split.original(arrays),
        strict=True,
    )
    for answer, onnx_answer, original in answers:
        assert torch.equal(answer, original)
        np.testing.assert_allclose(onnx_answer, original, rtol=1e-5, atol=1e-6)


def test_squeezing_without_an_axis_is_remarked_on_and_keeps_a_batch_of_one(rewritten):
    split = rewritten("squeezing")
    assert split.composed.run(split.model.arrays(1))[0].shape == (1,)
    remarks = [remark.text for remark in split.split.remarks]
    assert any("squeeze() without an axis (test_fixups.py:" in text for text in remarks)


def test_what_squeezes_nothing_is_left_out(rewritten):
    assert _operators(rewritten("squeezing")).count("Squeeze") == 3


def test_masks_need_no_search_for_positions(rewritten):
    assert not {"NonZero", "ScatterND"} & set(_operators(rewritten("putting")))


def _operators(split) -> list[str]:
    split.composed.run_onnx(split.model.arrays(3))
    graph = onnx.load(split.composed.folder / "model.onnx").graph
    return [node.op_type for node in graph.node]


class Attending(nn.Module):
    """The rows decide how much each of them counts in the bag."""

    def __init__(self) -> None:
        super().__init__()
        self.keys = nn.Embedding(1100, 8)
        self.bag = nn.EmbeddingBag(1100, 8, mode="sum", padding_idx=0)
        self.score = nn.Linear(8, 1)

    def forward(self, ids):
        shares = self.score(self.keys(ids)).squeeze(-1).softmax(-1)
        return self.bag(ids, per_sample_weights=shares)


def test_a_bag_that_the_network_weighs_is_read_row_by_row(tmp_path):
    model = Model(
        build=Attending,
        inputs=(ids("ids", "batch", "length", padding=0),),
        axes={"batch": Axis(max=64), "length": Axis(max=64)},
        lookups=2,
        tables=2,
    )
    split = split_model(model, tmp_path)
    assert split.split.kept == ()
    assert {lookup.kind for lookup in split.split.lookups} == {"embedding"}
    arrays = {"ids": np.array([[3, 0, 7, 7], [0, 0, 0, 0]])}
    (answer,), (original,) = split.composed.run(arrays), split.original(arrays)
    torch.testing.assert_close(answer, original, rtol=1e-6, atol=1e-7)
    (onnx_answer,) = split.composed.run_onnx(model.arrays(1))
    np.testing.assert_allclose(
        onnx_answer, split.original(model.arrays(1))[0], rtol=1e-5, atol=1e-6
    )


class Once(nn.Module):
    """Shortens rows of a table that the network multiplies with as well."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1100, 8, max_norm=1.0)
        self.twice = nn.Embedding(1100, 8, max_norm=0.5)

    def forward(self, ids):
        return self.table(ids) + self.twice(ids) + self.twice((ids + 1) % 1100)


def test_rows_are_shortened_for_each_lookup_of_a_table(tmp_path):
    model = Model(
        build=Once,
        inputs=(ids("ids", "batch"),),
        axes={"batch": Axis(max=64)},
        lookups=3,
        tables=2,
    )
    split = split_model(model, tmp_path)
    arrays = {"ids": np.array([0, 5, 1099])}
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])
    assert len(split.split.tables) == 2
