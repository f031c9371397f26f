"""Pooling over windows, and over everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.window import (
    AutoPad,
    Room,
    ones_unless,
    padded,
    reach,
    room,
)
from converters.onnx_to_torch.sizes import Number, Numbers, product

if TYPE_CHECKING:
    from torch import Tensor


def max_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    auto_pad: AutoPad = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    storage_order: int = 0,
    strides: list[int] | None = None,
    outputs: int,
) -> tuple[Tensor, Tensor]:
    """MaxPool-1 to 22; indices count elements of the whole input."""
    from torch.nn import functional

    count = len(kernel_shape)
    steps, gaps = ones_unless(strides, count), ones_unless(dilations, count)
    sides = room(x, reach(kernel_shape, gaps), steps, pads, auto_pad)
    filled = sides if not ceil_mode else _to_ceiling(x, sides, reach(kernel_shape, gaps), steps)
    data = padded(x if x.is_floating_point() else x.float(), filled, float("-inf"))
    name = f"max_pool{count}d"
    function = getattr(functional, f"{name}_with_indices" if outputs > 1 else name)
    made = function(data, kernel_shape, steps, 0, gaps)
    if outputs == 1:
        return made.to(x.dtype), made
    places = _unpadded(made[1], data, x, filled, storage_order)
    return made[0].to(x.dtype), places


def _to_ceiling(x: Tensor, sides: Room, spans: list[int], steps: list[int]) -> Room:
    """Pad so far that the last window which starts inside the padded input fits."""
    result = []
    for axis, ((before, after), span, step) in enumerate(zip(sides, spans, steps, strict=True)):
        size = x.shape[axis + 2]
        windows = -((span - size - before - after) // step) + 1
        windows = windows - _is_past((windows - 1) * step, size + before)
        result.append((before, (windows - 1) * step + span - size - before))
    return result


def _is_past(start: Number, end: Number) -> Number:
    """Give 1 if a window starts where the padded input has ended, else 0."""
    import torch

    late = start >= end
    return late.to(torch.int64) if isinstance(late, torch.Tensor) else int(late)


def _unpadded(places: Tensor, data: Tensor, x: Tensor, sides: Room, storage_order: int) -> Tensor:
    """Count places in the whole input, from those in one padded plane."""
    import torch

    count = len(sides)
    sizes, whole = list(x.shape[2:]), list(data.shape[2:])
    order = range(count) if storage_order == 0 else reversed(range(count))
    coordinates: list[Tensor] = []
    for axis in reversed(range(count)):
        coordinates.insert(0, places % whole[axis] - sides[axis][0])
        places = torch.div(places, whole[axis], rounding_mode="floor")
    flat = torch.arange(x.shape[0] * x.shape[1]).reshape([x.shape[0], x.shape[1], *[1] * count])
    for axis in order:
        flat = flat * sizes[axis] + coordinates[axis]
    return flat


def average_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    auto_pad: AutoPad = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """AveragePool-7 to 22."""
    count = len(kernel_shape)
    steps, gaps = ones_unless(strides, count), ones_unless(dilations, count)
    spans = reach(kernel_shape, gaps)
    sides = room(x, spans, steps, pads, auto_pad)
    filled = sides if not ceil_mode else _to_ceiling(x, sides, spans, steps)
    made = _window_mean(padded(x, filled), kernel_shape, steps, gaps)
    if all(type(side) is int and side == 0 for pair in filled for side in pair):
        return made
    ones = x.new_ones([1, 1, *x.shape[2:]])
    counted = padded(ones, sides, 1.0) if count_include_pad else ones
    inner = sides if count_include_pad else [(0, 0)] * count
    rest = [(f[0] - i[0], f[1] - i[1]) for f, i in zip(filled, inner, strict=True)]
    return made / _window_mean(padded(counted, rest), kernel_shape, steps, gaps)


def _window_mean(x: Tensor, kernel: list[int], steps: list[int], gaps: list[int]) -> Tensor:
    from torch.nn import functional

    if len(kernel) <= 3 and all(gap == 1 for gap in gaps):
        return getattr(functional, f"avg_pool{len(kernel)}d")(x, kernel, steps)
    for axis, (size, step, gap) in enumerate(zip(kernel, steps, gaps, strict=True)):
        windows = x.unfold(axis + 2, (size - 1) * gap + 1, step)
        x = windows[..., ::gap].mean(-1)
    return x


def lp_pool(
    x: Tensor,
    *,
    kernel_shape: list[int],
    auto_pad: AutoPad = "NOTSET",
    ceil_mode: int = 0,
    dilations: list[int] | None = None,
    p: int = 2,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """LpPool-2 to 22: padding adds nothing."""
    count = len(kernel_shape)
    steps, gaps = ones_unless(strides, count), ones_unless(dilations, count)
    spans = reach(kernel_shape, gaps)
    sides = room(x, spans, steps, pads, auto_pad)
    sides = sides if not ceil_mode else _to_ceiling(x, sides, spans, steps)
    mean = _window_mean(padded(x.abs() ** p, sides), kernel_shape, steps, gaps)
    return (mean * product(kernel_shape)) ** (1 / p)


def global_average_pool(x: Tensor) -> Tensor:
    """GlobalAveragePool-1 and 22."""
    return x.mean(list(range(2, x.dim())), keepdim=True)


def global_max_pool(x: Tensor) -> Tensor:
    """GlobalMaxPool-1 and 22."""
    return x.amax(list(range(2, x.dim())), keepdim=True)


def global_lp_pool(x: Tensor, *, p: int = 2) -> Tensor:
    """GlobalLpPool-2 and 22."""
    return (x.abs() ** p).sum(list(range(2, x.dim())), keepdim=True) ** (1 / p)


def max_unpool(
    x: Tensor,
    indices: Tensor,
    output_shape: Numbers | None = None,
    *,
    kernel_shape: list[int],
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """MaxUnpool-9, 11 and 22; indices count elements of what the pool's input was at least."""
    count = len(kernel_shape)
    steps = ones_unless(strides, count)
    sides = pads if pads is not None else [0] * (2 * count)
    inner = [
        (x.shape[axis + 2] - 1) * steps[axis]
        - (sides[axis] + sides[axis + count])
        + kernel_shape[axis]
        for axis in range(count)
    ]
    shape = [x.shape[0], x.shape[1], *inner]
    flat = x.new_zeros([product(shape)])
    made = flat.scatter(0, indices.reshape(-1), x.reshape(-1)).reshape(shape)
    if output_shape is None:
        return made
    return padded(
        made, [(0, wanted - have) for wanted, have in zip(output_shape, shape, strict=True)]
    )
