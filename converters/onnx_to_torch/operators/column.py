"""Blocks of an image as columns, back to the image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.window import ones_unless
from converters.onnx_to_torch.sizes import Numbers, product

if TYPE_CHECKING:
    from torch import Tensor


def columns_to_image(
    columns: Tensor,
    image_shape: Numbers,
    block_shape: Numbers,
    *,
    dilations: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """Col2Im-18: add up the blocks where they overlap."""
    count = len(image_shape)
    steps, gaps = ones_unless(strides, count), ones_unless(dilations, count)
    sides = pads if pads is not None else [0] * (2 * count)
    whole = [image_shape[a] + sides[a] + sides[a + count] for a in range(count)]
    index = columns.new_zeros([1, 1], dtype=_int64())
    for axis in range(count):
        index = _further(index, whole[axis], (block_shape[axis], gaps[axis], steps[axis]))
    values = columns.reshape([columns.shape[0], -1, product(block_shape) * columns.shape[2]])
    flat = values.new_zeros([values.shape[0], values.shape[1], product(whole)])
    image = flat.index_add(2, index.reshape(-1), values)
    image = image.reshape([values.shape[0], values.shape[1], *whole])
    for axis in range(count):
        image = image.narrow(axis + 2, sides[axis], image_shape[axis])
    return image


def _further(index: Tensor, size: int, block: tuple[int, int, int]) -> Tensor:
    """Go one axis on: from places [elements of a block, blocks] to places with that axis too."""
    import torch

    length, gap, step = block
    within = torch.arange(length) * gap
    starts = torch.arange((size - (length - 1) * gap - 1) // step + 1) * step
    places = within.unsqueeze(1) + starts
    both = index[:, None, :, None] * size + places[None, :, None, :]
    return both.reshape([index.shape[0] * length, -1])


def _int64() -> object:
    import torch

    return torch.int64
