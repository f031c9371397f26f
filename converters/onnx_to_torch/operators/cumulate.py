"""Running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import Axes

if TYPE_CHECKING:
    from torch import Tensor


def cumulative_sum(x: Tensor, axis: Axes, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
    """CumSum-11 and 14."""
    import torch

    return _run(torch.cumsum, x, axis[0], start=0 if exclusive else None, backwards=reverse)


def cumulative_product(x: Tensor, axis: Axes, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
    """CumProd-26."""
    import torch

    return _run(torch.cumprod, x, axis[0], start=1 if exclusive else None, backwards=reverse)


def _run(
    function: Callable[..., Tensor], x: Tensor, axis: int, *, start: int | None, backwards: int
) -> Tensor:
    """Run along an axis; with a start value, each place gets what came before it."""
    import torch

    def run(values: Tensor) -> Tensor:
        data = values.flip(axis) if backwards else values
        if start is not None:
            sizes = [1 if at == axis % x.dim() else size for at, size in enumerate(x.shape)]
            first = data.new_full(sizes, start)
            data = torch.cat([first, data], axis).narrow(axis, 0, x.shape[axis])
        made = function(data, axis, dtype=data.dtype)
        return made.flip(axis) if backwards else made

    return by_bits(run, x)
