"""Operators on shapes and what is computed from them: Shape itself, and arithmetic of sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.sizes import (
    Number,
    Numbers,
    Sizes,
    as_tensor,
    each,
    listed,
    maximum,
    minimum,
    product,
)

if TYPE_CHECKING:
    from torch import Tensor


def shape(data: Tensor, *, start: int = 0, end: int | None = None) -> Numbers:
    """Shape-1 to 25."""
    rank = data.dim()
    first, last, _ = slice(start, end).indices(rank)
    return [data.shape[axis] for axis in range(first, last)]


def size(data: Tensor) -> Number:
    """Size-1 to 25."""
    return product([data.shape[axis] for axis in range(data.dim())])


def ranks(data: Sizes, *, start: int = 0, end: int | None = None) -> Numbers:
    """Shape-1 to 25, of a vector of sizes: how many there are is always known."""
    return ([len(data)] if isinstance(data, list) else [])[start:end]


def gather(data: Sizes, indices: Sizes, *, axis: Literal[0, -1] = 0) -> Sizes:
    """Gather-1, 11 and 13."""
    if isinstance(indices, list):
        return [data[index] for index in indices]
    return data[indices]


def concat(*inputs: Sizes, axis: Literal[0, -1]) -> Sizes:
    """Concat-4, 11 and 13."""
    return [number for part in inputs for number in part]


def slice_(data: Sizes, starts: Sizes, ends: Sizes, axes: Sizes = 0, steps: Sizes = 1) -> Sizes:
    """Slice-10, 11 and 13."""
    return data[listed(starts)[0] : listed(ends)[0] : listed(steps)[0]]


def squeeze(data: Sizes, axes: Sizes = None) -> Sizes:
    """Squeeze-13 to 25, of a vector of one."""
    return data[0]


def unsqueeze(data: Sizes, axes: Sizes) -> Sizes:
    """Unsqueeze-13 to 25, of a scalar or a vector: lists in lists are of more axes."""
    rank = _rank(data) + len(listed(axes))
    for axis in sorted(axis % rank for axis in listed(axes)):
        data = _wrapped(data, axis)
    return data


def reshape(data: Sizes, shape: Sizes, *, allowzero: int = 0) -> Sizes:
    """Reshape-5 to 25, to a vector or a scalar."""
    return listed(data) if listed(shape) else listed(data)[0]


def identity(data: Sizes) -> Sizes:
    """Identity-1 to 25."""
    return data


def cast(data: Sizes, *, to: Literal[7], saturate: int = 1) -> Sizes:
    """Cast-6 to 25, to int64, which sizes are."""
    return data


def reduce_prod(
    data: Sizes, axes: Sizes = None, *, keepdims: int = 1, noop_with_empty_axes: Literal[0] = 0
) -> Sizes:
    """ReduceProd-18, of a vector."""
    result = product(data)
    return [result] if keepdims else result


def add(a: Sizes, b: Sizes) -> Sizes:
    """Add-7, 13 and 14."""
    return each(lambda x, y: x + y, a, b)


def subtract(a: Sizes, b: Sizes) -> Sizes:
    """Sub-7, 13 and 14."""
    return each(lambda x, y: x - y, a, b)


def multiply(a: Sizes, b: Sizes) -> Sizes:
    """Mul-7, 13 and 14."""
    return each(lambda x, y: x * y, a, b)


def divide(a: Sizes, b: Sizes) -> Sizes:
    """Div-7, 13 and 14: towards zero."""
    return each(_quotient, a, b)


def modulo(a: Sizes, b: Sizes, *, fmod: Literal[0] = 0) -> Sizes:
    """Mod-10 and 13: with the sign of the divisor."""
    return each(lambda x, y: x % y, a, b)


def equal(a: Sizes, b: Sizes) -> Sizes:
    """Equal-7 to 19."""
    return each(lambda x, y: x == y, a, b)


def where(condition: Sizes, x: Sizes, y: Sizes) -> Sizes:
    """Where-9 and 16."""
    return each(_either, condition, x, y)


def greatest(a: Sizes, b: Sizes) -> Sizes:
    """Max-8 to 13."""
    return maximum(a, b)


def least(a: Sizes, b: Sizes) -> Sizes:
    """Min-8 to 13."""
    return minimum(a, b)


def negative(x: Sizes) -> Sizes:
    """Neg-6 and 13."""
    return each(lambda number: -number, x)


def span(start: Sizes, limit: Sizes, delta: Sizes, *, stash_type: int = 1) -> Tensor:
    """Range-11 and 27, of sizes."""
    import torch

    return torch.arange(start, limit, delta, dtype=torch.int64)


def _rank(data: Sizes) -> int:
    return 1 + _rank(data[0]) if isinstance(data, list) and data else int(isinstance(data, list))


def _wrapped(data: Sizes, axis: int) -> Sizes:
    return [_wrapped(part, axis - 1) for part in data] if axis else [data]


def _quotient(a: Number, b: Number) -> Number:
    import torch

    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return torch.div(a, b, rounding_mode="trunc")
    magnitude = abs(a) // abs(b)
    return magnitude if (a < 0) == (b < 0) else -magnitude


def _either(condition: Number, x: Number, y: Number) -> Number:
    import torch

    if isinstance(condition, torch.Tensor):
        return torch.where(condition, as_tensor(x), as_tensor(y))
    return x if condition else y
