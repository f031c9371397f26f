"""A batch that is cut into one chunk stays free; TabNet normalises 128 rows at a time."""

import numpy as np
import pytest
import torch

from converters.brief import Brief
from converters.programs.export import export_program
from converters.sources.source import SourceOptions
from registry.errors import SourceError
from registry.signature import Axis, DType, Input


def brief(most: int) -> Brief:
    given = Input(name="x", dtype=DType.FLOAT32, shape=("batch", 3))
    return Brief(SourceOptions(), ".", (given,), {"batch": Axis(max=most)})


class Ghosts(torch.nn.Module):
    """Normalise 128 rows at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        chunks = x.chunk(int(np.ceil(x.shape[0] / 128)), 0)
        return torch.cat([self.norm(one) for one in chunks])


class Ways(torch.nn.Module):
    """Cut into one chunk in each way that torch has, and into more."""

    def forward(self, x):
        (one,) = x.chunk(1)
        (two,) = torch.chunk(one, chunks=1, dim=0)
        (three,) = torch.chunk(input=two, chunks=1)
        left, right = three.chunk(2, dim=1)
        return torch.cat([right, left], 1)


@pytest.mark.parametrize("module", [Ghosts(), Ways()], ids=["ghosts", "ways"])
@pytest.mark.parametrize("rows", [1, 2, 128])
def test_the_batch_stays_free_and_the_answers_are_the_models(module, rows):
    program = export_program(module, brief(128))
    x = torch.randn(rows, 3, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        assert torch.equal(program.module()(x), module.eval()(x))


def test_as_many_chunks_as_the_batch_needs_are_refused():
    with pytest.raises(SourceError):
        export_program(Ghosts(), brief(129))


def test_chunks_are_torchs_own_again_afterwards():
    was = torch.chunk, torch.Tensor.chunk
    export_program(Ways(), brief(4))
    assert (torch.chunk, torch.Tensor.chunk) == was
