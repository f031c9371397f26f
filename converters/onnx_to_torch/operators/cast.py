"""Other types for the same values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from converters.onnx_to_torch.dtypes import ElementType, torch_dtype

if TYPE_CHECKING:
    from torch import Tensor, dtype


def cast(x: Tensor, *, to: ElementType, saturate: int = 1, round_mode: str = "up") -> Tensor:
    """Cast-6 to 28; how to saturate and to round matters to float8 alone."""
    return x.to(torch_dtype(to))


def cast_like(
    x: Tensor, target_type: Tensor, *, saturate: int = 1, round_mode: str = "up"
) -> Tensor:
    """CastLike-15 to 25."""
    return x.to(target_type.dtype)


def bit_cast(x: Tensor, *, to: ElementType) -> Tensor:
    """BitCast-26: the same bits; a trace takes no view of another type."""
    import torch

    kind = torch_dtype(to)
    if kind.itemsize != x.dtype.itemsize:
        raise ValueError(f"BitCast: {kind} does not have as many bits as {x.dtype}")
    if kind == x.dtype or not (_is_real(kind) or _is_real(x.dtype)):
        return x.to(kind)
    if torch.jit.is_tracing():
        raise TypeError(f"BitCast to {kind} cannot be traced")
    return x.view(kind)


def _is_real(kind: dtype) -> bool:
    return bool(kind.is_floating_point or kind.is_complex)
