"""Functions of one number, applied to each element."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unsigned import is_wide

if TYPE_CHECKING:
    from torch import Tensor


def absolute(x: Tensor) -> Tensor:
    """Abs-6 and 13."""
    import torch

    return x if is_wide(x) else torch.abs(x)


def arc_cosine(x: Tensor) -> Tensor:
    """Acos-7 and 22."""
    import torch

    return torch.acos(x)


def arc_hyperbolic_cosine(x: Tensor) -> Tensor:
    """Acosh-9 and 22."""
    import torch

    return torch.acosh(x)


def arc_sine(x: Tensor) -> Tensor:
    """Asin-7 and 22."""
    import torch

    return torch.asin(x)


def arc_hyperbolic_sine(x: Tensor) -> Tensor:
    """Asinh-9 and 22."""
    import torch

    return torch.asinh(x)


def arc_tangent(x: Tensor) -> Tensor:
    """Atan-7 and 22."""
    import torch

    return torch.atan(x)


def arc_hyperbolic_tangent(x: Tensor) -> Tensor:
    """Atanh-9 and 22."""
    import torch

    return torch.atanh(x)


def ceiling(x: Tensor) -> Tensor:
    """Ceil-6 and 13."""
    import torch

    return torch.ceil(x)


def cosine(x: Tensor) -> Tensor:
    """Cos-7 and 22."""
    import torch

    return torch.cos(x)


def hyperbolic_cosine(x: Tensor) -> Tensor:
    """Cosh-9 and 22."""
    import torch

    return torch.cosh(x)


def error_function(x: Tensor) -> Tensor:
    """Erf-9 and 13."""
    import torch

    return torch.erf(x)


def exponential(x: Tensor) -> Tensor:
    """Exp-6 and 13."""
    import torch

    return torch.exp(x)


def floor(x: Tensor) -> Tensor:
    """Floor-6 and 13."""
    import torch

    return torch.floor(x)


def logarithm(x: Tensor) -> Tensor:
    """Log-6 and 13."""
    import torch

    return torch.log(x)


def negative(x: Tensor) -> Tensor:
    """Neg-6 and 13."""
    import torch

    return torch.neg(x)


def reciprocal(x: Tensor) -> Tensor:
    """Reciprocal-6 and 13."""
    import torch

    return torch.reciprocal(x)


def round_half_even(x: Tensor) -> Tensor:
    """Round-11 and 22; halves go to the even neighbour."""
    import torch

    return torch.round(x)


def sign(x: Tensor) -> Tensor:
    """Sign-9 and 13."""
    import torch

    return (x != 0).to(x.dtype) if is_wide(x) else torch.sign(x)


def sine(x: Tensor) -> Tensor:
    """Sin-7 and 22."""
    import torch

    return torch.sin(x)


def hyperbolic_sine(x: Tensor) -> Tensor:
    """Sinh-9 and 22."""
    import torch

    return torch.sinh(x)


def square_root(x: Tensor) -> Tensor:
    """Sqrt-6 and 13."""
    import torch

    return torch.sqrt(x)


def tangent(x: Tensor) -> Tensor:
    """Tan-7 and 22."""
    import torch

    return torch.tan(x)


def hyperbolic_tangent(x: Tensor) -> Tensor:
    """Tanh-6 and 13."""
    import torch

    return torch.tanh(x)


def determinant(x: Tensor) -> Tensor:
    """Det-11 and 22, of the last two axes."""
    import torch

    return torch.det(x)
