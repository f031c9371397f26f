"""A module is watched with a few samples: which inputs name rows of which tables."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from converters.guesses import inspect_module
from registry.signature import Axis

ANY = (-(2**63), 2**63 - 1)


class Hashed(nn.Module):
    """One input names rows, also where it is cast; of the other, ids are worked out."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(500, 4)
        self.buckets = nn.Parameter(torch.ones(50, 4))

    def forward(self, item, device):
        hashed = functional.embedding(torch.remainder(device, 50), self.buckets)
        return self.rows(item.int()) + hashed


class Columns(nn.Module):
    def __init__(self, *rows):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(count, 2) for count in rows)

    def forward(self, sparse):
        return sum(table(sparse[:, at]) for at, table in enumerate(self.tables))


class Bags(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.bag = nn.EmbeddingBag(300, 4, mode="sum", **options)

    def forward(self, tags, starts, weights, dense):
        return self.bag(tags, starts, per_sample_weights=weights) + dense


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(300, 4, mode="sum")

    def forward(self, tags, weights):
        return self.bag(tags, per_sample_weights=weights)


def inputs_of(module, **samples):
    found = inspect_module(module.eval(), samples)
    return {given.name: given for given, _ in found.inputs}, found


@pytest.mark.parametrize(
    ("device", "values"),
    [([3, -9, 7], (-9, 7)), ([3, 2**40, 7], ANY), ([5, 9, 7], (0, 9))],
)
def test_ids_that_are_worked_out_get_a_range_and_others_their_tables_rows(device, values):
    found, _ = inputs_of(Hashed(), item=np.arange(3), device=np.array(device))
    assert found["item"].ids.cardinality == 500
    assert (found["device"].ids, found["device"].range) == (None, values)


@pytest.mark.parametrize(("rows", "said"), [((9, 7), (9, 7)), ((8, 8), 8)])
def test_columns_that_name_rows_of_different_tables_get_one_number_each(rows, said):
    found, _ = inputs_of(Columns(*rows), sparse=np.ones((4, 2), np.int32))
    assert found["sparse"].ids.cardinality == said


@pytest.mark.parametrize("includes_last", [False, True])
def test_offsets_and_what_they_cut_get_axes_of_their_own(includes_last):
    offsets = [0, 3, 3, 5, 6] + [9] * includes_last
    found, seen = inputs_of(
        Bags(include_last_offset=includes_last),
        tags=np.arange(9),
        starts=np.array(offsets),
        weights=np.ones(9, np.float32),
        dense=np.ones((5, 4), np.float32),
    )
    assert (found["tags"].shape, found["tags"].ids.cardinality) == (("tags_total",), 300)
    assert (found["starts"].offsets, found["starts"].includes_last) == ("tags", includes_last)
    assert (found["starts"].ids, found["starts"].range) == (None, None)
    assert found["starts"].shape == (("starts_size",) if includes_last else ("batch",))
    assert found["weights"].shape == ("tags_total",)
    assert found["dense"].shape == ("batch", 4)
    assert seen.axes["tags_total"] == Axis(min=0, max=1 << 16)


def test_weights_of_bags_that_are_rows_share_the_axes_of_their_ids():
    tags, weights = np.ones((5, 6), np.int64), np.ones((5, 6), np.float32)
    found, seen = inputs_of(Weighted(), tags=tags, weights=weights)
    assert found["weights"].shape == found["tags"].shape == ("batch", 6)
    assert set(seen.axes) == {"batch"}


def test_values_that_are_no_ids_get_a_range_where_the_module_cannot_be_run():
    found, _ = inputs_of(Hashed(), item=np.array([2**40]))
    assert found["item"].range == ANY
