"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from converters.onnx_to_torch.operators.window import (
    AutoPad,
    is_even,
    ones_unless,
    padded,
    reach,
    room,
)
from converters.onnx_to_torch.sizes import Number, known

if TYPE_CHECKING:
    from torch import Tensor


def convolution(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: AutoPad = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """Conv-1, 11 and 22."""
    kernel = known(w)[2:]
    _check_kernel(kernel, kernel_shape)
    steps, gaps = ones_unless(strides, len(kernel)), ones_unless(dilations, len(kernel))
    sides = room(x, reach(kernel, gaps), steps, pads, auto_pad)
    function = _by_rank("conv", len(kernel))
    if is_even(sides):
        return function(x, w, b, steps, [before for before, _ in sides], gaps, group)
    return function(padded(x, sides), w, b, steps, 0, gaps, group)


def _check_kernel(kernel: list[int], said: list[int] | None) -> None:
    if said is not None and list(said) != kernel:
        raise ValueError(f"kernel_shape {said} is not the weights' {kernel}")


def _by_rank(name: str, rank: int) -> Callable[..., Tensor]:
    from torch.nn import functional

    if rank > 3:
        raise ValueError(f"{name} over {rank} axes is not supported, only over 1 to 3")
    found: Callable[..., Tensor] = getattr(functional, f"{name}{rank}d")
    return found


def transposed_convolution(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: AutoPad = "NOTSET",
    dilations: list[int] | None = None,
    group: int = 1,
    kernel_shape: list[int] | None = None,
    output_padding: list[int] | None = None,
    output_shape: list[int] | None = None,
    pads: list[int] | None = None,
    strides: list[int] | None = None,
) -> Tensor:
    """ConvTranspose-1, 11 and 22."""
    kernel = known(w)[2:]
    _check_kernel(kernel, kernel_shape)
    count = len(kernel)
    steps, gaps = ones_unless(strides, count), ones_unless(dilations, count)
    extra = output_padding if output_padding is not None else [0] * count
    function = _by_rank("conv_transpose", count)
    wanted = output_shape[-count:] if output_shape else None
    if wanted is None and auto_pad.startswith("SAME"):
        wanted = [x.shape[axis + 2] * step for axis, step in enumerate(steps)]
    if (
        wanted is None
        and (even := _even(pads, count, auto_pad)) is not None
        and _fits(extra, steps)
    ):
        return function(x, w, b, steps, even, extra, group, gaps)
    sides = _cropped(x, reach(kernel, gaps), steps, extra, wanted, auto_pad, pads)
    whole = function(x, w, None, steps, 0, 0, group, gaps)
    lacking = [(-before, more - after) for (before, after), more in zip(sides, extra, strict=True)]
    result = padded(whole, lacking)
    return result if b is None else result + b.reshape([1, -1, *[1] * count])


def _even(pads: list[int] | None, count: int, auto_pad: str) -> list[int] | None:
    """Give the padding of each axis if it is the same on both sides."""
    if pads is None or auto_pad == "VALID":
        return [0] * count
    return pads[:count] if pads[:count] == pads[count:] else None


def _fits(extra: list[int], steps: list[int]) -> bool:
    return all(more < step or more == 0 for more, step in zip(extra, steps, strict=True))


def _cropped(
    x: Tensor,
    spans: list[int],
    steps: list[int],
    extra: list[int],
    wanted: list[Number] | None,
    auto_pad: str,
    pads: list[int] | None,
) -> list[tuple[Number, Number]]:
    """Say how much to crop from either side of the whole result."""
    count = len(spans)
    if wanted is None:
        flat = pads or [0] * (2 * count)
        return list(zip(flat[:count], flat[count:], strict=True))
    sides = []
    for axis, (span, step, more, size) in enumerate(zip(spans, steps, extra, wanted, strict=True)):
        whole = (x.shape[axis + 2] - 1) * step + more + span - size
        less = whole // 2
        sides.append((less, whole - less) if auto_pad == "SAME_UPPER" else (whole - less, less))
    return sides


def causal_convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    past_state: Tensor | None = None,
    *,
    activation: Literal["none", "silu", "swish"] = "none",
) -> tuple[Tensor, Tensor]:
    """CausalConvWithState-27: one filter a channel, that sees only what came before."""
    import torch
    from torch.nn import functional

    before = known(weight)[2] - 1
    if past_state is None:
        past_state = x.new_zeros([x.shape[0], x.shape[1], before])
    whole = torch.cat([past_state, x], 2)
    made = functional.conv1d(whole, weight, bias, groups=known(weight)[0])
    made = made if activation == "none" else functional.silu(made)
    return made, whole.narrow(2, x.shape[2], before)
