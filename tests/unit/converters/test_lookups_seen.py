"""Every way to read rows of a weight is seen, and nothing else is taken for one."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from converters.lookups_seen import watch
from converters.trials import stored_tensors

WAYS = {
    "weight[ids]": lambda weight, ids: weight[ids],
    "index_select": lambda weight, ids: weight.index_select(0, ids),
    "functional": lambda weight, ids: functional.embedding(ids, weight),
    "cast weight": lambda weight, ids: weight.double()[ids],
    "cast ids": lambda weight, ids: weight[ids.int().long()],
    "bag": lambda weight, ids: functional.embedding_bag(ids[:, None], weight, mode="sum"),
}


class Raw(nn.Module):
    def __init__(self, read):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(50, 4))
        self.other = nn.Parameter(torch.ones(9, 4))
        self.read = read

    def forward(self, ids):
        return self.read(self.weight, ids)


def see(module, **inputs):
    return watch(module, inputs, stored_tensors(module))


@pytest.mark.parametrize("way", WAYS)
def test_rows_of_a_raw_parameter_are_seen_to_be_read(way):
    seen = see(Raw(WAYS[way]), ids=torch.tensor([3, 0]))
    assert seen.rows == {"ids": 50}
    assert seen.tables == ("weight",)


@pytest.mark.parametrize(
    "way",
    {
        "another axis": lambda weight, ids: weight.index_select(1, ids),
        "columns": lambda weight, ids: weight[:, ids],
        "rows of what was worked out": lambda weight, ids: (weight * 2)[ids],
        "other ids": lambda weight, ids: weight[ids + 1],
        "a mask": lambda weight, ids: weight[(ids > 0).repeat(25)],
    }.items(),
    ids=lambda way: way[0],
)
def test_nothing_else_is_taken_for_ids(way):
    assert see(Raw(way[1]), ids=torch.tensor([3, 0])).rows == {}


def test_columns_are_told_apart_also_where_they_were_copied():
    class Columns(nn.Module):
        def __init__(self):
            super().__init__()
            self.rows = nn.ParameterList([torch.ones(9, 2), torch.ones(7, 2)])

        def forward(self, x):
            return sum(one[x[:, at].clone()] for at, one in enumerate(self.rows))

    seen = see(Columns(), x=torch.zeros(3, 2, dtype=torch.int64))
    assert seen.rows == {"x": (9, 7)}
    assert seen.tables == ("rows.0", "rows.1")


def test_weights_that_share_one_mapped_file_are_told_apart():
    module = Raw(lambda weight, ids: weight[ids])
    flat = torch.ones(50 * 4 + 9 * 4)
    module.other = nn.Parameter(flat[: 9 * 4].view(9, 4))
    module.weight = nn.Parameter(flat[9 * 4 :].view(50, 4))
    assert see(module, ids=torch.tensor([1])).tables == ("weight",)
