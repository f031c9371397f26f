"""Normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.dtypes import working
from converters.onnx_to_torch.sizes import known, product

if TYPE_CHECKING:
    from torch import Tensor

_EPSILON = 9.999999747378752e-06
_MOMENTUM = 0.8999999761581421


def batch_normalisation(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = _EPSILON,
    momentum: float = _MOMENTUM,
    spatial: Literal[1] = 1,
) -> Tensor:
    """BatchNormalization-7 and 9, for inference."""
    from torch.nn import functional

    return functional.batch_norm(
        working(x), working(mean), working(var), working(scale), working(bias), eps=epsilon
    ).to(x.dtype)


def batch_normalisation_14(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = _EPSILON,
    momentum: float = _MOMENTUM,
    training_mode: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """BatchNormalization-14 and 15; in training, with the variance over all elements."""
    import torch

    if not training_mode:
        return batch_normalisation(x, scale, bias, mean, var, epsilon=epsilon), mean, var
    axes = [axis for axis in range(x.dim()) if axis != 1]
    own_var, own_mean = torch.var_mean(working(x), axes, correction=0)
    made = batch_normalisation(x, scale, bias, own_mean, own_var, epsilon=epsilon)
    return (
        made,
        (mean * momentum + own_mean * (1 - momentum)).to(mean.dtype),
        (var * momentum + own_var * (1 - momentum)).to(var.dtype),
    )


def instance_normalisation(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = _EPSILON
) -> Tensor:
    """InstanceNormalization-6 and 22: each channel is a group of its own.

    That takes a batch of none, and a fifth of the time, where torch's own takes neither.
    """
    return group_normalisation(x, scale, bias, num_groups=known(scale)[0], epsilon=epsilon)


def layer_normalisation(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = _EPSILON,
    stash_type: Literal[1] = 1,
    outputs: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """LayerNormalization-17; scale and bias broadcast to the input."""
    import torch
    from torch.nn import functional

    first = axis % x.dim()
    shape = list(x.shape[first:])
    fits = scale.dim() == len(shape) and (bias is None or bias.dim() == len(shape))
    # IPEX's fails over a single number, and no kernel takes a scale that broadcasts.
    if outputs == 1 and fits and len(known(scale)) == 1 and known(scale) != [1]:
        made = functional.layer_norm(x, list(scale.shape), scale, bias, epsilon)
        return made, made, made
    wide = working(x)
    var, mean = torch.var_mean(wide, list(range(first, x.dim())), correction=0, keepdim=True)
    inverse = torch.rsqrt(var + epsilon)
    made = ((wide - mean) * inverse).to(x.dtype) * scale
    return (made if bias is None else made + bias), mean, inverse


def rms_normalisation(
    x: Tensor,
    scale: Tensor,
    *,
    axis: int = -1,
    epsilon: float = _EPSILON,
    stash_type: Literal[1] = 1,
) -> Tensor:
    """RMSNormalization-23."""
    import torch

    wide = working(x)
    axes = list(range(axis % x.dim(), x.dim()))
    made = wide * torch.rsqrt((wide * wide).mean(axes, keepdim=True) + epsilon)
    return made.to(x.dtype) * scale


def group_normalisation_18(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    *,
    num_groups: int,
    epsilon: float = _EPSILON,
) -> Tensor:
    """GroupNormalization-18: one scale and bias a group."""
    each = x.shape[1] // num_groups
    return group_normalisation(
        x,
        scale.repeat_interleave(each),
        bias.repeat_interleave(each),
        num_groups=num_groups,
        epsilon=epsilon,
    )


def group_normalisation(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    *,
    num_groups: int,
    epsilon: float = _EPSILON,
    stash_type: Literal[1] = 1,
) -> Tensor:
    """GroupNormalization-21: one scale and bias a channel."""
    import torch

    return torch.group_norm(x, num_groups, scale, bias, epsilon)


def mean_variance_normalisation(x: Tensor, *, axes: list[int] | None = None) -> Tensor:
    """MeanVarianceNormalization-9 and 13."""
    import torch

    over = axes if axes is not None else [0, 2, 3]
    var, mean = torch.var_mean(x, over, correction=0, keepdim=True)
    return (x - mean) / (var.sqrt() + 1e-9)


def lp_normalisation(x: Tensor, *, axis: int = -1, p: Literal[1, 2] = 2) -> Tensor:
    """LpNormalization-1 and 22; where the norm is zero, so is the result."""
    import torch

    norm = torch.linalg.vector_norm(x, p, axis, keepdim=True)
    return torch.where(norm == 0, 0, x / norm).to(x.dtype)


def local_response_normalisation(
    x: Tensor,
    *,
    size: int,
    alpha: float = 9.999999747378752e-05,
    beta: float = 0.75,
    bias: float = 1.0,
) -> Tensor:
    """LRN-1 and 13."""
    from torch.nn import functional

    before = (size - 1) // 2
    squares = (x * x).reshape([x.shape[0], 1, x.shape[1], product(list(x.shape[2:]))])
    wide = functional.pad(squares, [0, 0, before, size - 1 - before])
    total = functional.avg_pool2d(wide, [size, 1], 1) * size
    return x / (bias + alpha / size * total.reshape(x.shape)) ** beta
