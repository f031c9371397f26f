"""Tensors made of little or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.dtypes import torch_dtype
from converters.onnx_to_torch.operators.gather import from_end
from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import Number, Numbers, literal

if TYPE_CHECKING:
    from torch import Tensor


def constant(
    *,
    value: Tensor | None = None,
    value_float: float | None = None,
    value_floats: list[float] | None = None,
    value_int: int | None = None,
    value_ints: list[int] | None = None,
) -> Tensor:
    """Constant-1 to 25, of numbers."""
    import torch

    if value is not None:
        return value
    floats = value_float if value_float is not None else value_floats
    if floats is not None:
        return torch.tensor(floats, dtype=torch.float32)
    return torch.tensor(value_int if value_int is not None else value_ints, dtype=torch.int64)


def constant_of_shape(shape: Numbers, *, value: Tensor | None = None) -> Tensor:
    """ConstantOfShape-9 to 25."""
    import torch

    if value is None:
        return torch.zeros(list(shape))
    return value.reshape(()).expand(list(shape)).clone()


def eye_like(x: Tensor, *, dtype: int | None = None, k: int = 0) -> Tensor:
    """EyeLike-9 and 22."""
    import torch

    rows, columns = (torch.arange(size) for size in x.shape)
    kind = x.dtype if dtype is None else torch_dtype(dtype)
    return (columns == rows.unsqueeze(1) + k).to(kind)


def span(start: Tensor, limit: Tensor, delta: Tensor, *, stash_type: int = 1) -> Tensor:
    """Range-11 and 27."""
    import torch

    first, last, step = (_plain(x) for x in (start, limit, delta))
    if start.is_floating_point():
        count = torch.ceil((last.double() - first.double()) / step.double()).clamp(min=0)
        places = torch.arange(_read(count.to(torch.int64)))
        return (first + places * step).to(start.dtype)
    made = torch.arange(_read(first), _read(last), _read(step), dtype=torch.int64)
    return made.to(start.dtype)


def _plain(x: Tensor) -> Tensor:
    import torch

    if x.is_floating_point():
        return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    return x.to(torch.int64)


def _read(x: Tensor) -> Number:
    import torch

    return x.reshape(()) if torch.jit.is_tracing() else x.item()


def one_hot(indices: Tensor, depth: Numbers, values: Tensor, *, axis: int = -1) -> Tensor:
    """OneHot-9, 11 and 28; an index out of range gives no hot place."""
    import torch

    count = literal(depth[0]).to(torch.int64)
    places = torch.arange(_read(count))
    at = axis % (indices.dim() + 1)
    shape = [-1 if a == at else 1 for a in range(indices.dim() + 1)]
    hot = from_end(indices, count).unsqueeze(at) == places.reshape(shape)
    return by_bits(lambda pair: torch.where(hot, pair[1], pair[0]), values)


def triangle(x: Tensor, k: Numbers | None = None, *, upper: int = 1) -> Tensor:
    """Trilu-14."""
    import torch

    rows, columns = (torch.arange(x.shape[axis]) for axis in (-2, -1))
    distance = columns - rows.unsqueeze(1)
    by = k[0] if k else 0
    kept = distance >= by if upper else distance <= by
    return by_bits(lambda values: torch.where(kept, values, 0).to(values.dtype), x)
