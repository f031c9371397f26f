"""Reductions in their older form, in which the axes are an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators import reduce

if TYPE_CHECKING:
    from torch import Tensor


def reduce_sum(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceSum-1 and 11."""
    return reduce.reduce_sum(data, axes, keepdims=keepdims)


def reduce_mean(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceMean-1 to 13."""
    return reduce.reduce_mean(data, axes, keepdims=keepdims)


def reduce_max(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceMax-1 to 13."""
    return reduce.reduce_max(data, axes, keepdims=keepdims)


def reduce_min(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceMin-1 to 13."""
    return reduce.reduce_min(data, axes, keepdims=keepdims)


def reduce_prod(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceProd-1 to 13."""
    return reduce.reduce_prod(data, axes, keepdims=keepdims)


def reduce_l1(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceL1-1 to 13."""
    return reduce.reduce_l1(data, axes, keepdims=keepdims)


def reduce_l2(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceL2-1 to 13."""
    return reduce.reduce_l2(data, axes, keepdims=keepdims)


def reduce_sum_square(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceSumSquare-1 to 13."""
    return reduce.reduce_sum_square(data, axes, keepdims=keepdims)


def reduce_log_sum(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceLogSum-1 to 13."""
    return reduce.reduce_log_sum(data, axes, keepdims=keepdims)


def reduce_log_sum_exp(data: Tensor, *, axes: list[int] | None = None, keepdims: int = 1) -> Tensor:
    """ReduceLogSumExp-1 to 13."""
    return reduce.reduce_log_sum_exp(data, axes, keepdims=keepdims)
