"""Convolutions with stored filters, as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from converters.onnx_to_torch.layers.layer import Arguments, Layer, held, is_computed, is_weight
from converters.onnx_to_torch.operators.window import is_even, ones_unless, reach

if TYPE_CHECKING:
    from torch import Tensor
    from torch.nn import Module

#: Axes of the filters: theirs are two more than those that the window moves along.
_RANKS = (3, 4, 5)


def of_convolution(given: Arguments) -> Layer | None:
    """Take Conv; what the layer cannot pad is padded before it."""
    if not _fits(given):
        return None
    w, steps, gaps = _window(given)
    sides = _known_sides(given)
    even = sides is not None and is_even(sides)
    options = {
        "stride": steps,
        "padding": [before for before, _ in sides] if sides is not None and even else 0,
        "dilation": gaps,
        "groups": given["group"],
    }
    room = {
        "spans": reach(list(w.shape[2:]), gaps),
        "strides": steps,
        "pads": given["pads"],
        "auto_pad": given["auto_pad"],
    }
    module = _made("Conv", (w.shape[1] * given["group"], w.shape[0]), (w, given["b"]), options)
    return Layer(module, given["x"], None if even else room)


def of_transposed(given: Arguments) -> Layer | None:
    """Take ConvTranspose where nothing of the result is cut off unevenly."""
    if not _fits(given) or given["output_shape"]:
        return None
    w, steps, gaps = _window(given)
    sides, extra = _known_sides(given), given["output_padding"] or [0] * len(steps)
    if sides is None or not is_even(sides):
        return None
    if any(more >= step for more, step in zip(extra, steps, strict=True) if more):
        return None
    options = {
        "stride": steps,
        "padding": [before for before, _ in sides],
        "output_padding": extra,
        "dilation": gaps,
        "groups": given["group"],
    }
    channels = (w.shape[0], w.shape[1] * given["group"])
    return Layer(_made("ConvTranspose", channels, (w, given["b"]), options), given["x"])


def _fits(given: Arguments) -> bool:
    """Tell whether only the input is computed, and the kernel is the weights' own."""
    w, b = given["w"], given["b"]
    stored = is_weight(w, *_RANKS) and (b is None or is_weight(b, 1))
    return stored and is_computed(given["x"]) and given["kernel_shape"] in (None, [*w.shape[2:]])


def _window(given: Arguments) -> tuple[Tensor, list[int], list[int]]:
    """Give the filters, how far they move, and how far apart their elements are."""
    count = given["w"].dim() - 2
    return given["w"], ones_unless(given["strides"], count), ones_unless(given["dilations"], count)


def _known_sides(given: Arguments) -> list[tuple[int, int]] | None:
    """Give the padding before and after each axis, where it does not depend on the input."""
    pads, auto_pad, count = given["pads"], given["auto_pad"], given["w"].dim() - 2
    if auto_pad.startswith("SAME"):
        return None
    flat = pads if pads is not None and auto_pad == "NOTSET" else [0] * (2 * count)
    return list(zip(flat[:count], flat[count:], strict=True))


def _made(
    kind: str,
    channels: tuple[int, int],
    weights: tuple[Tensor, Tensor | None],
    options: dict[str, Any],
) -> Module:
    import torch

    weight, bias = weights
    layer_class = getattr(torch.nn, f"{kind}{weight.dim() - 2}d")
    kernel = tuple(weight.shape[2:])
    layer: Module = layer_class(
        *channels, kernel, bias=bias is not None, device="meta", **_tuples(options)
    )
    layer.weight = held(weight)
    if bias is not None:
        layer.bias = held(bias)
    return layer


def _tuples(options: dict[str, Any]) -> dict[str, Any]:
    return {n: tuple(v) if isinstance(v, list) else v for n, v in options.items()}
