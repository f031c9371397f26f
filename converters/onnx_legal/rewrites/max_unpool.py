"""MaxUnpool: each value is put where the pooling took it from."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.rewrite import Rewrite


def apply(body: Body) -> None:
    """Add one ScatterElements into zeros, and pad to the size that is asked for."""
    place = body.place
    x, index = place.node.input[:2]
    kernel = place.attribute("kernel_shape")
    rank = len(kernel)
    steps = place.attribute("strides") or [1] * rank
    pads = place.attribute("pads") or [0] * (2 * rank)
    room = ints(*(kernel[n] - steps[n] - pads[n] - pads[n + rank] for n in range(rank)))
    spatial = body.sizes(x, *range(2, rank + 2))
    sizes = body("Add", body("Mul", spatial, ints(*steps)), room)
    shape = body.join(body.sizes(x, 0, 1), sizes)
    zero = body("CastLike", np.array([0], np.float32), x)
    empty = body("Expand", zero, body.reduce("ReduceProd", shape, 0, keep=True))
    flat = [body("Reshape", one, ints(-1)) for one in (index, x)]
    made = body("Reshape", body("ScatterElements", empty, *flat, at={"axis": 0}), shape)
    if place.has(2):
        more = body("Sub", place.node.input[2], shape)
        nothing = ints(*([0] * (rank + 2)))
        made = body("Pad", made, body.join(nothing, more), body.squeeze(zero, 0))
    body.give(made)


REWRITE = Rewrite(
    operator="MaxUnpool",
    fault="lacks it",
    cases=("maxunpool_*",),
    apply=apply,
)
