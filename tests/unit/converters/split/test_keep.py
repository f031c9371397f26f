"""Lookups that stay in the dense part, and what is said of them."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from converters.programs.export import export_program
from converters.split.policy import SplitOptions
from converters.split.program import split_program
from registry.composition import Origin
from registry.signature import Axis
from tests.composing import split_model
from tests.models import Model, ids, numbers, offsets


class BigSource(nn.Module):
    """Ids come from a big constant that is no table."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("order", torch.randperm(1 << 18).view(1 << 9, 1 << 9))
        self.table = nn.Embedding(1 << 18, 2)

    def forward(self, ids):
        return self.table(ids + self.order[0, :4].sum() * 0)


class WeighedByNetwork(nn.Module):
    """The network decides how much an id counts."""

    def __init__(self) -> None:
        super().__init__()
        self.weigh = nn.Linear(4, 4)
        self.bag = nn.EmbeddingBag(1100, 8, mode="sum")

    def forward(self, ids, offsets, numbers):
        return self.bag(ids, offsets, per_sample_weights=self.weigh(numbers).flatten())


class SizeOfBag(nn.Module):
    """Uses the size of each bag as well as its vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(1100, 8))

    def forward(self, ids, offsets):
        vectors, _, counts, _ = torch.ops.aten._embedding_bag(
            self.weight, ids, offsets, False, 1, False, None, False, -1
        )
        return vectors * counts.unsqueeze(-1)


class SmallMap(nn.Module):
    """A small constant map from ids to ids, then a table."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("map", torch.randint(0, 1100, (50,)))
        self.table = nn.Embedding(1100, 8)

    def forward(self, ids):
        return self.table(self.map[ids])


class Sliced(nn.Module):
    """Positions are a slice of a table, as long as the input."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1100, 8)
        self.places = nn.Parameter(torch.randn(2000, 8))

    def forward(self, words):
        return self.words(words) + self.places[: words.shape[1]]


class Network(nn.Module):
    """A layer as big as a table."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1100, 8)
        self.wide = nn.Linear(8, 40_000)

    def forward(self, ids):
        return self.wide(self.table(ids)).sum(-1)


def model_of(build, *inputs) -> Model:
    axes = {"batch": Axis(max=64), "length": Axis(max=64), "total": Axis(max=640)}
    return Model(build=build, inputs=inputs, axes=axes, lookups=0, tables=0)


def test_ids_from_a_big_constant_stay(tmp_path):
    split = split_model(model_of(BigSource, ids("ids", "batch", 4)), tmp_path).split
    assert [kept.why for kept in split.kept] == ["its ids come from order, 2097152 bytes in size"]


def test_weights_from_the_network_stay(tmp_path):
    flat, starts = ids("ids", 8), offsets("offsets", "ids", "batch")
    model = model_of(WeighedByNetwork, flat, starts, numbers("numbers", 2, 4))
    split = split_model(model, tmp_path).split
    (kept,) = split.kept
    assert kept.why == "its ids or weights are computed from the parameter weigh.bias"
    assert (kept.table, kept.rows, kept.dim, kept.bytes) == ("bag", 1100, 8, 1100 * 8 * 4)


def test_a_small_map_of_ids_belongs_to_the_ids_program(tmp_path):
    split = split_model(model_of(SmallMap, ids("ids", "batch", rows=50)), tmp_path)
    assert split.split.ids is not None
    assert [table.name for table in split.split.tables] == ["table"]
    arrays = split.model.arrays(7)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_a_slice_of_positions_is_no_lookup(tmp_path):
    split = split_model(model_of(Sliced, ids("words", "batch", "length")), tmp_path)
    assert [table.name for table in split.split.tables] == ["words"]
    arrays = split.model.arrays(3)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_a_layer_of_any_size_is_no_table(tmp_path):
    split = split_model(model_of(Network, ids("ids", "batch")), tmp_path).split
    assert split.kept == ()
    assert [table.name for table in split.tables] == ["table"]


def test_a_bag_of_which_more_is_used_stays(tmp_path):
    model = model_of(SizeOfBag, ids("ids", "total"), offsets("offsets", "ids", "batch"))
    split = split_model(model, tmp_path).split
    assert [kept.why for kept in split.kept] == ["the model uses more of the bag than its vectors"]


class Narrow(nn.Module):
    """Ids of a big table come as floats."""

    def forward(self, features):
        table = self.weight
        return functional.embedding(features[:, 0].long(), table)

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1).expand((1 << 24) + 1, 1))


@pytest.mark.parametrize("rows", [1 << 24, (1 << 24) + 1])
def test_floats_that_cannot_tell_all_ids_apart_are_remarked_on(tmp_path, rows):
    module = Narrow()
    module.weight = nn.Parameter(torch.zeros(1, 1).expand(rows, 1), requires_grad=False)
    model = model_of(lambda: module, numbers("features", "batch", 2))
    program = export_program(module.eval(), model.brief())

    def find(key):
        return Origin(table="", file="/w", key=key)

    split = split_program(program, model.brief(), SplitOptions(), tmp_path, find)
    remarked = any("tells ids apart up to 16777216" in remark.text for remark in split.remarks)
    assert remarked is (rows > 1 << 24)
