"""NonMaxSuppression: boxes that overlap exactly as much as is allowed are kept."""

import numpy as np

from converters.onnx_legal.body import Body, Operand
from converters.onnx_legal.rewrite import Rewrite

#: One step of float32, and a little more.
_MORE = np.float32(1 + 2**-22)
_LEAST = np.float32(1e-30)


def apply(body: Body) -> None:
    """Raise the threshold by the least there is."""
    place = body.place
    given: list[Operand] = list(place.node.input)
    given += [""] * (4 - len(given))
    threshold = given[3] or np.zeros(1, np.float32)
    given[3] = body("Max", body("Mul", threshold, np.array([_MORE])), np.array([_LEAST]))
    body.again(given, {})


REWRITE = Rewrite(
    operator="NonMaxSuppression",
    fault="drops a box that overlaps by just the threshold",
    cases=("nonmaxsuppression_iou_threshold_boundary",),
    apply=apply,
)
