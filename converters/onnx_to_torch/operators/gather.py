"""Elements taken by index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import product

if TYPE_CHECKING:
    from torch import Tensor


def from_end(indices: Tensor, size: int) -> Tensor:
    """Make negative indices, which count from the end, positive."""
    import torch

    wide = indices.to(torch.int64)
    return torch.where(wide < 0, wide + size, wide)


def gather(data: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    """Gather-1, 11 and 13."""
    axis = axis % data.dim()
    places = from_end(indices, data.shape[axis])
    taken = by_bits(lambda values: values.index_select(axis, places.reshape(-1)), data)
    return taken.reshape([*data.shape[:axis], *indices.shape, *data.shape[axis + 1 :]])


def gather_elements(data: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    """GatherElements-11 and 13."""
    places = from_end(indices, data.shape[axis])
    return by_bits(lambda values: values.gather(axis, places), data)


def flat_places(indices: Tensor, sizes: list[int]) -> Tensor:
    """Number the places that the last axis of `indices` names, in a tensor of some sizes."""
    flat = from_end(indices[..., 0], sizes[0]) if sizes else indices.sum(-1)
    for at in range(1, len(sizes)):
        flat = flat * sizes[at] + from_end(indices[..., at], sizes[at])
    return flat


def gather_nd(data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Tensor:
    """GatherND-11, 12 and 13."""
    import torch

    depth = indices.shape[-1]
    batch = list(data.shape[:batch_dims])
    named = list(data.shape[batch_dims : batch_dims + depth])
    rest = list(data.shape[batch_dims + depth :])
    shape = [*indices.shape[:-1], *rest]
    count, room = product(batch), product(named)
    places = flat_places(indices, named)
    places = places.reshape([count, product(indices.shape[batch_dims:-1])])
    places = places + torch.arange(count).unsqueeze(1) * room
    rows = data.reshape([count * room, product(rest)])
    taken = by_bits(lambda values: values.index_select(0, places.reshape(-1)), rows)
    return taken.reshape(shape)


def compress(x: Tensor, condition: Tensor, *, axis: int | None = None) -> Tensor:
    """Compress-9, 11 and 28."""
    import torch

    kept = torch.nonzero(condition).reshape(-1)
    along = 0 if axis is None else axis
    data = x.reshape(-1) if axis is None else x
    return by_bits(lambda values: values.index_select(along, kept), data)


def reverse_sequence(
    x: Tensor, sequence_lens: Tensor, *, batch_axis: int = 1, time_axis: int = 0
) -> Tensor:
    """ReverseSequence-10 and 28."""
    import torch

    size = x.shape[time_axis]
    places = torch.arange(size)
    lengths = sequence_lens.unsqueeze(1)
    index = torch.where(places < lengths, lengths - 1 - places, places)
    index = index if batch_axis < time_axis else index.t()
    shape = [x.shape[axis] if axis in (batch_axis, time_axis) else 1 for axis in range(x.dim())]
    index = index.reshape(shape).expand(list(x.shape))
    return by_bits(lambda values: values.gather(time_axis, index), x)
