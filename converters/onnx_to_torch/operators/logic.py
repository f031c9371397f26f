"""Comparisons, truth values and bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators.unsigned import by_bits, ordered, signed

if TYPE_CHECKING:
    from torch import Tensor


def equal(a: Tensor, b: Tensor) -> Tensor:
    """Equal-7 to 19."""
    return signed(a) == signed(b)


def less(a: Tensor, b: Tensor) -> Tensor:
    """Less-7 to 13."""
    return ordered(a) < ordered(b)


def less_or_equal(a: Tensor, b: Tensor) -> Tensor:
    """LessOrEqual-12 and 16."""
    return ordered(a) <= ordered(b)


def greater(a: Tensor, b: Tensor) -> Tensor:
    """Greater-7 to 13."""
    return ordered(a) > ordered(b)


def greater_or_equal(a: Tensor, b: Tensor) -> Tensor:
    """GreaterOrEqual-12 and 16."""
    return ordered(a) >= ordered(b)


def both(a: Tensor, b: Tensor) -> Tensor:
    """And-7."""
    return a & b


def either(a: Tensor, b: Tensor) -> Tensor:
    """Or-7."""
    return a | b


def exclusive(a: Tensor, b: Tensor) -> Tensor:
    """Xor-7."""
    return a ^ b


def invert(x: Tensor) -> Tensor:
    """Not-1."""
    return ~x


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Where-9 and 16."""
    import torch

    return by_bits(lambda chosen, other: torch.where(condition, chosen, other), x, y)


def bitwise_and(a: Tensor, b: Tensor) -> Tensor:
    """BitwiseAnd-18."""
    import torch

    return by_bits(torch.bitwise_and, a, b)


def bitwise_or(a: Tensor, b: Tensor) -> Tensor:
    """BitwiseOr-18."""
    import torch

    return by_bits(torch.bitwise_or, a, b)


def bitwise_xor(a: Tensor, b: Tensor) -> Tensor:
    """BitwiseXor-18."""
    import torch

    return by_bits(torch.bitwise_xor, a, b)


def bitwise_not(x: Tensor) -> Tensor:
    """BitwiseNot-18."""
    import torch

    return by_bits(torch.bitwise_not, x)


def bit_shift(x: Tensor, y: Tensor, *, direction: Literal["LEFT", "RIGHT"]) -> Tensor:
    """BitShift-11 and 28; by the width or more leaves nothing but the sign, going right."""
    import torch

    width = 8 * x.dtype.itemsize
    bits, count = signed(x), ordered(y)
    count = count ^ -(1 << 63) if y.dtype == torch.uint64 else count
    inside = (count >= 0) & (count < width)
    by = torch.where(inside, count, 0).to(bits.dtype)
    if direction == "LEFT":
        return torch.where(inside, bits << by, 0).to(bits.dtype).view(x.dtype)
    if x.dtype.is_signed:
        return bits >> torch.where(inside, count, width - 1).to(bits.dtype)
    mask = torch.where(by == 0, -1, ~(torch.full_like(bits, -1) << (width - by)))
    shifted = x >> by if bits is x else (bits >> by) & mask.to(bits.dtype)
    return torch.where(inside, shifted, 0).to(bits.dtype).view(x.dtype)


def is_nan(x: Tensor) -> Tensor:
    """IsNaN-9 to 20."""
    import torch

    return torch.isnan(x)


def is_infinite(x: Tensor, *, detect_negative: int = 1, detect_positive: int = 1) -> Tensor:
    """IsInf-10 and 20."""
    import torch

    if detect_negative and detect_positive:
        return torch.isinf(x)
    if not (detect_negative or detect_positive):
        return torch.zeros_like(x, dtype=torch.bool)
    return torch.isposinf(x) if detect_positive else torch.isneginf(x)
