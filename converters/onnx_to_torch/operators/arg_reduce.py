"""Where the greatest and the least values are, and values in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unsigned import from_ordered, ordered, signed
from converters.onnx_to_torch.sizes import Numbers

if TYPE_CHECKING:
    from torch import Tensor


def arg_max(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Tensor:
    """ArgMax-1 to 13."""
    values = ordered(data)
    best = values.amax(axis, keepdim=True)
    return _place(values == best, axis, keepdims=keepdims, last=select_last_index)


def arg_min(
    data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
) -> Tensor:
    """ArgMin-1 to 13."""
    values = ordered(data)
    best = values.amin(axis, keepdim=True)
    return _place(values == best, axis, keepdims=keepdims, last=select_last_index)


def _place(at_best: Tensor, axis: int, *, keepdims: int, last: int) -> Tensor:
    """Find the first or the last place; torch's own argmax does not promise which it takes."""
    import torch

    hits = at_best.to(torch.uint8)
    if last:
        place = at_best.shape[axis] - 1 - hits.flip(axis).argmax(axis, keepdim=bool(keepdims))
        return place.to(torch.int64)
    return hits.argmax(axis, keepdim=bool(keepdims))


def top_k(
    x: Tensor,
    k: Numbers,
    *,
    axis: int = -1,
    largest: int = 1,
    sorted: int = 1,  # noqa: A002 (ONNX's name)
) -> tuple[Tensor, Tensor]:
    """TopK-10, 11 and 24; of equal values, those with lower indices go first."""
    import torch

    values, indices = torch.sort(ordered(x), dim=axis, descending=bool(largest), stable=True)
    count = torch.arange(k[0])
    kept = values.index_select(axis, count)
    return from_ordered(kept, x.dtype), indices.index_select(axis, count)


def unique(
    x: Tensor,
    *,
    axis: int | None = None,
    sorted: int = 1,  # noqa: A002 (ONNX's name)
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Unique-11 and 28."""
    import torch

    data = x.reshape(-1) if axis is None else x
    along = 0 if axis is None else axis
    values, inverse, counts = torch.unique(
        data, dim=along, sorted=True, return_inverse=True, return_counts=True
    )
    places = torch.arange(inverse.numel())
    first = torch.full_like(counts, inverse.numel()).scatter_reduce(0, inverse, places, "amin")
    if sorted:
        return values, first, inverse, counts
    order = first.argsort()
    rank = torch.empty_like(order).scatter(0, order, torch.arange(order.numel()))
    return values.index_select(along, order), first[order], rank[inverse], counts[order]


def non_zero(x: Tensor) -> Tensor:
    """NonZero-9 and 13: one column an element."""
    import torch

    return torch.nonzero(signed(x)).t()
