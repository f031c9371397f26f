"""Sums, products and powers of tensors that broadcast."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators import unsigned

if TYPE_CHECKING:
    from torch import Tensor


def add(a: Tensor, b: Tensor) -> Tensor:
    """Add-7, 13 and 14."""
    import torch

    return unsigned.by_bits(torch.add, a, b)


def subtract(a: Tensor, b: Tensor) -> Tensor:
    """Sub-7, 13 and 14."""
    import torch

    return unsigned.by_bits(torch.sub, a, b)


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """Mul-7, 13 and 14."""
    import torch

    return unsigned.by_bits(torch.mul, a, b)


def divide(a: Tensor, b: Tensor) -> Tensor:
    """Div-7, 13 and 14; integers towards zero."""
    import torch

    if unsigned.is_wide(a):
        return unsigned.quotient(a, b)
    return torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc")


def power(x: Tensor, y: Tensor) -> Tensor:
    """Pow-7 to 15; the result has the type of the base."""
    import torch

    if x.is_floating_point():
        return torch.pow(x, y.to(x.dtype) if unsigned.is_wide(y) else y).to(x.dtype)
    if y.is_floating_point():
        return torch.pow(x.double(), y.double()).to(torch.int64).to(x.dtype)
    exponent = y.to(torch.int64)
    return torch.pow(x.to(torch.int64), exponent).to(x.dtype)


def modulo(a: Tensor, b: Tensor, *, fmod: int = 0) -> Tensor:
    """Mod-10, 13 and 28; with the sign of the divisor, or with `fmod` of the dividend."""
    import torch

    if unsigned.is_wide(a):
        rest = unsigned.by_bits(torch.mul, unsigned.quotient(a, b), b)
        return unsigned.by_bits(torch.sub, a, rest)
    return torch.fmod(a, b) if fmod else torch.remainder(a, b)


def add_all(*data: Tensor) -> Tensor:
    """Sum-6 to 13."""
    total = data[0]
    for tensor in data[1:]:
        total = total + tensor
    return total


def mean_all(*data: Tensor) -> Tensor:
    """Mean-6 to 13."""
    return add_all(*data) / len(data)


def maximum(*data: Tensor) -> Tensor:
    """Max-6 to 13; NaN wins."""
    import torch

    best = data[0]
    for tensor in data[1:]:
        best = unsigned.by_order(torch.maximum, best, tensor)
    return best


def minimum(*data: Tensor) -> Tensor:
    """Min-6 to 13; NaN wins."""
    import torch

    best = data[0]
    for tensor in data[1:]:
        best = unsigned.by_order(torch.minimum, best, tensor)
    return best


def clip(x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    """Clip-11 to 13; the upper bound wins where the bounds cross."""
    x = x if low is None else maximum(x, low)
    return x if high is None else minimum(x, high)


def clip_6(x: Tensor, *, min: float = -3.402823e38, max: float = 3.402823e38) -> Tensor:  # noqa: A002 (ONNX's names)
    """Clip-6."""
    import torch

    return torch.clamp(x, min, max)
