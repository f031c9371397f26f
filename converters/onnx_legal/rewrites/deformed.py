"""DeformConv: a convolution of values read at places that move."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.sampling import sampled


def apply(body: Body) -> None:
    """Read the values that each window sees, and multiply by the weights.

    Raises:
        ConversionError: It is not of an image, or the weights have no fixed shape.
    """
    place = body.place
    x, weights, offset = place.node.input[:3]
    if place.rank() != 4:
        raise place.refusal(f"its input has {place.rank() - 2} axes to slide over, not 2")
    outs, inner, high, wide = (place.size(axis, 1) for axis in range(4))
    group, shared = place.attribute("group", 1), place.attribute("offset_group", 1)
    window, batch, area = high * wide, body.sizes(x, 0), body.sizes(offset, 2, 3)
    many = body("Mul", batch, ints(shared))
    moved = body("Reshape", offset, body.join(many, ints(window, 2), area))
    places = [_places(body, moved, axis, (high, wide)) for axis in (0, 1)]
    channels = inner * group // shared
    image = body("Reshape", x, body.join(many, ints(channels), body.sizes(x, 2, 3)))
    seen = body(
        "Reshape", sampled(body, image, places), body.join(many, ints(channels, window, -1))
    )
    if place.has(4):
        mask = body("Reshape", place.node.input[4], body.join(many, ints(1, window, -1)))
        seen = body("Mul", seen, mask)
    seen = body("Reshape", seen, body.join(batch, ints(group, inner * window, -1)))
    flat = body("Reshape", weights, ints(group, outs // group, inner * window))
    made = body("Reshape", body("MatMul", flat, seen), body.join(batch, ints(outs), area))
    if place.has(3):
        made = body("Add", made, body("Reshape", place.node.input[3], ints(1, outs, 1, 1)))
    body.give(made)


def _places(body: Body, moved: str, axis: int, kernel: tuple[int, int]) -> str:
    """Give where each window reads along an axis: [M, window * area]."""
    place = body.place
    step = (place.attribute("strides") or [1, 1])[axis]
    apart = (place.attribute("dilations") or [1, 1])[axis]
    start = (place.attribute("pads") or [0] * 4)[axis]
    within = np.indices(kernel)[axis].reshape(1, -1, 1, 1) * apart - start
    count = body("Mul", body.count(body.sizes(moved, axis + 3)), ints(step))
    count = body.unsqueeze(count, *((0, 1, 3) if axis == 0 else (0, 1, 2)))
    fixed = body.cast(body("Add", within.astype(np.int64), count), place.kind(0))
    shift = body("Gather", moved, np.array(axis), at={"axis": 2})
    return body("Reshape", body("Add", fixed, shift), body.join(body.sizes(moved, 0), ints(-1)))


REWRITE = Rewrite(
    operator="DeformConv",
    fault="lacks it",
    cases=("basic_deform_conv_*", "deform_conv_*"),
    apply=apply,
)
