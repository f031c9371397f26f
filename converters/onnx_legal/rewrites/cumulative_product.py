"""CumProd by doubling steps: each multiplies by what stands 1, 2, 4 … places before."""

import numpy as np

from converters.onnx_legal.body import Body, ints, scalar
from converters.onnx_legal.rewrite import Rewrite


def apply(body: Body) -> None:
    """Add log2(n) products.

    Raises:
        ConversionError: The axis is no constant, or its size is not fixed.
    """
    place = body.place
    axis = place.constant(1) if place.rank() > 1 else np.array(0)
    if axis is None:
        raise place.refusal("its input 'axis' is not a constant")
    where = int(axis.reshape(-1)[0]) % place.rank()
    size, reverse = place.size(where), bool(place.attribute("reverse", 0))
    total = place.node.input[0]
    if place.attribute("exclusive", 0):
        total = _moved(body, total, where, 1, reverse=reverse)
    step = 1
    while step < size:
        total = body("Mul", total, _moved(body, total, where, step, reverse=reverse))
        step *= 2
    body.give(total)


def _moved(body: Body, value: str, axis: int, step: int, *, reverse: bool) -> str:
    """Move values along an axis and fill up with ones."""
    before = [0] * body.place.rank()
    after = list(before)
    (after if reverse else before)[axis] = step
    one = scalar(1, body.place.kind(0))
    padded = body("Pad", value, np.array([*before, *after], np.int64), one)
    size = body.place.size(axis)
    start = step if reverse else 0
    return body("Slice", padded, ints(start), ints(start + size), ints(axis))


REWRITE = Rewrite(
    operator="CumProd",
    fault="lacks it",
    cases=("cumprod_1d*",),
    apply=apply,
)
