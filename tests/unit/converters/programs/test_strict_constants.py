"""What only strict mode traces: its constants get names that a program can hold."""

from pathlib import Path

import numpy as np
import torch

from converters.brief import Brief
from converters.programs.export import export_program
from converters.sources.torch_factory import TorchOptions
from registry.signature import Axis, DType, Input


class Positions(torch.nn.Module):
    """Tiles positions by numpy over the batch, which non-strict tracing would fix."""

    def forward(self, x):
        places = np.tile(np.array(range(x.shape[1])), [x.shape[0], 1])
        return x + torch.LongTensor(places) * torch.tensor([1.0, 2.0, 3.0])


class Around(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Positions()

    def forward(self, *tensors):
        return self.model(*tensors)


def test_constants_of_a_program_that_numpy_takes_part_in_are_kept():
    given = Input(name="x", dtype=DType.FLOAT32, shape=("batch", 3))
    brief = Brief(TorchOptions(factory="none:none"), Path(), (given,), {"batch": Axis(max=16)})
    program = export_program(Around().eval(), brief)
    assert program.constants
    assert all(name.isidentifier() for name in program.constants)
    for size in (1, 5):
        x = torch.randn(size, 3)
        assert torch.equal(program.module()(x), Around()(x))
