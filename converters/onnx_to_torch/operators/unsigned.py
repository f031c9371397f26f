"""Unsigned integers of 16, 32 and 64 bits, which torch stores but hardly computes with.

`to` another integer keeps the low bits, as `view` would; a trace takes no view of another type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, dtype

_SIGNED = {"uint16": "int16", "uint32": "int32", "uint64": "int64"}
_TOP = -(1 << 63)


def _name(kind: dtype) -> str:
    return str(kind).removeprefix("torch.")


def is_wide(x: Tensor) -> bool:
    """Tell whether a tensor is of a type that torch can hardly compute with."""
    return _name(x.dtype) in _SIGNED


def signed(x: Tensor) -> Tensor:
    """Give the same bits as signed integers."""
    import torch

    return x.to(getattr(torch, _SIGNED[_name(x.dtype)])) if is_wide(x) else x


def by_bits(function: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """Apply what does the same to signed integers: moves, bits, and sums that wrap."""
    if not is_wide(operands[0]):
        return function(*operands)
    return function(*map(signed, operands)).to(operands[0].dtype)


def by_order(function: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """Apply what depends on the order of values and gives some of them."""
    if not is_wide(operands[0]):
        return function(*operands)
    return from_ordered(function(*map(ordered, operands)), operands[0].dtype)


def ordered(x: Tensor) -> Tensor:
    """Map to signed integers in the same order; other types stay as they are."""
    import torch

    if x.dtype == torch.uint64:
        return x.to(torch.int64) ^ _TOP
    return x.to(torch.int64) if is_wide(x) else x


def from_ordered(x: Tensor, kind: dtype) -> Tensor:
    """Undo `ordered`."""
    import torch

    return (x ^ _TOP if kind == torch.uint64 else x).to(kind)


def quotient(a: Tensor, b: Tensor) -> Tensor:
    """Divide unsigned integers, rounding down."""
    import torch

    if a.dtype != torch.uint64:
        return torch.div(ordered(a), ordered(b), rounding_mode="floor").to(a.dtype)
    n, d = signed(a), signed(b)
    half = torch.div((n >> 1) & ~_TOP, d, rounding_mode="trunc") << 1
    over = ((n - half * d) ^ _TOP) >= (d ^ _TOP)
    huge = (n ^ _TOP) >= (d ^ _TOP)
    return torch.where(d < 0, huge.long(), half + over.long()).to(a.dtype)
