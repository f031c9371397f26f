"""Identical lookups are joined, and only those."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from registry.signature import Axis
from tests.composing import split_model
from tests.models import Model, ids


class Repeated(nn.Module):
    """The same rows by many ways."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1100, 4)

    def forward(self, ids):
        weight = self.table.weight
        plain = self.table(ids) + self.table(ids.to(torch.int64)) + self.table(ids.clone())
        shifted = self.table((ids + 1) % 1100) + self.table((1 + ids.contiguous()) % 1100)
        twice = self.table((ids + 1) % 1100) * self.table((ids + 2) % 1100)
        start = torch.zeros(1, dtype=torch.int64)
        pooled = functional.embedding_bag(ids, weight, start, mode="sum")
        largest = functional.embedding_bag(ids, weight, start, mode="max")
        return plain + shifted + twice + pooled - largest


def test_equal_expressions_of_ids_are_looked_up_once(tmp_path):
    model = Model(
        build=Repeated,
        inputs=(ids("ids", "batch", rows=1000),),
        axes={"batch": Axis(max=64)},
        lookups=0,
        tables=0,
    )
    split = split_model(model, tmp_path)
    ways = [(lookup.kind, lookup.mode, lookup.ids) for lookup in split.split.lookups]
    assert ways[0] == ("embedding", None, "ids")
    assert len(ways) == len(set(ways))
    assert [way[:2] for way in ways].count(("embedding", None)) <= 4
    assert {way[:2] for way in ways} == {("embedding", None), ("bag", "sum"), ("bag", "max")}
    assert len(split.split.tables) == 1
    arrays = model.arrays(9)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


class Handed(nn.Module):
    """The same ids, once as they are and once by operators that change nothing."""

    def __init__(self, hand_on) -> None:
        super().__init__()
        self.table, self.hand_on = nn.Embedding(1100, 4), hand_on

    def forward(self, ids):
        return self.table(ids) - 2 * self.table(self.hand_on(ids))


NO_OPS = {
    "to": lambda ids: ids.to(torch.int64),
    "long": lambda ids: ids.long(),
    "type_as": lambda ids: ids.type_as(torch.zeros(1, dtype=torch.int64)),
    "clone": lambda ids: ids.clone(),
    "contiguous": lambda ids: ids.contiguous(),
    "detach": lambda ids: ids.detach(),
    "view": lambda ids: ids.view(ids.shape),
    "view_by_sizes": lambda ids: ids.view(ids.size(0), -1),
    "reshape": lambda ids: ids.reshape(-1, ids.shape[1]),
    "expand": lambda ids: ids.expand(-1, -1),
    "whole_slice": lambda ids: ids[:, :],
    "several": lambda ids: ids.clone().view(ids.shape).long().contiguous(),
}
OTHERS = {
    "shorter": lambda ids: ids[:, :2],
    "turned": lambda ids: ids.flip(0),
    "narrow": lambda ids: ids.to(torch.int8).long(),
}


@pytest.mark.parametrize("name", [*NO_OPS, *OTHERS])
def test_ids_that_nothing_changed_are_looked_up_once_and_no_others_are(tmp_path, name):
    hand_on = {**NO_OPS, **OTHERS}[name]
    model = Model(
        build=lambda: Handed(hand_on) if name != "shorter" else Shorter(hand_on),
        inputs=(ids("ids", "batch", "length", rows=100),),
        axes={"batch": Axis(max=64), "length": Axis(min=3, max=64)},
        lookups=0,
        tables=0,
    )
    split = split_model(model, tmp_path)
    assert len(split.split.lookups) == (1 if name in NO_OPS else 2)
    assert (split.split.ids is None) is (name in NO_OPS)
    arrays = model.arrays(5)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


class Shorter(Handed):
    """Only the first columns are looked up again."""

    def forward(self, ids):
        return self.table(ids).sum(1) - self.table(self.hand_on(ids)).sum(1)


def test_each_lookup_of_a_table_has_an_input_of_its_own(splits):
    outputs = [lookup.output for lookup in splits("two_tower").split.lookups]
    assert outputs == ["emb__entities__0", "emb__entities__1"]


def test_indexing_and_looking_up_differ_where_ids_are_negative(splits):
    found = splits("functional").split
    named = {lookup.table: lookup.ids for lookup in found.lookups}
    assert named["called"] == named["selected"] == "ids"
    assert named["indexed"] == "ids__0"
