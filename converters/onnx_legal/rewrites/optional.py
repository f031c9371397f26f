"""Optional values that are known to be there, or not to be."""

import numpy as np

from converters.onnx_legal.body import Body
from converters.onnx_legal.rewrite import Rewrite


def get(body: Body) -> None:
    """Take the value: a tensor is always there."""
    body.give(body.place.node.input[0])


def has(body: Body) -> None:
    """Say whether a value is given.

    Raises:
        ConversionError: It is an optional, which may hold one or not.
    """
    place = body.place
    if place.has(0) and not place.kind(0):
        raise place.refusal(f"its input '{place.node.input[0]}' is an optional")
    body.give(np.array(place.has(0)))


GET = Rewrite(
    operator="OptionalGetElement",
    fault="lacks it",
    cases=("optional_get_element_tensor",),
    apply=get,
)

HAS = Rewrite(
    operator="OptionalHasElement",
    fault="lacks it",
    cases=("optional_has_element_empty_*",),
    apply=has,
)
