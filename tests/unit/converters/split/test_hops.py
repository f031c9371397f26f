"""Rows of integer tables are ids of the next lookup, in as many hops as it takes."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from registry.errors import InputError
from registry.signature import Axis
from tests.composing import split_model
from tests.models import Model, ids


class Past(nn.Module):
    """What a user bought, and whether there was anything."""

    def __init__(self, past: torch.Tensor, rows: int = 1100) -> None:
        super().__init__()
        self.past = nn.Parameter(past, requires_grad=False)
        self.items = nn.Embedding(rows, 8)

    def forward(self, user):
        past = functional.embedding(user, self.past)
        return self.items(past).sum(1), past > 0


class ByWay(nn.Module):
    """A small map in the middle of a chain."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("past", torch.randint(0, 20, (1100, 3)))
        self.register_buffer("way", torch.randint(0, 1100, (20,)))
        self.items = nn.Embedding(1100, 8)

    def forward(self, user):
        return self.items(self.way[functional.embedding(user, self.past)])


class Grown(nn.Module):
    """Ids of a second hop depend on the size of what the first one gave."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("past", torch.randint(0, 1000, (1100, 3)))
        self.items = nn.Embedding(1100, 8)

    def forward(self, user):
        past = functional.embedding(user, self.past)
        return self.items(past + torch.arange(past.shape[1]) + past.shape[0])


def split_of(build, folder):
    axes = {"batch": Axis(max=64)}
    model = Model(build=build, inputs=(ids("user", "batch"),), axes=axes, lookups=0, tables=0)
    return split_model(model, folder)


def test_a_chain_of_rows_as_they_are_needs_no_program(splits):
    split = splits("neighbours").split
    assert [lookup.ids for lookup in split.lookups] == ["node", "emb__next__0", "emb__next__1"]
    assert split.id_programs == ()
    assert [table.dtype for table in split.tables] == ["int64", "float32"]
    assert {tensor.name for tensor in split.dense.signature.inputs} == {"emb__nodes__0"}


def test_what_is_computed_between_lookups_is_a_program_for_each_hop(splits):
    split = splits("hops").split
    assert split.ids is None
    assert [program.folder for program in split.hops] == ["ids_2", "ids_3"]
    taken = [{tensor.name for tensor in one.signature.inputs} for one in split.hops]
    assert taken == [{"emb__history__0"}, {"user", "emb__shop__0"}]


def test_a_small_map_on_the_way_is_in_an_ids_program_which_the_split_says(tmp_path):
    split = split_of(ByWay, tmp_path)
    assert [table.name for table in split.split.tables] == ["past", "items"]
    (kept,) = split.split.kept
    assert kept.why.startswith("small: 20 rows")
    assert kept.why.endswith("; an ids program holds it")
    arrays = split.model.arrays(7)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_ids_may_depend_on_how_many_rows_a_lookup_gave(tmp_path):
    split = split_of(Grown, tmp_path)
    assert len(split.split.lookups) == 2
    for size in (1, 2, 9):
        arrays = split.model.arrays(size)
        assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_the_dense_part_is_told_what_the_rows_of_integers_hold(tmp_path):
    past = torch.randint(0, 1000, (1100, 3))
    past[7, 1], past[1099, 2] = -5, 1 << 40
    split = split_of(lambda: Past(past), tmp_path).split
    assert split.dense.ranges == {"emb__past__0": (-5, 1 << 40)}


@pytest.mark.parametrize("wrong", [-1, 1100, 1 << 40])
def test_ids_out_of_a_table_are_held_against_the_next_one(tmp_path, wrong):
    past = torch.randint(0, 1000, (1100, 3))
    past[7, 1] = wrong
    split = split_of(lambda: Past(past), tmp_path)
    assert split.composed.vectors({"user": np.array([6])})["emb__items__0"].shape == (1, 3, 8)
    said = rf"emb__past__0\[1, 1\]: id {wrong} is not in table items.* from user$"
    with pytest.raises(InputError, match=said):
        split.composed.vectors({"user": np.array([6, 7])})
    with pytest.raises(IndexError):
        split.original({"user": np.array([6, 7])})


def test_each_table_answers_unknown_ids_by_its_own_rule(tmp_path):
    past = torch.randint(1, 1000, (1100, 3))
    past[7, 1] = 1100 + 4
    split = split_of(lambda: Past(past), tmp_path)
    rules = {"past": {"unknown": "zero"}, "items": {"unknown": "modulo"}}
    tables = tuple(one.model_copy(update=rules[one.name]) for one in split.split.tables)
    split.composed.split = split.split.model_copy(update={"tables": tables})
    found = split.composed.vectors({"user": np.array([7, 1 << 33])})
    assert found["emb__past__0"].tolist() == [past[7].tolist(), [0, 0, 0]]
    items = split.module.items.weight.detach()
    assert np.array_equal(found["emb__items__0"][0, 1], items[4])
    assert np.array_equal(found["emb__items__0"][1], items[[0, 0, 0]])
