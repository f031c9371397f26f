"""Integers with a scale for floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.dtypes import torch_dtype
from converters.onnx_to_torch.operators.convolution import convolution
from converters.onnx_to_torch.operators.unsigned import is_wide
from converters.onnx_to_torch.operators.window import AutoPad
from converters.onnx_to_torch.sizes import known

if TYPE_CHECKING:
    from torch import Tensor, dtype


def quantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Literal[0, 2, 3, 4, 5] = 0,
    precision: Literal[0, 1, 10, 11, 16] = 0,
    saturate: int = 1,
) -> Tensor:
    """QuantizeLinear-10 to 28; halves go to the even neighbour."""
    import torch

    if zero_point is not None:
        kind = zero_point.dtype
    else:
        kind = torch_dtype(output_dtype) if output_dtype else torch.uint8
    by = _spread(scale, x, axis, block_size)
    wide = torch_dtype(precision) if precision else torch.promote_types(x.dtype, by.dtype)
    whole = torch.round(x.to(wide) / by.to(wide)).double()
    if zero_point is not None:
        whole = whole + _spread(zero_point, x, axis, block_size).double()
    return _saturated(whole, kind)


def _saturated(whole: Tensor, kind: dtype) -> Tensor:
    import torch

    limits = torch.iinfo(kind)
    held = whole.clamp(limits.min, limits.max)
    return held.to(torch.int32).to(kind) if kind == torch.uint16 else held.to(kind)


def dequantize(
    x: Tensor,
    scale: Tensor,
    zero_point: Tensor | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Literal[0, 1, 10, 11, 16] = 0,
) -> Tensor:
    """DequantizeLinear-10 to 28."""
    import torch

    wide = x.to(torch.int64).float() if is_wide(x) else x.float()
    if zero_point is not None:
        zero = _spread(zero_point, x, axis, block_size)
        wide = wide - (zero.to(torch.int64).float() if is_wide(zero) else zero.float())
    made = wide * _spread(scale, x, axis, block_size).float()
    return made.to(torch_dtype(output_dtype) if output_dtype else scale.dtype)


def _spread(parameter: Tensor, x: Tensor, axis: int, block_size: int) -> Tensor:
    """Give each element of `x` its scale or zero point, by broadcasting where that does."""
    if known(parameter) in ([], [1]) and not block_size:
        return parameter.reshape(())
    if block_size:
        spread = parameter.repeat_interleave(block_size, axis)
        return spread.narrow(axis, 0, x.shape[axis])
    shape = [1] * x.dim()
    shape[axis] = -1
    return parameter.reshape(shape)


def dynamic_quantize(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """DynamicQuantizeLinear-11."""
    import torch

    low, high = x.amin().clamp(max=0), x.amax().clamp(min=0)
    scale = (high - low) / 255
    safe = torch.where(scale == 0, 1, scale)
    zero = torch.round((-low / safe).clamp(0, 255)).to(torch.uint8)
    return quantize(x, safe, zero), scale, zero


def integer_product(
    a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None
) -> Tensor:
    """MatMulInteger-10."""
    import torch

    left = _centred(a, a_zero_point, row=True)
    right = _centred(b, b_zero_point, row=False)
    return torch.matmul(left, right)


def _centred(x: Tensor, zero: Tensor | None, *, row: bool) -> Tensor:
    """Take off the zero point, one for all or one a row of the left, or a column of the right."""
    import torch

    wide = x.to(torch.int32)
    if zero is None:
        return wide
    by = zero.to(torch.int32)
    return wide - (by.unsqueeze(-1) if row and _are_several(by) else by)


def _are_several(x: Tensor) -> bool:
    return x.dim() == 1 and known(x) != [1]


def quantized_product(
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
) -> Tensor:
    """QLinearMatMul-10 and 21."""
    made = integer_product(a, b, a_zero_point, b_zero_point).double()
    left = a_scale.double()
    left = left.unsqueeze(-1) if _are_several(left) else left
    scaled = made * (left * b_scale.double()) / y_scale.double()
    return _saturated(scaled.round() + y_zero_point.double(), y_zero_point.dtype)


def integer_convolution(
    x: Tensor,
    w: Tensor,
    x_zero_point: Tensor | None = None,
    w_zero_point: Tensor | None = None,
    *,
    auto_pad: AutoPad = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """ConvInteger-10; what is padded is the zero point."""
    import torch

    made = convolution(
        _off(x, x_zero_point),
        _off(w, w_zero_point, filters=True),
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    )
    return made.round().to(torch.int32)


def _off(x: Tensor, zero: Tensor | None, *, filters: bool = False) -> Tensor:
    """Take off the zero point, in a float that holds every sum exactly."""
    wide = x.double()
    if zero is None:
        return wide
    by = zero.double()
    each = filters and _are_several(by)
    return wide - (by.reshape([-1, *[1] * (x.dim() - 1)]) if each else by)


def quantized_convolution(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: AutoPad = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """QLinearConv-10; the bias has the scale of the products."""
    made = integer_convolution(
        x,
        w,
        x_zero_point,
        w_zero_point,
        auto_pad=auto_pad,
        dilations=dilations,
        group=group,
        kernel_shape=kernel_shape,
        pads=pads,
        strides=strides,
    ).double()
    channels = [-1, *[1] * (x.dim() - 2)]
    made = made if b is None else made + b.double().reshape(channels)
    scale = (x_scale.double() * w_scale.double()).reshape(channels)
    return _saturated(
        (made * scale / y_scale.double()).round() + y_zero_point.double(), y_zero_point.dtype
    )
