"""Which places of the input a place of the resized axis is made of, and with which weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from converters.onnx_to_torch.sizes import Number, literal

if TYPE_CHECKING:
    from torch import Tensor

    from converters.onnx_to_torch.operators.resize import Change


@dataclass(frozen=True)
class Grid:
    """Where the places of the result lie in the input.

    Attributes:
        mode: ONNX's coordinate_transformation_mode.
        region: Start and end of the part to crop, as parts of the axis.
        outside: What is put where the region goes beyond the input.
    """

    change: Change
    mode: str
    region: tuple[Number, Number] | None
    outside: float


@dataclass(frozen=True)
class Kernel:
    """How neighbours are weighed.

    Attributes:
        cubic: ONNX's cubic_coeff_a.
        inside: Whether neighbours beyond the edge have no weight, rather than the edge's value.
    """

    mode: str
    rounding: str
    cubic: float
    antialias: bool
    inside: bool


def taps(x: Tensor, grid: Grid, kernel: Kernel) -> Tensor:
    """Resize one axis."""
    import torch

    change = grid.change
    places = _places(grid)
    last = change.size - 1
    if kernel.mode == "nearest":
        index = _rounded(places, kernel.rounding)
        made = x.index_select(change.axis, torch.minimum(index.clamp(min=0), literal(last)))
    else:
        made = _weighed(x, grid, kernel, places)
    if grid.mode != "tf_crop_and_resize":
        return made
    beyond = (places < 0) | (places > last)
    shape = [1] * x.dim()
    shape[change.axis] = -1
    return torch.where(beyond.reshape(shape), grid.outside, made)


def _places(grid: Grid) -> Tensor:
    """Give where each place of the result lies, in float64."""
    import torch

    change = grid.change
    at = torch.arange(change.new_size).double()
    return _TRANSFORMS[grid.mode](at, grid, change.size * change.scale)


def _aligned(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    return at * (grid.change.size - 1) / _not_zero(exact - 1)


def _asymmetric(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    return at / grid.change.scale


def _half(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    return (at + 0.5) / grid.change.scale - 0.5


def _half_up(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    return (at + 0.5) / grid.change.scale


def _half_symmetric(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    change = grid.change
    return _half(at, grid, exact) + change.size / 2 * (1 - change.new_size / exact)


def _half_of_many(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    import torch

    return torch.where(literal(exact) == 1, -0.5, _half(at, grid, exact))


def _not_zero(number: Number) -> Number:
    import torch

    if isinstance(number, torch.Tensor):
        return torch.where(number == 0, 1, number)
    return number if number != 0 else math.inf


def _cropped(at: Tensor, grid: Grid, exact: Number) -> Tensor:
    import torch

    start, end = grid.region or (0, 1)
    last = grid.change.size - 1
    spread = start * last + at * (end - start) * last / _not_zero(exact - 1)
    single = start * last + (end - start) * last / 2
    one = literal(exact) == 1
    return torch.where(one, literal(single).double(), spread)


_TRANSFORMS: Mapping[str, Callable[[Tensor, Grid, Number], Tensor]] = MappingProxyType(
    {
        "align_corners": _aligned,
        "asymmetric": _asymmetric,
        "half_pixel": _half,
        "half_pixel_symmetric": _half_symmetric,
        "pytorch_half_pixel": _half_of_many,
        "tf_crop_and_resize": _cropped,
        "tf_half_pixel_for_nn": _half_up,
    }
)


def _rounded(places: Tensor, how: str) -> Tensor:
    import torch

    if how == "round_prefer_floor":
        return torch.ceil(places - 0.5).to(torch.int64)
    if how == "round_prefer_ceil":
        return torch.floor(places + 0.5).to(torch.int64)
    return (torch.floor(places) if how == "floor" else torch.ceil(places)).to(torch.int64)


def _weighed(x: Tensor, grid: Grid, kernel: Kernel, places: Tensor) -> Tensor:
    """Add up neighbours; beyond the edge, they have the edge's value."""
    import torch

    change = grid.change
    first = torch.ceil(places) - 1
    shrink = _shrinking(change.scale) if kernel.antialias else 1.0
    radius = 1 if kernel.mode == "linear" else 2
    span = math.ceil(radius / shrink)
    weights, values = [], []
    shape = [1] * x.dim()
    shape[change.axis] = -1
    for tap in range(1 - span, span + 1):
        index = first + tap
        weight = _weight((index - places).abs() * shrink, kernel)
        inside = (index >= 0) & (index <= change.size - 1)
        weights.append(weight * inside if kernel.inside else weight)
        held = torch.minimum(index.clamp(min=0), literal(change.size - 1).double())
        values.append(x.index_select(change.axis, held.to(torch.int64)))
    total = sum(weights) if kernel.antialias or kernel.inside else None
    made: Tensor | None = None
    for weight, value in zip(weights, values, strict=True):
        share = weight if total is None else weight / total
        part = value * share.to(value.dtype).reshape(shape)
        made = part if made is None else made + part
    return x if made is None else made


def _shrinking(scale: Number) -> float:
    import torch

    if isinstance(scale, torch.Tensor):
        raise TypeError("Resize with antialias to sizes that are computed cannot be traced")
    return min(float(scale), 1.0)


def _weight(distance: Tensor, kernel: Kernel) -> Tensor:
    """Weigh by distance: a triangle, or Keys' cubic."""
    import torch

    if kernel.mode == "linear":
        return (1 - distance).clamp(min=0)
    a = kernel.cubic
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return torch.where(distance <= 1, near, torch.where(distance < 2, far, 0))
