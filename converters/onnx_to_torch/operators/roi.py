"""Regions of images, brought to one size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor


def roi_align_10(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    mode: Literal["avg", "max"] = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """RoiAlign-10."""
    return roi_align(
        x,
        rois,
        batch_indices,
        coordinate_transformation_mode="output_half_pixel",
        mode=mode,
        output_height=output_height,
        output_width=output_width,
        sampling_ratio=sampling_ratio,
        spatial_scale=spatial_scale,
    )


def roi_align(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    coordinate_transformation_mode: Literal["half_pixel", "output_half_pixel"] = "half_pixel",
    mode: Literal["avg", "max"] = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """RoiAlign-16 and 22; `max` is over the weighted neighbours, as ONNX's reference has it."""
    import torch

    half = coordinate_transformation_mode == "half_pixel"
    corners = rois * spatial_scale - (0.5 if half else 0.0)
    extent = corners[:, 2:] - corners[:, :2]
    extent = extent if half else extent.clamp(min=1.0)
    ways = []
    for axis, count in ((1, output_height), (0, output_width)):
        bins = extent[:, axis] / count
        samples = torch.ceil(bins) if sampling_ratio <= 0 else torch.full_like(bins, sampling_ratio)
        ways.append(_neighbours(corners[:, axis], bins, samples, count, x.shape[3 - axis]))
    down, across = ways
    planes = x.index_select(0, batch_indices.to(torch.int64))
    parts = [
        _picked(planes, row, column)
        * (row_share[:, None, :, :, None, None] * column_share[:, None, None, None, :, :])
        for row, row_share in zip(down.index, down.share, strict=True)
        for column, column_share in zip(across.index, across.share, strict=True)
    ]
    every = torch.stack(parts)
    return _pooled(every.sum(0) if mode == "avg" else every.amax(0), down, across, mode)


@dataclass(frozen=True)
class _Way:
    """Samples along one axis, [rois, bins, samples].

    Attributes:
        index: The lower and the upper neighbour.
        share: Their weights.
        used: Which samples the region has.
    """

    index: list[Tensor]
    share: list[Tensor]
    used: Tensor


def _neighbours(start: Tensor, bins: Tensor, samples: Tensor, count: int, size: int) -> _Way:
    import torch

    most = samples.max().clamp(min=1).to(torch.int64)
    at = torch.arange(most if torch.jit.is_tracing() else most.item())
    bin_starts = start.unsqueeze(1) + torch.arange(count) * bins.unsqueeze(1)
    steps = (at + 0.5) * (bins / samples.clamp(min=1)).unsqueeze(1)
    places = bin_starts.unsqueeze(2) + steps.unsqueeze(1)
    inside = ((places >= -1) & (places <= size)).to(places.dtype)
    held = places.clamp(min=0)
    low = held.floor().clamp(max=size - 1)
    part = torch.where(low >= size - 1, 0, held - low)
    high = (low + 1).clamp(max=size - 1)
    used = (at < samples.unsqueeze(1)).unsqueeze(1).expand(list(places.shape))
    return _Way(
        [low.to(torch.int64), high.to(torch.int64)], [(1 - part) * inside, part * inside], used
    )


def _picked(planes: Tensor, row: Tensor, column: Tensor) -> Tensor:
    """Give [rois, channels, bins down, samples down, bins across, samples across]."""
    import torch

    roi = torch.arange(planes.shape[0]).reshape([-1, 1, 1, 1, 1])
    found = planes[roi, :, row[:, :, :, None, None], column[:, None, None, :, :]]
    return found.permute(0, 5, 1, 2, 3, 4)


def _pooled(values: Tensor, down: _Way, across: _Way, mode: str) -> Tensor:
    import torch

    used = down.used[:, None, :, :, None, None] & across.used[:, None, None, None, :, :]
    if mode == "max":
        best = torch.where(used, values, float("-inf")).amax([3, 5])
        return torch.where(torch.isinf(best), 0, best)
    count = used.to(values.dtype).sum([3, 5]).clamp(min=1)
    return torch.where(used, values, 0).sum([3, 5]) / count
