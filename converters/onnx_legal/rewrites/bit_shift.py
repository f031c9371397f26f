"""BitShift of signed integers, by arithmetic: shifts keep the sign, and bits fall off the end."""

import numpy as np

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite

#: Powers of two; the last is negative, as in two's complement.
_POWERS = np.array([1 << n for n in range(31)] + [-(1 << 31)], np.int32)


def _width(place: Place) -> int:
    import onnx

    kinds = onnx.TensorProto
    widths = {kinds.INT8: 8, kinds.INT16: 16, kinds.INT32: 32, kinds.INT64: 32}
    return widths.get(place.kind(0), 0)


def applies(place: Place) -> bool:
    """Tell whether the numbers have signs."""
    return bool(_width(place))


def apply(body: Body) -> None:
    """Multiply by powers of two, or divide and round down; int64 is computed in 32 bits anyway."""
    import onnx

    place, width = body.place, _width(body.place)
    x, by = (body.cast(name, onnx.TensorProto.INT32) for name in place.node.input)
    zero = np.array(0, np.int32)
    beyond = body("Or", body("Less", by, zero), body("Less", np.array(width - 1, np.int32), by))
    power = body("Gather", _POWERS, body("Where", beyond, zero, by))
    if place.attribute("direction") == "LEFT":
        moved, filled = _wrapped(body, body("Mul", x, power), width), body("Sub", x, x)
    else:
        filled = body("Where", body("Less", x, zero), np.array(-1, np.int32), zero)
        last = body("Equal", by, np.array(31, np.int32))
        beyond, power = body("Or", beyond, last), body("Abs", power)
        power = body("Where", last, np.array(1, np.int32), power)
        moved = body("Div", body("Sub", x, body("Mod", x, power)), power)
    body.give(body.cast(body("Where", beyond, filled, moved), place.kind(0)))


def _wrapped(body: Body, value: str, width: int) -> str:
    """Drop the bits above a width, and read the rest as a signed number."""
    if width == 32:
        return value
    half, whole = np.array(1 << (width - 1), np.int32), np.array(1 << width, np.int32)
    return body("Sub", body("Mod", body("Add", value, half), whole), half)


REWRITE = Rewrite(
    operator="BitShift",
    fault="fills with zeros, cuts at the largest number and shifts by no negative one",
    cases=(
        "bitshift_left_int8_overflow",
        "bitshift_left_int8_shift_ge_width",
        "bitshift_left_int32_shift_ge_width",
        "bitshift_right_int*_negative_*",
        "bitshift_right_int*_shift_ge_width",
    ),
    apply=apply,
    applies=applies,
)
