"""Axes that come as values of the model: the rank that follows is computed, and stated."""

import numpy as np

from converters.onnx_legal.body import Body, ints, scalar
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def unsqueeze_applies(place: Place) -> bool:
    """Tell whether the axes are not known before."""
    return place.has(1) and place.constant(1) is None


def unsqueeze(body: Body) -> None:
    """Reshape to the sizes, with a 1 at each of the axes."""
    place = body.place
    rank = place.rank() + place.size(0, 1)
    new, old = _hit(body, place.node.input[1], rank)
    before = body("Sub", body("CumSum", old, np.array(0, np.int64)), ints(1))
    safe = body("Max", before, ints(0))
    if place.rank():
        kept = body("Gather", body("Shape", place.node.input[0]), safe)
    else:
        kept = body("Expand", ints(1), ints(rank))
    body.give(body("Reshape", place.node.input[0], body("Where", new, ints(1), kept)))


def reduce_applies(place: Place) -> bool:
    """Tell whether axes that are not known before are dropped."""
    return unsqueeze_applies(place) and not place.attribute("keepdims", 1)


def reduce(body: Body) -> None:
    """Keep the axes, and reshape to the sizes of the others."""
    place = body.place
    rank = place.rank()
    left = rank - place.size(0, 1)
    kept = body.fresh("kept")
    body.again(list(place.node.input), {"keepdims": 1}, [kept])
    _, old = _hit(body, place.node.input[1], rank)
    weight = body("Mul", old, np.arange(rank, 0, -1, dtype=np.int64))
    _, order = body.several("TopK", [weight, ints(left)], 2)
    body.give(body("Reshape", kept, body("Gather", body("Shape", place.node.input[0]), order)))


def _hit(body: Body, axes: str, rank: int) -> tuple[str, str]:
    """Tell for each axis whether it is among some, and 1 where it is not."""
    import onnx

    positive = body("Mod", axes, scalar(rank, onnx.TensorProto.INT64))
    same = body("Equal", body.unsqueeze(positive, 1), np.arange(rank)[None])
    count = body.reduce("ReduceSum", body.cast(same, onnx.TensorProto.INT64), 0)
    hit = body("Greater", count, ints(0))
    return hit, body("Sub", ints(1), body.cast(hit, onnx.TensorProto.INT64))


def tile_applies(place: Place) -> bool:
    """Tell whether the repeats are not known before: OpenVINO then gives what memory holds."""
    return place.constant(1) is None


def tile(body: Body) -> None:
    """Put an axis of the repeats before each axis, and join the two."""
    place = body.place
    x, repeats = place.node.input
    rank = place.rank()
    sizes = body("Shape", x)
    one = np.ones((rank, 1), np.int64)
    apart, spread = (
        body("Reshape", body("Concat", left, body.unsqueeze(sizes, 1), at={"axis": 1}), ints(-1))
        for left in (one, body.unsqueeze(repeats, 1))
    )
    wide = body("Expand", body("Reshape", x, apart), spread)
    body.give(body("Reshape", wide, body("Mul", sizes, repeats)))


UNSQUEEZE = Rewrite(
    operator="Unsqueeze",
    fault="loses the rank",
    cases=("unsqueeze_*",),
    apply=unsqueeze,
    applies=unsqueeze_applies,
)

REDUCE_LOG_SUM = Rewrite(
    operator="ReduceLogSum",
    fault="loses the rank",
    cases=("reduce_log_sum_*_axes",),
    apply=reduce,
    applies=reduce_applies,
)

REDUCE_SUM = Rewrite(
    operator="ReduceSum",
    fault="loses the rank",
    cases=("reduce_log_sum_*_axes_expanded",),
    apply=reduce,
    applies=reduce_applies,
)

TILE = Rewrite(
    operator="Tile",
    fault="answers with what memory happens to hold",
    cases=("tile",),
    apply=tile,
    applies=tile_applies,
)
