"""Parts of a tensor along its axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import Axes, Number, Numbers, literal

if TYPE_CHECKING:
    from torch import Tensor


def slice_(
    data: Tensor,
    starts: Numbers,
    ends: Numbers,
    axes: Axes | None = None,
    steps: Numbers | None = None,
) -> Tensor:
    """Slice-10, 11 and 13."""
    for at, start in enumerate(starts):
        axis = axes[at] if axes else at
        step = steps[at] if steps else 1
        data = _cut(data, axis % data.dim(), start, ends[at], step)
    return data


def _cut(data: Tensor, axis: int, start: Number, end: Number, step: Number) -> Tensor:
    import torch

    if isinstance(step, torch.Tensor):
        return _picked(data, axis, start, end, step)
    if step > 0:
        return data[(slice(None),) * axis + (slice(start, end, step),)]
    return _picked(data, axis, start, end, step)


def _picked(data: Tensor, axis: int, start: Number, end: Number, step: Number) -> Tensor:
    """Slice by index, which can go backwards.

    A start before the first element is the first one, which Python's slices forget backwards.
    """
    import torch

    size = data.shape[axis]
    first, last, by = (literal(number) for number in (start, end, step))
    top = torch.where(by < 0, size - 1, size)
    first, last = (torch.where(n < 0, n + size, n) for n in (first, last))
    first = torch.minimum(first.clamp(min=0), top)
    last = torch.minimum(torch.maximum(last, torch.where(by < 0, -1, 0)), top)
    places = torch.arange(size)
    reached = torch.where(
        by < 0, (places <= first) & (places > last), (places >= first) & (places < last)
    )
    found = places[reached & ((places - first) % by.abs() == 0)]
    index = torch.where(by < 0, found.flip(0), found)
    return by_bits(lambda values: values.index_select(axis, index), data)


def slice_1(
    data: Tensor, *, starts: list[int], ends: list[int], axes: list[int] | None = None
) -> Tensor:
    """Slice-1."""
    return slice_(data, starts, ends, axes)
