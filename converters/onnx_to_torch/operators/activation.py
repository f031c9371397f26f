"""Activations: functions of one number with a bend."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.dtypes import working

if TYPE_CHECKING:
    from torch import Tensor


def relu(x: Tensor) -> Tensor:
    """Relu-6 to 14."""
    import torch

    return torch.relu(x)


def sigmoid(x: Tensor) -> Tensor:
    """Sigmoid-6 and 13."""
    import torch

    return torch.sigmoid(x)


def leaky_relu(x: Tensor, *, alpha: float = 0.01) -> Tensor:
    """LeakyRelu-6 and 16."""
    from torch.nn import functional

    return functional.leaky_relu(x, alpha)


def parametric_relu(x: Tensor, slope: Tensor) -> Tensor:
    """PRelu-7 to 16; the slope broadcasts to the input."""
    import torch

    return torch.where(x < 0, x * slope, x)


def elu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    """Elu-6 and 22."""
    from torch.nn import functional

    return functional.elu(x, alpha)


def celu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    """Celu-12 and 28."""
    from torch.nn import functional

    return functional.celu(x, alpha)


def selu(
    x: Tensor, *, alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323
) -> Tensor:
    """Selu-6 and 22."""
    import torch

    return gamma * torch.where(x > 0, x, alpha * torch.expm1(x))


def gelu(x: Tensor, *, approximate: Literal["none", "tanh"] = "none") -> Tensor:
    """Gelu-20."""
    from torch.nn import functional

    return functional.gelu(x, approximate=approximate)


def hard_sigmoid(x: Tensor, *, alpha: float = 0.20000000298023224, beta: float = 0.5) -> Tensor:
    """HardSigmoid-6 and 22."""
    return (alpha * x + beta).clamp(0, 1)


def hard_swish(x: Tensor) -> Tensor:
    """HardSwish-14 and 22."""
    from torch.nn import functional

    return functional.hardswish(x)


def mish(x: Tensor) -> Tensor:
    """Mish-18 and 22."""
    from torch.nn import functional

    return functional.mish(x)


def softplus(x: Tensor) -> Tensor:
    """Softplus-1 and 22."""
    from torch.nn import functional

    return functional.softplus(x)


def softsign(x: Tensor) -> Tensor:
    """Softsign-1 and 22."""
    return x / (1 + x.abs())


def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    """Swish-24."""
    import torch
    from torch.nn import functional

    return functional.silu(x) if alpha == 1 else x * torch.sigmoid(alpha * x)


def swiglu(a: Tensor, b: Tensor, *, alpha: float = 1.0) -> Tensor:
    """SwiGLU-28."""
    return (swish(working(a), alpha=alpha) * working(b)).to(a.dtype)


def thresholded_relu(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    """ThresholdedRelu-10 and 22."""
    import torch

    return torch.where(x > alpha, x, 0)


def shrink(x: Tensor, *, bias: float = 0.0, lambd: float = 0.5) -> Tensor:
    """Shrink-9."""
    import torch

    shrunk = torch.where(x > lambd, x - bias, torch.where(x < -lambd, x + bias, 0))
    return shrunk.to(x.dtype)


def softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    """Softmax-13."""
    import torch

    return torch.softmax(x, axis)


def log_softmax(x: Tensor, *, axis: int = -1) -> Tensor:
    """LogSoftmax-13."""
    import torch

    return torch.log_softmax(x, axis)


def hardmax(x: Tensor, *, axis: int = -1) -> Tensor:
    """Hardmax-13: 1 at the first greatest value, else 0."""
    import torch

    if not torch.jit.is_tracing() and x.dim() and x.shape[axis] == 0:
        return torch.zeros_like(x)
    first = (x == x.amax(axis, keepdim=True)).to(torch.uint8).argmax(axis, keepdim=True)
    return torch.zeros_like(x).scatter(axis, first, 1)


def _of_matrix(function: Callable[..., Tensor], x: Tensor, axis: int) -> Tensor:
    """Apply to the axes from `axis` on as if they were one, as it was before opset 13."""
    flat = x.flatten(axis % x.dim()) if x.dim() else x.reshape(1)
    return function(flat, axis=-1).reshape(x.shape)


def softmax_1(x: Tensor, *, axis: int = 1) -> Tensor:
    """Softmax-1 and 11."""
    return _of_matrix(softmax, x, axis)


def log_softmax_1(x: Tensor, *, axis: int = 1) -> Tensor:
    """LogSoftmax-1 and 11."""
    return _of_matrix(log_softmax, x, axis)


def hardmax_1(x: Tensor, *, axis: int = 1) -> Tensor:
    """Hardmax-1 and 11."""
    return _of_matrix(hardmax, x, axis)
