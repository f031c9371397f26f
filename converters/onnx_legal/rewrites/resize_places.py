"""Where each element of a resized axis lies on the axis before."""

from __future__ import annotations

from dataclasses import dataclass

from converters.onnx_legal.body import Body, Operand, floats, ints

_HALF = floats(0.5)
_ONE = floats(1)


@dataclass(frozen=True)
class Axis:
    """An axis to resize.

    Attributes:
        size, out: How many elements it has, and will have: vectors of one int64.
        scale: By how much it grows, a vector of one float.
        start, end: What part is taken, where one is.
        unchanged: Whether it is known to stay as it is.
    """

    number: int
    size: str
    out: str
    scale: str
    start: str
    end: str
    unchanged: bool


def axes_of(body: Body) -> list[Axis]:
    """Work out sizes and scales of the axes."""
    import onnx

    place = body.place
    listed = [int(one) % place.rank() for one in place.attribute("axes") or range(place.rank())]
    whole = [body.sizes(place.node.input[0], axis) for axis in listed]
    real = [body.cast(one, onnx.TensorProto.FLOAT) for one in whole]
    by_scale = place.has(2) and place.shape(2) != (0,)
    known = place.constant(2) if by_scale else None
    roi = place.attribute("coordinate_transformation_mode") == "tf_crop_and_resize"
    stated = place.node.input[2 if by_scale else 3]
    each = [body("Gather", stated, ints(number)) for number in range(len(listed))]
    if by_scale:
        scales = each
        outs = [_whole(body, "Floor", body("Mul", n, s)) for n, s in zip(real, scales, strict=True)]
    else:
        outs, scales = _by_sizes(body, each, real)
    made = []
    for number, axis in enumerate(listed):
        start, end = (
            body("Gather", place.node.input[1], ints(number + more)) if roi else ""
            for more in (0, len(listed))
        )
        same = known is not None and not roi and float(known[number]) == 1
        made.append(Axis(axis, whole[number], outs[number], scales[number], start, end, same))
    return made


def _by_sizes(body: Body, each: list[str], real: list[str]) -> tuple[list[str], list[str]]:
    import onnx

    wanted = [body.cast(one, onnx.TensorProto.FLOAT) for one in each]
    scales = [body("Div", out, size) for out, size in zip(wanted, real, strict=True)]
    policy = body.place.attribute("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return each, scales
    one = body("Min" if policy == "not_larger" else "Max", *scales)
    outs = [_whole(body, "Floor", body("Add", body("Mul", n, one), _HALF)) for n in real]
    return outs, [one] * len(real)


def _whole(body: Body, operator: str, value: str) -> str:
    import onnx

    return body.cast(body(operator, value), onnx.TensorProto.INT64)


def places(body: Body, axis: Axis) -> str:
    """Give the place of each element of the result, a vector of floats."""
    import onnx

    how = body.place.attribute("coordinate_transformation_mode", "half_pixel")
    number = body.cast(body.count(axis.out), onnx.TensorProto.FLOAT)
    size, out = (body.cast(one, onnx.TensorProto.FLOAT) for one in (axis.size, axis.out))
    last = body("Sub", size, _ONE)
    if how == "align_corners":
        return _spread(body, number, body("Sub", body("Mul", size, axis.scale), _ONE), last)
    if how == "tf_crop_and_resize":
        part = body("Mul", body("Sub", axis.end, axis.start), last)
        start = body("Mul", axis.start, last)
        middle = body("Mul", body("Mul", body("Add", axis.start, axis.end), _HALF), last)
        along = body("Add", start, _spread(body, number, body("Sub", out, _ONE), part))
        return body("Where", body("Less", _ONE, out), along, middle)
    if how == "asymmetric":
        return body("Div", number, axis.scale)
    at = body("Div", body("Add", number, _HALF), axis.scale)
    return at if how == "tf_half_pixel_for_nn" else _by_half(body, at, axis, how)


def _by_half(body: Body, middle: str, axis: Axis, how: str) -> str:
    """Give places where elements are met in their middle."""
    import onnx

    at = body("Sub", middle, _HALF)
    size, out = (body.cast(one, onnx.TensorProto.FLOAT) for one in (axis.size, axis.out))
    if how == "pytorch_half_pixel":
        return body("Where", body("Less", _ONE, out), at, floats(0))
    if how == "half_pixel_symmetric":
        kept = body("Div", out, body("Mul", axis.scale, size))
        shift = body("Mul", body("Mul", size, _HALF), body("Sub", _ONE, kept))
        return body("Add", at, shift)
    return at


def _spread(body: Body, number: str, steps: str, room: Operand) -> str:
    """Spread over some room in so many steps; with none of them all stay at the start."""
    none = body("Equal", steps, floats(0))
    safe = body("Where", none, _ONE, steps)
    return body("Where", none, floats(0), body("Div", body("Mul", number, room), safe))


def outside(body: Body, at: str, axis: Axis) -> str:
    """Tell which places lie beyond the axis, in the shape that the result can be masked by."""
    import onnx

    last = body.cast(body("Sub", axis.size, ints(1)), onnx.TensorProto.FLOAT)
    far = body("Or", body("Less", at, floats(0)), body("Less", last, at))
    return body.unsqueeze(far, *(one for one in range(body.place.rank()) if one != axis.number))
