import math

import pytest
import torch

from converters.onnx_to_torch.operators import (
    arg_reduce,
    arithmetic,
    cast,
    cumulate,
    logic,
    reduce,
)

TYPES = [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
PYTHON = {
    arithmetic.add: lambda a, b: a + b,
    arithmetic.subtract: lambda a, b: a - b,
    arithmetic.multiply: lambda a, b: a * b,
    arithmetic.divide: lambda a, b: a // b,
    arithmetic.modulo: lambda a, b: a % b,
    arithmetic.maximum: max,
    arithmetic.minimum: min,
    logic.less: lambda a, b: a < b,
    logic.greater_or_equal: lambda a, b: a >= b,
    logic.equal: lambda a, b: a == b,
    logic.bitwise_xor: lambda a, b: a ^ b,
}


def edges(kind: torch.dtype) -> list[int]:
    top = 1 << (8 * kind.itemsize)
    return [1, 2, 3, top // 2 - 1, top // 2, top // 2 + 1, top - 3, top - 1]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("function", PYTHON, ids=lambda function: function.__name__)
def test_unsigned_integers_compute_as_python_does_modulo_their_range(function, kind):
    pairs = [(a, b) for a in edges(kind) for b in edges(kind)]
    left, right = (torch.tensor(side, dtype=kind) for side in zip(*pairs, strict=True))
    wanted = [PYTHON[function](a, b) for a, b in pairs]
    top = 1 << (8 * kind.itemsize)
    assert function(left, right).tolist() == [w if isinstance(w, bool) else w % top for w in wanted]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_shifts_by_the_width_or_more_leave_nothing(kind):
    width = 8 * kind.itemsize
    values = [1, (1 << width) - 1, 1 << (width - 1)]
    x = torch.tensor(values, dtype=kind)
    for by in (0, 1, width - 1, width, width + 1):
        count = torch.full([3], by, dtype=kind)
        right = logic.bit_shift(x, count, direction="RIGHT")
        left = logic.bit_shift(x, count, direction="LEFT")
        assert right.tolist() == [v >> by for v in values]
        assert left.tolist() == [(v << by) % (1 << width) for v in values]


def test_a_signed_shift_to_the_right_keeps_the_sign():
    x = torch.tensor([-128, -1, 127], dtype=torch.int8)
    count = torch.tensor([9, 3, -1], dtype=torch.int8)
    assert logic.bit_shift(x, count, direction="RIGHT").tolist() == [-1, -1, 0]
    assert logic.bit_shift(x, count, direction="LEFT").tolist() == [0, -8, 0]


ALONG = {
    "sum": (lambda x: reduce.reduce_sum(x, [1]), lambda row: [sum(row)]),
    "product": (lambda x: reduce.reduce_prod(x, [1]), lambda row: [math.prod(row)]),
    "norm 1": (lambda x: reduce.reduce_l1(x, [1]), lambda row: [sum(row)]),
    "greatest": (lambda x: reduce.reduce_max(x, [1]), lambda row: [max(row)]),
    "least": (lambda x: reduce.reduce_min(x, [1]), lambda row: [min(row)]),
    "running sum from behind": (
        lambda x: cumulate.cumulative_sum(x, [1], exclusive=1, reverse=1),
        lambda row: [sum(row[at + 1 :]) for at in range(len(row))],
    ),
    "where the greatest is": (
        lambda x: arg_reduce.arg_max(x, axis=1),
        lambda row: [row.index(max(row))],
    ),
    "where the least is": (
        lambda x: arg_reduce.arg_min(x, axis=1),
        lambda row: [row.index(min(row))],
    ),
}


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("name", ALONG)
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_unsigned_integers_reduce_as_python_does_also_in_a_trace(name, kind):
    function, python = ALONG[name]
    values = edges(kind)
    rows, others = [values, values[::-1]], [values[3:] + values[:3]]
    traced = torch.jit.trace(function, (torch.tensor(rows, dtype=kind),), check_trace=False)
    top = 1 << (8 * kind.itemsize)
    for run, given in ((function, rows), (traced, rows), (traced, others)):
        wanted = [[number % top for number in python(row)] for row in given]
        assert run(torch.tensor(given, dtype=kind)).tolist() == wanted


@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_a_comparison_of_unsigned_integers_can_be_traced(kind):
    a = torch.tensor(edges(kind), dtype=kind)
    traced = torch.jit.trace(logic.less, (a, a), check_trace=False)
    b = torch.tensor(edges(kind)[::-1], dtype=kind)
    assert traced(a, b).tolist() == [x < y for x, y in zip(a.tolist(), b.tolist(), strict=True)]


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_the_bits_of_integers_can_be_traced_and_those_of_real_numbers_are_refused():
    x = torch.tensor([0, 1, (1 << 32) - 1], dtype=torch.uint32)
    traced = torch.jit.trace(lambda x: cast.bit_cast(x, to=6), (x,), check_trace=False)
    assert traced(x).tolist() == [0, 1, -1]
    with pytest.raises(TypeError, match=r"BitCast to torch\.float32 cannot be traced"):
        torch.jit.trace(lambda x: cast.bit_cast(x, to=1), (x,), check_trace=False)
