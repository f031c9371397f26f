"""FBGEMM's operators of jagged tensors, in torch's own."""

import numpy as np
import pytest
import torch

from converters.programs.jagged_operators import _FORMS, starts_and_end, with_own_operators

PADDED = _FORMS["fbgemm.jagged_to_padded_dense.default"]
ROWS = _FORMS["fbgemm.jagged_2d_to_dense.default"]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_bags_begin_where_those_before_end(dtype):
    found = starts_and_end(torch.tensor([2, 0, 3], dtype=dtype))
    assert found.dtype is dtype
    assert found.tolist() == [0, 2, 2, 5]
    assert starts_and_end(torch.zeros(0, dtype=dtype)).tolist() == [0]


@pytest.mark.parametrize("sizes", [[2, 0, 5, 1], [0, 0], [9], []])
@pytest.mark.parametrize("inner", [(), (3,)])
def test_bags_lie_side_by_side_filled_up_or_cut_short(sizes, inner):
    values = torch.randn(sum(sizes), *inner)
    ends = starts_and_end(torch.tensor(sizes, dtype=torch.int64))
    wanted = torch.full((len(sizes), 4, *inner), -1.5)
    for row, bag in zip(wanted, values.split(sizes) if sizes else (), strict=True):
        row[: len(bag)] = bag[:4]
    assert torch.equal(PADDED(values, [ends], [4], -1.5), wanted)
    assert torch.equal(ROWS(values, ends, 4), torch.where(wanted == -1.5, 0.0, wanted))


def test_a_program_without_such_operators_stays_as_it_is():
    program = torch.export.export(torch.nn.ReLU(), (torch.zeros(2),))
    assert with_own_operators(program) is program
    assert np.array_equal(program.module()(torch.ones(2)), np.ones(2))
