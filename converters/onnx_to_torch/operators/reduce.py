"""Reductions over axes, which are an input; `reduce_axes_attribute` has the older form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unary import absolute
from converters.onnx_to_torch.operators.unsigned import by_bits, by_order
from converters.onnx_to_torch.sizes import Axes

if TYPE_CHECKING:
    from torch import Tensor


def chosen(x: Tensor, axes: Axes | None, noop: int) -> list[int]:
    """List the axes to reduce: all where none are named, unless `noop` says none."""
    if not axes:
        return [] if noop else list(range(x.dim()))
    return [axis % x.dim() for axis in axes] if x.dim() else []


def total(x: Tensor, axes: list[int], *, keepdims: int) -> Tensor:
    """Sum over axes; over none, that is the input itself."""
    import torch

    if not axes:
        return x
    return by_bits(lambda y: torch.sum(y, axes, keepdim=bool(keepdims), dtype=y.dtype), x)


def extreme(x: Tensor, axes: list[int], *, keepdims: int, greatest: bool) -> Tensor:
    """Take the greatest or the least; of nothing, that is the other end of the type."""
    import torch

    if not axes:
        return x
    if not torch.jit.is_tracing() and any(x.shape[axis] == 0 for axis in axes):
        shape = [
            1 if axis in axes else size
            for axis, size in enumerate(x.shape)
            if keepdims or axis not in axes
        ]
        return torch.full(shape, _end(x, low=greatest), dtype=x.dtype)
    function = torch.amax if greatest else torch.amin
    return by_order(lambda values: function(values, axes, keepdim=bool(keepdims)), x)


def _end(x: Tensor, *, low: bool) -> float | int | bool:
    import torch

    if x.dtype == torch.bool:
        return not low
    if x.is_floating_point():
        return float("-inf") if low else float("inf")
    limits = torch.iinfo(x.dtype)
    return int(limits.min if low else limits.max)


def _fine(x: Tensor) -> Tensor:
    """Give integers as real numbers, of which none is rounded that is less than 2 to the 53."""
    return x if x.is_floating_point() else x.double()


def reduce_sum(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceSum-13."""
    return total(data, chosen(data, axes, noop_with_empty_axes), keepdims=keepdims)


def reduce_mean(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceMean-18."""
    import torch

    dims = chosen(data, axes, noop_with_empty_axes)
    if not dims:
        return data
    mean = torch.mean(_fine(data), dims, keepdim=bool(keepdims))
    return mean if data.is_floating_point() else mean.to(data.dtype)


def reduce_max(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceMax-18 and 20."""
    dims = chosen(data, axes, noop_with_empty_axes)
    return extreme(data, dims, keepdims=keepdims, greatest=True)


def reduce_min(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceMin-18 and 20."""
    dims = chosen(data, axes, noop_with_empty_axes)
    return extreme(data, dims, keepdims=keepdims, greatest=False)


def reduce_prod(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceProd-18."""
    dims = sorted(chosen(data, axes, noop_with_empty_axes), reverse=True)
    return by_bits(lambda values: _product(values, dims, keepdims), data)


def _product(values: Tensor, axes: list[int], keepdims: int) -> Tensor:
    import torch

    result = values
    for axis in axes:
        result = torch.prod(result, axis, keepdim=bool(keepdims), dtype=result.dtype)
    return result


def reduce_l1(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceL1-18."""
    return total(absolute(data), chosen(data, axes, noop_with_empty_axes), keepdims=keepdims)


def reduce_l2(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceL2-18."""
    squares = total(data * data, chosen(data, axes, noop_with_empty_axes), keepdims=keepdims)
    return _fine(squares).sqrt().to(data.dtype)


def reduce_sum_square(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceSumSquare-18."""
    return total(data * data, chosen(data, axes, noop_with_empty_axes), keepdims=keepdims)


def reduce_log_sum(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceLogSum-18 and 28."""
    result = total(data, chosen(data, axes, noop_with_empty_axes), keepdims=keepdims)
    return _fine(result).log().to(data.dtype)


def reduce_log_sum_exp(
    data: Tensor, axes: Axes | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> Tensor:
    """ReduceLogSumExp-18 and 28."""
    import torch

    dims = chosen(data, axes, noop_with_empty_axes)
    wide = _fine(data)
    result = torch.logsumexp(wide, dims, keepdim=bool(keepdims)) if dims else wide
    return result.to(data.dtype)
