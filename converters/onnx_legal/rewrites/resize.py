"""Resize as ONNX defines it, axis by axis: places that are read, or weights of all places."""

from __future__ import annotations

import numpy as np

from converters.onnx_legal.body import Body, Operand, floats, ints
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.resize_places import Axis, axes_of, outside, places

_HALF = floats(0.5)


def applies(place: Place) -> bool:
    """Tell whether it is of a kind that OpenVINO lacks, or computes otherwise."""
    how = place.attribute("coordinate_transformation_mode", "half_pixel")
    cubic = place.attribute("mode", "nearest") == "cubic"
    return place.facts.opset >= 11 and bool(
        place.attribute("antialias", 0)
        or how in ("half_pixel_symmetric", "tf_crop_and_resize")
        or place.attribute("keep_aspect_ratio_policy", "stretch") != "stretch"
        or (cubic and place.attribute("exclude_outside", 0))
        or (how == "align_corners" and _by_fractions(place))
    )


def _by_fractions(place: Place) -> bool:
    """Tell whether sizes may be cut off: then the corners do not meet."""
    if place.attribute("mode", "nearest") == "nearest" or not place.has(2):
        return False
    scales = place.constant(2)
    if scales is None:
        return place.shape(2) != (0,)
    sizes = place.shape(0) or (None,) * scales.size
    products = [
        scale if size is None else scale * size for scale, size in zip(scales, sizes, strict=False)
    ]
    return any(not float(one).is_integer() for one in products)


def apply(body: Body) -> None:
    """Resize one axis after the other."""
    import onnx

    place = body.place
    value = body.cast(place.node.input[0], onnx.TensorProto.FLOAT)
    wrong = ""
    for axis in axes_of(body):
        if axis.unchanged:
            continue
        at = places(body, axis)
        if place.attribute("coordinate_transformation_mode") == "tf_crop_and_resize":
            far = outside(body, at, axis)
            wrong = body("Or", wrong, far) if wrong else far
        if place.attribute("mode", "nearest") == "nearest":
            value = body("Gather", value, _nearest(body, at, axis), at={"axis": axis.number})
        else:
            value = _weighted(body, value, _weights(body, at, axis), axis.number)
    if wrong:
        other = np.array(place.attribute("extrapolation_value", 0.0), np.float32)
        value = body("Where", wrong, other, value)
    body.give(body.cast(value, place.kind(0)))


def _nearest(body: Body, at: str, axis: Axis) -> str:
    import onnx

    mode = body.place.attribute("nearest_mode", "round_prefer_floor")
    if mode == "round_prefer_floor":
        at = body("Ceil", body("Sub", at, _HALF))
    elif mode == "round_prefer_ceil":
        at = body("Floor", body("Add", at, _HALF))
    else:
        at = body("Floor" if mode == "floor" else "Ceil", at)
    whole = body.cast(at, onnx.TensorProto.INT64)
    return body("Max", body("Min", whole, body("Sub", axis.size, ints(1))), ints(0))


def _weighted(body: Body, value: str, weights: str, axis: int) -> str:
    """Multiply along an axis by weights, [out, in]."""
    order = [one for one in range(body.place.rank()) if one != axis] + [axis]
    made = body("MatMul", body.permute(value, order), body.permute(weights, (1, 0)))
    return body.permute(made, [order.index(one) for one in range(body.place.rank())])


def _weights(body: Body, at: str, axis: Axis) -> str:
    """Weigh each element of the axis for each place; what is outside counts as the border."""
    import onnx

    place = body.place
    reach = ints(2 if place.attribute("mode") == "cubic" else 1)
    narrow: Operand = floats(1)
    if place.attribute("antialias", 0):
        narrow = body("Min", axis.scale, narrow)
    wide = body("Ceil", body("Div", body.cast(reach, onnx.TensorProto.FLOAT), narrow))
    more = body("Add", body.cast(wide, onnx.TensorProto.INT64), ints(1))
    count = body("Add", axis.size, body("Mul", more, ints(2)))
    element = body("Sub", body.count(count), more)
    apart = body(
        "Sub", body.unsqueeze(at, 1), body.unsqueeze(body.cast(element, onnx.TensorProto.FLOAT), 0)
    )
    weights = _kernel(body, body("Mul", body("Abs", apart), narrow))
    last = body("Sub", axis.size, ints(1))
    kept = body("Max", body("Min", element, last), ints(0))
    if place.attribute("exclude_outside", 0):
        inside = body.cast(body("Equal", kept, element), onnx.TensorProto.FLOAT)
        weights = body("Mul", weights, body.unsqueeze(inside, 0))
    if place.attribute("exclude_outside", 0) or place.attribute("antialias", 0):
        weights = body("Div", weights, body.reduce("ReduceSum", weights, 1, keep=True))
    column = body.unsqueeze(body.count(axis.size), 0)
    to_border = body("Equal", body.unsqueeze(kept, 1), column)
    return body("MatMul", weights, body.cast(to_border, onnx.TensorProto.FLOAT))


def _kernel(body: Body, far: str) -> str:
    """Give the weight by distance."""
    zero, one, two = (np.array(number, np.float32) for number in (0, 1, 2))
    if body.place.attribute("mode") != "cubic":
        return body("Max", body("Sub", one, far), zero)
    a = float(body.place.attribute("cubic_coeff_a", -0.75))
    near = _polynomial(body, far, (a + 2, -(a + 3), 0, 1))
    beyond = _polynomial(body, far, (a, -5 * a, 8 * a, -4 * a))
    outer = body("Where", body("Less", far, two), beyond, zero)
    return body("Where", body("Less", far, one), near, outer)


def _polynomial(body: Body, x: str, factors: tuple[float, ...]) -> str:
    total: Operand = np.array(factors[0], np.float32)
    for factor in factors[1:]:
        total = body("Add", body("Mul", total, x), np.array(factor, np.float32))
    return str(total)


REWRITE = Rewrite(
    operator="Resize",
    fault="lacks some modes, and ignores `antialias`, `exclude_outside` and what is cut off sizes",
    cases=(
        "resize_*_antialias",
        "resize_*_exclude_outside",
        "resize_downsample_scales_*_align_corners",
        "resize_*_symmetric",
        "resize_*_nearest_not_*",
        "resize_tf_crop_*",
    ),
    apply=apply,
    applies=applies,
)
