"""Elements put where an index says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators.gather import flat_places, from_end
from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import product

if TYPE_CHECKING:
    from torch import Tensor

_REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def scatter_elements(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    *,
    axis: int = 0,
    reduction: Literal["none", "add", "mul", "max", "min"] = "none",
) -> Tensor:
    """ScatterElements-11 to 18, Scatter-9 and 11."""
    places = from_end(indices, data.shape[axis])
    if reduction == "none":
        return by_bits(lambda old, new: old.scatter(axis, places, new), data, updates)
    return data.scatter_reduce(axis, places, updates, _REDUCTIONS[reduction])


def scatter_nd(
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    *,
    reduction: Literal["none", "add", "mul", "max", "min"] = "none",
) -> Tensor:
    """ScatterND-11 to 18."""
    depth = indices.shape[-1]
    named, rest = list(data.shape[:depth]), list(data.shape[depth:])
    places = flat_places(indices, named).reshape([-1, 1])
    rows = data.reshape([product(named), product(rest)])
    news = updates.reshape([-1, product(rest)])
    places = places.expand(list(news.shape))
    made = scatter_elements(rows, places, news, axis=0, reduction=reduction)
    return made.reshape(list(data.shape))


def tensor_scatter(
    past_cache: Tensor,
    update: Tensor,
    write_indices: Tensor | None = None,
    *,
    axis: int = -2,
    mode: Literal["linear", "circular"] = "linear",
) -> Tensor:
    """TensorScatter-24."""
    import torch

    axis = axis % past_cache.dim()
    places = torch.arange(update.shape[axis]).unsqueeze(0)
    if write_indices is not None:
        places = places + write_indices.unsqueeze(1)
    if mode == "circular":
        places = places % past_cache.shape[axis]
    batch = places.shape[0]
    shape = [batch if at == 0 else -1 if at == axis else 1 for at in range(past_cache.dim())]
    index = places.reshape(shape).expand(list(update.shape))
    return by_bits(lambda old, new: old.scatter(axis, index, new), past_cache, update)
