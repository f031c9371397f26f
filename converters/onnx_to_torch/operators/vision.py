"""Samples of images at places that need not be whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.sizes import Numbers

if TYPE_CHECKING:
    from torch import Tensor

_TORCH_MODES = {"linear": "bilinear", "cubic": "bicubic"}


def grid_sample(
    x: Tensor,
    grid: Tensor,
    *,
    align_corners: int = 0,
    mode: Literal["linear", "nearest", "cubic", "bilinear", "bicubic"] = "linear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
) -> Tensor:
    """GridSample-16, 20 and 22.

    Cubic samples near a `border` are taken as ONNX Runtime and OpenVINO take them: each pixel that
    is weighed is brought inside by itself. ONNX's reference brings the place inside instead.
    """
    from torch.nn import functional

    return functional.grid_sample(
        x,
        grid,
        mode=_TORCH_MODES.get(mode, mode),
        padding_mode=padding_mode,
        align_corners=bool(align_corners),
    )


def affine_grid(theta: Tensor, size: Numbers, *, align_corners: int = 0) -> Tensor:
    """AffineGrid-20."""
    import torch

    return torch.affine_grid_generator(theta, list(size), bool(align_corners))


def deformed_convolution(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    offset_group: int = 1,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """DeformConv-19 and 22, of images: sample where the offsets say, then weigh."""
    import torch

    if x.dim() != 4:
        raise ValueError("DeformConv is supported for images alone")
    rows, columns = w.shape[2], w.shape[3]
    step, gap = strides or [1, 1], dilations or [1, 1]
    before = pads or [0, 0, 0, 0]
    high, wide = offset.shape[2], offset.shape[3]
    moves = offset.reshape([x.shape[0] * offset_group, rows, columns, 2, high, wide])
    taps = []
    for at in range(rows * columns):
        row, column = at // columns, at % columns
        y = torch.arange(high) * step[0] - before[0] + row * gap[0]
        across = torch.arange(wide) * step[1] - before[1] + column * gap[1]
        place_y = y.unsqueeze(1) + moves[:, row, column, 0]
        place_x = across + moves[:, row, column, 1]
        taps.append(_sampled(x, place_y, place_x, offset_group))
    samples = torch.stack(taps, 2)
    if mask is not None:
        share = mask.reshape([x.shape[0], offset_group, 1, rows * columns, high, wide])
        split = samples.unflatten(1, [offset_group, -1]) * share
        samples = split.flatten(1, 2)
    kernel = w.reshape([group, -1, w.shape[1] * rows * columns])
    data = samples.reshape([x.shape[0], group, w.shape[1] * rows * columns, high * wide])
    made = torch.matmul(kernel, data).reshape([x.shape[0], w.shape[0], high, wide])
    return made if b is None else made + b.reshape([1, -1, 1, 1])


def _sampled(x: Tensor, y: Tensor, across: Tensor, groups: int) -> Tensor:
    """Sample [batch, channels, high, wide] at places of each of the groups of channels."""
    import torch

    data = x.reshape([x.shape[0] * groups, -1, x.shape[2], x.shape[3]])
    grid = torch.stack([(across * 2 + 1) / x.shape[3] - 1, (y * 2 + 1) / x.shape[2] - 1], -1).to(
        x.dtype
    )
    made = grid_sample(data, grid)
    return made.reshape([x.shape[0], x.shape[1], y.shape[1], y.shape[2]])
