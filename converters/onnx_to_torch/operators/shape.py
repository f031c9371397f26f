"""Other shapes for the same elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.sizes import Axes, Number, Numbers, product

if TYPE_CHECKING:
    from torch import Tensor


def reshape(data: Tensor, shape: Numbers, *, allowzero: int = 0) -> Tensor:
    """Reshape-5 to 25; a zero keeps the axis unless `allowzero`.

    That is for zeros in the file and for those read from a tensor: where a size is that of an
    axis, zero is an axis without elements.
    """
    if allowzero:
        return data.reshape(list(shape))
    read = isinstance(shape, tuple)
    return data.reshape([_kept(data, axis, size, read=read) for axis, size in enumerate(shape)])


def _kept(data: Tensor, axis: int, size: Number, *, read: bool) -> Number:
    import torch

    if type(size) is int:
        return data.shape[axis] if size == 0 else size
    if read and isinstance(size, torch.Tensor) and axis < data.dim():
        return torch.where(size == 0, data.shape[axis], size)
    return size


def flatten(x: Tensor, *, axis: int = 1) -> Tensor:
    """Flatten-1 to 25: to a matrix."""
    at = axis + x.dim() if axis < 0 else axis
    rows = product([x.shape[a] for a in range(at)])
    columns = product([x.shape[a] for a in range(at, x.dim())])
    return x.reshape([rows, columns])


def squeeze(data: Tensor, axes: Axes | None = None) -> Tensor:
    """Squeeze-13 to 25."""
    if axes is None:
        return data.squeeze()
    for axis in sorted((axis % data.dim() for axis in axes), reverse=True):
        data = data.select(axis, 0) if _is_one(data, axis) else _refuse(data, axis)
    return data


def _is_one(data: Tensor, axis: int) -> bool:
    import torch

    return bool(torch.jit.is_tracing() or data.shape[axis] == 1)


def _refuse(data: Tensor, axis: int) -> Tensor:
    raise ValueError(f"Squeeze: axis {axis} of shape {tuple(data.shape)} is not 1")


def unsqueeze(data: Tensor, axes: Axes) -> Tensor:
    """Unsqueeze-13 to 25."""
    rank = data.dim() + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        data = data.unsqueeze(axis)
    return data


def squeeze_1(data: Tensor, *, axes: list[int] | None = None) -> Tensor:
    """Squeeze-1 and 11."""
    return squeeze(data, axes)


def unsqueeze_1(data: Tensor, *, axes: list[int]) -> Tensor:
    """Unsqueeze-1 and 11."""
    return unsqueeze(data, axes)


def transpose(data: Tensor, *, perm: list[int] | None = None) -> Tensor:
    """Transpose-1 to 25."""
    return data.permute(perm if perm is not None else list(reversed(range(data.dim()))))


def expand(data: Tensor, shape: Numbers) -> Tensor:
    """Expand-8 and 13: broadcast both ways."""
    import torch

    return torch.broadcast_tensors(data, data.new_empty(()).expand(list(shape)))[0]


def tile(data: Tensor, repeats: Numbers) -> Tensor:
    """Tile-6 and 13."""
    return data.repeat(list(repeats))


def concat(*inputs: Tensor, axis: int) -> Tensor:
    """Concat-4, 11 and 13."""
    import torch

    return torch.cat(inputs, axis)


def split_13(
    x: Tensor,
    split: Numbers | None = None,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    outputs: int,
) -> tuple[Tensor, ...]:
    """Split-13 and 18; without sizes into equal parts, of which the last may be smaller."""
    import torch

    if split is not None:
        return tuple(torch.split(x, list(split), axis))
    parts = num_outputs or outputs
    length = (x.shape[axis] + parts - 1) // parts
    rest = x.shape[axis] - length * (parts - 1)
    return tuple(torch.split(x, [length] * (parts - 1) + [rest], axis))


def split_2(
    x: Tensor, *, split: list[int] | None = None, axis: int = 0, outputs: int
) -> tuple[Tensor, ...]:
    """Split-2 and 11."""
    return split_13(x, split, axis=axis, outputs=outputs)


def identity(x: Tensor) -> Tensor:
    """Identity-1 to 25."""
    return x


def space_to_depth(x: Tensor, *, blocksize: int, mode: Literal["DCR", "CRD"] = "DCR") -> Tensor:
    """SpaceToDepth-1 to 28; DCR: depth goes block row, block column, channel."""
    batch, depth, height, width = x.shape
    rows, columns = height // blocksize, width // blocksize
    cut = x.reshape([batch, depth, rows, blocksize, columns, blocksize])
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return cut.permute(order).reshape([batch, depth * blocksize * blocksize, rows, columns])


def depth_to_space(x: Tensor, *, blocksize: int, mode: Literal["DCR", "CRD"] = "DCR") -> Tensor:
    """DepthToSpace-1 to 28."""
    batch, depth, height, width = x.shape
    less = depth // (blocksize * blocksize)
    if mode == "DCR":
        cut = x.reshape([batch, blocksize, blocksize, less, height, width])
        cut = cut.permute(0, 3, 4, 1, 5, 2)
    else:
        cut = x.reshape([batch, less, blocksize, blocksize, height, width])
        cut = cut.permute(0, 1, 4, 2, 5, 3)
    return cut.reshape([batch, less, height * blocksize, width * blocksize])
