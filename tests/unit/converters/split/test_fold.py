"""Expressions of tables are worked out once, and the split says so."""

import pytest
import torch
from torch import nn

from registry.signature import Axis
from tests.composing import split_model
from tests.models import Model, ids


class Scaled(nn.Module):
    """A table times a half, and one more."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1100, 4)

    def forward(self, ids):
        return nn.functional.embedding(ids, self.table.weight * 0.5 + 1)


class Fused(nn.Module):
    """One matrix of a stack that is one parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.Parameter(torch.randn(3, 1100, 4))

    def forward(self, ids):
        return self.tables[1][ids]


class Stacked(nn.Module):
    """Two tables as one, its second half by ids that are moved."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Embedding(600, 4), nn.Embedding(500, 4)

    def forward(self, ids):
        both = torch.cat([self.one.weight, self.other.weight])
        return nn.functional.embedding(ids, both)


class LightGcn(nn.Module):
    """Vectors are mixed along a sparse graph, layer by layer."""

    def __init__(self, rows: int = 1100) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, 4)
        self.register_buffer("ends", torch.randint(0, rows, (2, 4 * rows)))
        self.register_buffer("strengths", torch.rand(4 * rows))

    def forward(self, ids):
        layers = [self.table.weight]
        for _ in range(2):
            pushed = layers[-1][self.ends[1]] * self.strengths.unsqueeze(1)
            layers.append(torch.zeros_like(layers[-1]).index_add(0, self.ends[0], pushed))
        return torch.stack(layers).mean(0)[ids]


class SparseGcn(nn.Module):
    """The same by products with a sparse matrix, which no runtime has."""

    def __init__(self, rows: int = 1100) -> None:
        super().__init__()
        self.table = nn.Embedding(rows, 4)
        ends = torch.randint(0, rows, (2, 4 * rows))
        graph = torch.sparse_coo_tensor(
            ends, torch.rand(4 * rows), (rows, rows), check_invariants=True
        )
        self.register_buffer("graph", graph.coalesce())

    def forward(self, ids):
        near = torch.sparse.mm(self.graph, self.table.weight)
        return (self.table.weight + near + torch.sparse.mm(self.graph, near))[ids]


FOLDED = {
    Scaled: "add(mul(table.weight, 0.5), 1)",
    Fused: "select(tables, 0, 1)",
    Stacked: "cat([one.weight, other.weight])",
    LightGcn: "mean(stack(",
    SparseGcn: "add(add(table.weight, _sparse_mm(graph, table.weight))",
}


#: Of what is computed: a product and its sum, a slice, both halves, the layers of a network.
MEMORY = {
    Scaled: 2 * 17600,
    Fused: 17600,
    Stacked: 17600,
    LightGcn: 10 * 17600,
    SparseGcn: 3 * 17600,
}


@pytest.mark.parametrize("build", FOLDED, ids=lambda build: build.__name__)
def test_an_expression_of_tables_is_a_table_and_the_split_says_so(tmp_path, build):
    axes = {"batch": Axis(max=64)}
    model = Model(build=build, inputs=(ids("ids", "batch"),), axes=axes, lookups=0, tables=0)
    split = split_model(model, tmp_path)
    (table,) = split.split.tables
    assert table.fold.startswith(FOLDED[build])
    assert (table.rows, table.dim) == (1100, 4)
    (said,) = [one.text for one in split.split.remarks if one.text.startswith("table ")]
    assert f"is {table.fold}: worked out once, here" in said
    assert f"up to {MEMORY[build]} bytes of memory, and 17600 bytes on disk" in said
    assert split.split.kept == ()
    assert split.composed.program.state_dict == {}
    arrays = model.arrays(9)
    assert torch.equal(split.composed.run(arrays)[0], split.original(arrays)[0])


def test_another_shape_alone_is_no_expression(tmp_path):
    """Rows lie in the checkpoint as the table has them."""

    class Numbers(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bias = nn.Parameter(torch.randn(1100))
            self.boxes = nn.Parameter(torch.randn(1100, 2, 3))

        def forward(self, ids):
            return self.bias[ids].unsqueeze(-1) + self.boxes[ids].sum(1)

    axes = {"batch": Axis(max=64)}
    model = Model(build=Numbers, inputs=(ids("ids", "batch"),), axes=axes, lookups=0, tables=0)
    found = split_model(model, tmp_path).split
    assert [(one.fold, one.dim) for one in found.tables] == [(None, 1), (None, 6)]
