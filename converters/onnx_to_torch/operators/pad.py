"""More room around a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators.unsigned import by_bits
from converters.onnx_to_torch.sizes import Axes, Number, Numbers, maximum

if TYPE_CHECKING:
    from torch import Tensor

_EXACT = 1 << 53


def pad(
    data: Tensor,
    pads: Numbers,
    constant_value: Numbers | None = None,
    axes: Axes | None = None,
    *,
    mode: Literal["constant", "reflect", "edge", "wrap"] = "constant",
) -> Tensor:
    """Pad-11 to 25; what is negative crops."""
    rank = data.dim()
    dims = [axis % rank for axis in axes] if axes is not None else list(range(rank))
    sides = dict(zip(dims, zip(pads[: len(dims)], pads[len(dims) :], strict=True), strict=True))
    if mode == "constant":
        return _constant(data, sides, constant_value[0] if constant_value else 0)
    for axis, (before, after) in sides.items():
        data = _repeated(data, axis, before, after, mode)
    return data


def _constant(data: Tensor, sides: dict[int, tuple[Number, Number]], value: Number) -> Tensor:
    import torch
    from torch.nn import functional

    if isinstance(value, torch.Tensor):
        kept = _constant(torch.ones_like(data, dtype=torch.bool), sides, 0)
        return by_bits(
            lambda old, new: torch.where(kept, old, new), _constant(data, sides, 0), value
        )
    if isinstance(value, int) and abs(value) > _EXACT:
        raise ValueError(f"Pad: the value {value} is beyond what torch pads with exactly")
    flat = [side for axis in reversed(range(data.dim())) for side in sides.get(axis, (0, 0))]
    return by_bits(lambda values: functional.pad(values, flat, value=value), data)


def _repeated(data: Tensor, axis: int, before: Number, after: Number, mode: str) -> Tensor:
    import torch

    size = data.shape[axis]
    places = torch.arange(-before, size + after)
    if mode == "edge":
        places = places.clamp(0, size - 1)
    elif mode == "wrap":
        places = places % size
    else:
        period = maximum(2 * size - 2, 1)
        places = places % period
        places = torch.minimum(places, period - places)
    return by_bits(lambda values: values.index_select(axis, places), data)


def pad_2(
    data: Tensor,
    *,
    pads: list[int],
    mode: Literal["constant", "reflect", "edge"] = "constant",
    value: float = 0.0,
) -> Tensor:
    """Pad-2."""
    return pad(data, pads, [value], mode=mode)


def center_crop_pad(data: Tensor, shape: Numbers, *, axes: list[int] | None = None) -> Tensor:
    """CenterCropPad-18: crop what is longer, pad with zeros what is shorter."""
    dims = [axis % data.dim() for axis in axes] if axes else list(range(data.dim()))
    for axis, wanted in zip(dims, shape, strict=True):
        size = data.shape[axis]
        lacks, exceeds = maximum(wanted - size, 0), maximum(size - wanted, 0)
        before = lacks // 2
        data = _constant(data, {axis: (before, lacks - before)}, 0)
        start = exceeds // 2
        data = data.narrow(axis, start, wanted)
    return data
