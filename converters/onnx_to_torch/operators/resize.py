"""Resizing, axis by axis: every place of the result is a sum of a few places of the input."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators.resize_taps import Grid, Kernel, taps
from converters.onnx_to_torch.sizes import Number, Numbers, listed, literal, maximum, minimum

if TYPE_CHECKING:
    from torch import Tensor


def resize(
    x: Tensor,
    roi: Numbers | None = None,
    scales: Numbers | None = None,
    sizes: Numbers | None = None,
    *,
    antialias: int = 0,
    axes: list[int] | None = None,
    coordinate_transformation_mode: Literal[
        "half_pixel",
        "half_pixel_symmetric",
        "pytorch_half_pixel",
        "align_corners",
        "asymmetric",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
    ] = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: Literal["stretch", "not_larger", "not_smaller"] = "stretch",
    mode: Literal["nearest", "linear", "cubic"] = "nearest",
    nearest_mode: Literal[
        "round_prefer_floor", "round_prefer_ceil", "floor", "ceil"
    ] = "round_prefer_floor",
) -> Tensor:
    """Resize-11, 13, 18 and 19."""
    dims = [axis % x.dim() for axis in axes] if axes is not None else list(range(x.dim()))
    plan = _plan(x, dims, scales or None, sizes, keep_aspect_ratio_policy)
    kernel = Kernel(mode, nearest_mode, cubic_coeff_a, bool(antialias), bool(exclude_outside))
    regions = _regions(roi, len(dims), coordinate_transformation_mode)
    if coordinate_transformation_mode == "half_pixel" and mode == "linear":
        quick = _torch_linear(x, plan) if not (antialias or exclude_outside) else None
        if quick is not None:
            return quick
    result = x if x.dtype.itemsize == 8 and x.is_floating_point() else x.float()
    for change, region in zip(plan, regions, strict=True):
        if _is_same(change) and region is None:
            continue
        grid = Grid(change, coordinate_transformation_mode, region, extrapolation_value)
        result = taps(result, grid, kernel)
    return _back(result, x)


@dataclass(frozen=True)
class Change:
    """How an axis changes; a scale need not be the quotient of the sizes."""

    axis: int
    size: Number
    new_size: Number
    scale: Number


def _plan(
    x: Tensor, dims: list[int], scales: Numbers | None, sizes: Numbers | None, policy: str
) -> list[Change]:
    if sizes is None or not listed(sizes):
        if scales is None:
            raise ValueError("Resize needs scales or sizes")
        return [
            Change(axis, x.shape[axis], scaled(x.shape[axis], scale), scale)
            for axis, scale in zip(dims, scales, strict=True)
        ]
    each = [size / x.shape[axis] for axis, size in zip(dims, sizes, strict=True)]
    if policy == "stretch":
        return [
            Change(axis, x.shape[axis], size, scale)
            for axis, size, scale in zip(dims, sizes, each, strict=True)
        ]
    scale = reduce(minimum if policy == "not_larger" else maximum, each)
    return [Change(a, x.shape[a], scaled(x.shape[a], scale, more=0.5), scale) for a in dims]


def scaled(size: Number, scale: Number, more: float = 0.0) -> Number:
    """Give a size times a scale, rounded down after `more` was added."""
    import torch

    if isinstance(size, torch.Tensor) or isinstance(scale, torch.Tensor):
        return torch.floor(literal(size * scale).double() + more).to(torch.int64)
    if float(scale).is_integer():
        return size * int(scale)
    return math.floor(size * scale + more)


def _regions(roi: Numbers | None, count: int, mode: str) -> list[tuple[Number, Number] | None]:
    if mode != "tf_crop_and_resize":
        return [None] * count
    if not roi:
        raise ValueError("Resize with tf_crop_and_resize needs a roi")
    return list(zip(roi[:count], roi[count:], strict=True))


def _is_same(change: Change) -> bool:
    return type(change.scale) in (int, float) and change.scale == 1


def _torch_linear(x: Tensor, plan: list[Change]) -> Tensor | None:
    """Let torch do what it does alike: linear over the last one to three axes."""
    from torch.nn import functional

    if not x.is_floating_point() or not 3 <= x.dim() <= 5:
        return None
    by_axis = {change.axis: change for change in plan}
    if not all(_is_same(by_axis[axis]) for axis in (0, 1) if axis in by_axis):
        return None
    spatial = [by_axis.get(axis) for axis in range(2, x.dim())]
    if not all(c and type(c.scale) in (int, float) for c in spatial):
        return None
    mode = {3: "linear", 4: "bilinear", 5: "trilinear"}[x.dim()]
    factors = [float(change.scale) for change in spatial if change]
    return functional.interpolate(x, scale_factor=factors, mode=mode, align_corners=False)


def _back(result: Tensor, x: Tensor) -> Tensor:
    """Go back to the input's type, keeping integers within their range."""
    import torch

    if x.is_floating_point():
        return result.to(x.dtype)
    limits = torch.iinfo(x.dtype)
    return result.clamp(limits.min, limits.max).to(x.dtype)


def resize_10(
    x: Tensor, scales: Numbers, *, mode: Literal["nearest", "linear"] = "nearest"
) -> Tensor:
    """Resize-10, Upsample-9 and 10."""
    return resize(
        x,
        None,
        scales,
        coordinate_transformation_mode="asymmetric",
        mode=mode,
        nearest_mode="floor",
    )


def upsample_7(
    x: Tensor, *, scales: list[float], mode: Literal["nearest", "linear"] = "nearest"
) -> Tensor:
    """Upsample-7."""
    return resize_10(x, scales, mode=mode)
