"""What sliding windows have in common: where they start, how far apart, and the room around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from converters.onnx_to_torch.sizes import Number, maximum

if TYPE_CHECKING:
    from torch import Tensor

#: Numbers before, then after, for each axis.
Room: TypeAlias = list[tuple[Number, Number]]

AutoPad: TypeAlias = Literal["NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"]


def ones_unless(values: list[int] | None, count: int) -> list[int]:
    """Give the values, or as many ones."""
    return values if values is not None else [1] * count


def reach(kernel: list[int], dilations: list[int]) -> list[int]:
    """Say how far a window goes along each axis."""
    return [(size - 1) * gap + 1 for size, gap in zip(kernel, dilations, strict=True)]


def room(
    x: Tensor, spans: list[int], strides: list[int], pads: list[int] | None, auto_pad: str
) -> Room:
    """Say how much to pad the axes from 2 on."""
    count = len(spans)
    if auto_pad in ("NOTSET", "VALID"):
        flat = pads if pads is not None and auto_pad == "NOTSET" else [0] * (2 * count)
        return list(zip(flat[:count], flat[count:], strict=True))
    result = []
    for axis, (span, stride) in enumerate(zip(spans, strides, strict=True)):
        size = x.shape[axis + 2]
        whole = maximum(((size + stride - 1) // stride - 1) * stride + span - size, 0)
        less, more = whole // 2, whole - whole // 2
        result.append((less, more) if auto_pad == "SAME_UPPER" else (more, less))
    return result


def is_even(sides: Room) -> bool:
    """Tell whether both sides of every axis are known to get the same."""
    return all(type(b) is int and type(a) is int and b == a and a >= 0 for b, a in sides)


def padded(x: Tensor, sides: Room, value: float = 0.0) -> Tensor:
    """Pad the last axes."""
    from torch.nn import functional

    if all(type(side) is int and side == 0 for pair in sides for side in pair):
        return x
    flat = [side for pair in reversed(sides) for side in pair]
    return functional.pad(x, flat, value=value)


def with_room(
    x: Tensor, spans: list[int], strides: list[int], pads: list[int] | None, auto_pad: str
) -> Tensor:
    """Pad for windows that are not padded themselves."""
    return padded(x, room(x, spans, strides, pads, auto_pad))
