import pytest
import torch

from converters.onnx_to_torch.operators import arithmetic, logic

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
