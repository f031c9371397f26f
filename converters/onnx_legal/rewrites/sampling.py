"""Values of an image between its elements, read by computed places."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from converters.onnx_legal.body import Body, ints, scalar
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.older import KNOWN

#: The opset in which GridSample's modes got other names.
_RENAMED = 20


def sampled(body: Body, image: str, places: Sequence[str], *, nearest: bool = False) -> str:
    """Read values at places; outside there is nothing.

    Args:
        image: [M, C, size, size, …].
        places: For each of the sizes, [M, P] floats.

    Returns:
        [M, C, P].
    """
    sizes = [body.sizes(image, axis + 2) for axis in range(len(places))]
    flat = body("Reshape", image, body.join(body.sizes(image, 0, 1), ints(-1)))
    rounded = [body("Round" if nearest else "Floor", one) for one in places]
    parts = [body("Sub", one, low) for one, low in zip(places, rounded, strict=True)]
    total = ""
    for corner in product((0, 1), repeat=0 if nearest else len(places)):
        steps = corner or (0,) * len(places)
        axes = [
            _along(body, low, part, size, None if nearest else step)
            for low, part, size, step in zip(rounded, parts, sizes, steps, strict=True)
        ]
        term = _corner(body, flat, axes, sizes)
        total = body("Add", total, term) if total else term
    return total


def _along(body: Body, low: str, part: str, size: str, step: int | None) -> tuple[str, str]:
    """Give the index along an axis, and its weight: 0 outside, else by nearness."""
    import onnx

    kind = body.place.kind(0)
    one, zero = scalar(1, kind), scalar(0, kind)
    last = body.cast(body("Sub", size, ints(1)), kind)
    at = body("Add", low, one) if step else low
    weight = part if step else body("Sub", one, part)
    if step is None:
        weight = body("Add", body("Sub", part, part), one)
    inside = body("And", body("Not", body("Less", at, zero)), body("Not", body("Less", last, at)))
    kept = body("Max", body("Min", at, last), zero)
    return body.cast(kept, onnx.TensorProto.INT64), body("Where", inside, weight, zero)


def _corner(body: Body, flat: str, axes: Sequence[tuple[str, str]], sizes: Sequence[str]) -> str:
    index, weight = axes[0]
    for (at, more), size in zip(axes[1:], sizes[1:], strict=True):
        index = body("Add", body("Mul", index, size), at)
        weight = body("Mul", weight, more)
    index = body.unsqueeze(index, 1)
    shape = body.join(body.sizes(flat, 0, 1), body.sizes(index, 2))
    picked = body("GatherElements", flat, body("Expand", index, shape), at={"axis": 2})
    return body("Mul", picked, body.unsqueeze(weight, 1))


def grid_sample(body: Body) -> None:
    """Sample a volume on a grid of places.

    Raises:
        ConversionError: It reflects at the border, or is cubic.
    """
    place = body.place
    rank, kind = place.rank() - 2, place.kind(0)
    mode, padding = place.attribute("mode", "linear"), place.attribute("padding_mode", "zeros")
    if mode not in ("linear", "bilinear", "nearest") or padding == "reflection":
        raise place.refusal(f"attributes 'mode' {mode} and 'padding_mode' {padding}, in {rank}-d")
    image, grid = place.node.input
    flat = body("Reshape", grid, body.join(body.sizes(grid, 0), ints(-1, rank)))
    places = []
    for axis in range(rank):
        at = body("Gather", flat, np.array(rank - 1 - axis), at={"axis": 2})
        size = body.cast(body.sizes(image, axis + 2), kind)
        last = body("Sub", size, scalar(1, kind))
        around = last if place.attribute("align_corners", 0) else size
        at = body("Mul", body("Add", at, scalar(1, kind)), around)
        if not place.attribute("align_corners", 0):
            at = body("Sub", at, scalar(1, kind))
        at = body("Mul", at, scalar(0.5, kind))
        if padding == "border":
            at = body("Max", body("Min", at, last), scalar(0, kind))
        places.append(at)
    found = sampled(body, image, places, nearest=mode == "nearest")
    shape = body.join(body.sizes(image, 0, 1), body.sizes(grid, *range(1, rank + 1)))
    body.give(body("Reshape", found, shape))


def is_volume(place: Place) -> bool:
    """Tell whether there are more than two axes to sample: OpenVINO has two."""
    return len(place.shape(0) or ()) > 4


def is_renamed(place: Place) -> bool:
    """Tell whether the modes have the names of newer opsets."""
    return place.facts.opset >= _RENAMED


REWRITE = Rewrite(
    operator="GridSample",
    fault="samples two axes alone",
    cases=("gridsample_volumetric_*",),
    apply=grid_sample,
    applies=is_volume,
)

FLAT = Rewrite(
    operator="GridSample",
    fault="cannot read it from opset 20 on",
    cases=("gridsample_bilinear", "gridsample_*"),
    apply=grid_sample,
    applies=is_renamed,
    mended_in=KNOWN,
)
