"""Forms from before opset 7, in which broadcasting was asked for by attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators import arithmetic, matrix, normalise

if TYPE_CHECKING:
    from torch import Tensor


def _aligned(a: Tensor, b: Tensor, axis: int | None) -> Tensor:
    """Give the second operand axes such that it starts at an axis of the first."""
    if axis is None:
        return b
    after = a.dim() - axis % a.dim() - b.dim()
    return b.reshape([*b.shape, *[1] * after])


def add(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    """Add-6."""
    return arithmetic.add(a, _aligned(a, b, axis))


def subtract(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    """Sub-6."""
    return arithmetic.subtract(a, _aligned(a, b, axis))


def multiply(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    """Mul-6."""
    return arithmetic.multiply(a, _aligned(a, b, axis))


def divide(a: Tensor, b: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    """Div-6."""
    return arithmetic.divide(a, _aligned(a, b, axis))


def power(x: Tensor, y: Tensor, *, axis: int | None = None, broadcast: int = 0) -> Tensor:
    """Pow-1."""
    return arithmetic.power(x, _aligned(x, y, axis))


def general_product(
    a: Tensor,
    b: Tensor,
    c: Tensor,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 0,
    transA: int = 0,  # noqa: N803 (ONNX's name)
    transB: int = 0,  # noqa: N803 (ONNX's name)
) -> Tensor:
    """Gemm-6."""
    return matrix.general_product(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


def parametric_relu(x: Tensor, slope: Tensor) -> Tensor:
    """PRelu-6; several slopes are one a channel."""
    import torch

    by = slope if slope.numel() == 1 else slope.reshape([-1, *[1] * (x.dim() - 2)])
    return torch.where(x < 0, x * by, x)


def batch_normalisation(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 9.999999747378752e-06,
    is_test: Literal[1],
    momentum: float = 0.9,
    spatial: Literal[1] = 1,
) -> Tensor:
    """BatchNormalization-6, for inference."""
    return normalise.batch_normalisation(x, scale, bias, mean, var, epsilon=epsilon)
