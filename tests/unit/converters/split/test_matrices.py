"""What counts as a table, and what it is called."""

import torch
from torch import nn

from registry.signature import Axis, DType
from tests.composing import split_model
from tests.models import Model, ids, numbers


class Shrunk(nn.Module):
    """A table of bfloat16 in a float network."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(1100, 8, dtype=torch.bfloat16)
        self.bag = nn.EmbeddingBag(1100, 8, mode="sum", dtype=torch.float16)

    def forward(self, ids):
        return self.table(ids).float().sum(1) + self.bag(ids).float()


class NoTables(nn.Module):
    """Booleans and complex numbers are read by ids; masks and biases by position."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("allowed", torch.rand(1100, 4) > 0.5)
        self.register_buffer("turns", torch.randn(1100, 4, dtype=torch.complex64))
        self.register_buffer("mask", torch.rand(1, 1, 1024, 1024))
        self.bias = nn.Parameter(torch.randn(1, 1, 1024, 512))
        self.register_buffer("small", torch.randn(4, 4))

    def forward(self, ids):
        at = torch.arange(4)
        fixed = self.mask[:, :, at][..., 0] * self.bias[:, :, at][..., 0] * self.small[at, at]
        return self.turns[ids].real * self.allowed[ids] + fixed[0]


class Clashing(nn.Module):
    """Names that are one once they are fit for files."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.ModuleDict({"Ä b": nn.Embedding(1100, 2), "ö b": nn.Embedding(1100, 2)})
        self.User, self.user = nn.Embedding(1100, 2), nn.Embedding(1100, 2)
        self.code = nn.Embedding(1100, 2)

    def forward(self, ids):
        inner = sum(table(ids) for table in self.one.values())
        return inner + self.User(ids) + self.user(ids) + self.code(ids)


def split(build, *inputs, folder):
    axes = {"batch": Axis(max=64), "length": Axis(max=64)}
    return split_model(Model(build=build, inputs=inputs, axes=axes, lookups=0, tables=0), folder)


def test_vectors_of_half_a_float_come_in_as_they_can(tmp_path):
    found = split(Shrunk, ids("ids", "batch", "length"), folder=tmp_path)
    dtypes = {tensor.name: tensor.dtype for tensor in found.split.dense.signature.inputs}
    assert dtypes == {"emb__table__0": DType.FLOAT32, "emb__bag__0": DType.FLOAT16}
    assert [table.dtype for table in found.split.tables] == [DType.BFLOAT16, DType.FLOAT16]
    arrays = found.model.arrays(3)
    torch.testing.assert_close(
        found.composed.run(arrays), found.original(arrays), rtol=0, atol=2e-3
    )


def test_what_no_table_can_hold_and_what_is_read_by_position_stays(tmp_path):
    found = split(NoTables, ids("ids", "batch"), folder=tmp_path)
    assert found.split.tables == ()
    why = "read by index, which is no lookup of an input's ids"
    assert {kept.table: kept.why for kept in found.split.kept} == {"mask": why, "bias": why}
    arrays = found.model.arrays(3)
    assert torch.equal(found.composed.run(arrays)[0], found.original(arrays)[0])


def test_names_are_unique_whatever_the_letters(tmp_path):
    found = split(Clashing, ids("ids", "batch"), folder=tmp_path)
    names = [table.name for table in found.split.tables]
    assert len({name.lower() for name in names}) == len(names) == 5
    assert all(name.isascii() and name.isidentifier() for name in names)
    arrays = found.model.arrays(3)
    assert torch.equal(found.composed.run(arrays)[0], found.original(arrays)[0])


def test_a_network_that_looks_nothing_up_is_all_dense(tmp_path):
    found = split(lambda: nn.Linear(3, 2), numbers("input", "batch", 3), folder=tmp_path)
    assert found.split.tables == found.split.lookups == found.split.kept == ()
    assert found.split.ids is None
