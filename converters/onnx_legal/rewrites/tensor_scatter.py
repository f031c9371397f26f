"""TensorScatter: places in a cache, computed, and ScatterElements to them."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.rewrite import Rewrite


def apply(body: Body) -> None:
    """Add the row of each sample to its place."""
    place = body.place
    past, update = place.node.input[:2]
    rank = place.rank()
    axis = place.attribute("axis", -2) % rank
    steps = body.count(body.sizes(update, axis))
    if place.has(2):
        steps = body("Add", body.unsqueeze(place.node.input[2], 1), steps)
    else:
        steps = body.unsqueeze(steps, 0)
    if place.attribute("mode", "linear") == "circular":
        steps = body("Mod", steps, body.sizes(past, axis))
    batch = body("Shape", steps)
    shape: list[str | np.ndarray] = [ints(1)] * rank
    shape[0] = body("Gather", batch, ints(0))
    shape[axis] = body("Gather", batch, ints(1))
    spread = body("Expand", body("Reshape", steps, body.join(*shape)), body("Shape", update))
    body.give(body("ScatterElements", past, spread, update, at={"axis": axis}))


REWRITE = Rewrite(
    operator="TensorScatter",
    fault="lacks it",
    cases=("tensorscatter*",),
    apply=apply,
)
