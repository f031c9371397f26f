"""LpPool by the mean of powers: older versions of OpenVINO lack it."""

import math

from converters.onnx_legal.body import Body, scalar
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.older import KNOWN

#: The opset from which on AveragePool takes dilations.
_DILATED = 19
_SAME = ("auto_pad", "kernel_shape", "pads", "strides")


def apply(body: Body) -> None:
    """Take the root of what a window's powers add up to; what lies outside adds nothing.

    Raises:
        ConversionError: Sizes are rounded up, or the model's opset has no dilated means.
    """
    place = body.place
    kind, power = place.kind(0), place.attribute("p", 2)
    found = ((name, place.attribute(name)) for name in _SAME)
    at = {name: value for name, value in found if value is not None}
    powers = body("Pow", body("Abs", place.node.input[0]), scalar(power, kind))
    mean = body("AveragePool", powers, at={**at, **_spread(place), "count_include_pad": 1})
    total = body("Mul", mean, scalar(math.prod(at["kernel_shape"]), kind))
    body.give(body("Pow", total, scalar(1 / power, kind)))


def _spread(place: Place) -> dict[str, list[int]]:
    dilations = place.attribute("dilations")
    if place.attribute("ceil_mode", 0):
        raise place.refusal(f"attribute 'ceil_mode' is given, and OpenVINO is older than {KNOWN}")
    if dilations is None or set(dilations) == {1}:
        return {}
    if place.facts.opset < _DILATED:
        raise place.refusal(f"attribute 'dilations' is given, and the opset is below {_DILATED}")
    return {"dilations": list(dilations)}


REWRITE = Rewrite(
    operator="LpPool",
    fault="lacks it",
    cases=("lppool_*",),
    apply=apply,
    mended_in=KNOWN,
)
