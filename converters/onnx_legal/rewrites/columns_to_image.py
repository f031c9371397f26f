"""Col2Im: where each element goes is computed, and it is added there."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.rewrite import Rewrite


def apply(body: Body) -> None:
    """Add one ScatterElements; what falls outside goes to a place that is cut off."""
    place = body.place
    columns, image = place.node.input[:2]
    rank = place.size(0, 1)
    last = np.array(-1, np.int64)
    index, valid = _places(body, rank)
    total = body.reduce("ReduceProd", image, 0, keep=True)
    index = body("Reshape", body("Where", valid, index, total), ints(1, 1, -1))
    each = body(
        "Reshape", columns, body.join(body.sizes(columns, 0), last.reshape(1), body.sizes(index, 2))
    )
    room = body.join(body.sizes(each, 0, 1), body("Add", total, ints(1)))
    empty = body("Expand", body("CastLike", np.array(0, np.float32), columns), room)
    spread = body("Expand", index, body("Shape", each))
    added = body("ScatterElements", empty, spread, each, at={"axis": 2, "reduction": "add"})
    inside = body("Slice", added, ints(0), total, ints(2))
    body.give(body("Reshape", inside, body.join(body.sizes(each, 0, 1), image)))


def _places(body: Body, rank: int) -> tuple[str, str]:
    """Give the flat index of each element of the columns, and whether it lies in the image."""
    index, valid = "", ""
    for axis in range(rank):
        at, inside = _along(body, axis, rank)
        size = body("Gather", body.place.node.input[1], ints(axis))
        index = body("Add", body("Mul", index, size), at) if index else at
        valid = body("And", valid, inside) if valid else inside
    return index, valid


def _along(body: Body, axis: int, rank: int) -> tuple[str, str]:
    """Give the place along one axis, by the element of the block and the number of the block."""
    place = body.place
    step = (place.attribute("strides") or [1] * rank)[axis]
    apart = (place.attribute("dilations") or [1] * rank)[axis]
    pads = place.attribute("pads") or [0] * (2 * rank)
    size = body("Gather", place.node.input[1], ints(axis))
    side = body("Gather", place.node.input[2], ints(axis))
    reach = body("Mul", body("Sub", side, ints(1)), ints(apart))
    room = body("Sub", body("Add", size, ints(pads[axis] + pads[axis + rank] - 1)), reach)
    blocks = body("Add", body("Div", room, ints(step)), ints(1))
    element = body("Sub", body("Mul", body.count(side), ints(apart)), ints(pads[axis]))
    start = body("Mul", body.count(blocks), ints(step))
    element = body.unsqueeze(element, *(one for one in range(2 * rank) if one != axis))
    start = body.unsqueeze(start, *(one for one in range(2 * rank) if one != axis + rank))
    at = body("Add", element, start)
    inside = body("And", body("Less", ints(-1), at), body("Less", at, size))
    return at, inside


REWRITE = Rewrite(
    operator="Col2Im",
    fault="takes two axes of known sizes alone",
    cases=("col2im*",),
    apply=apply,
)
