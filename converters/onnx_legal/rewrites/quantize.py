"""QuantizeLinear by blocks of an axis, or to 16 bits."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether OpenVINO mistakes the shapes, or has too few levels."""
    import onnx

    if place.attribute("block_size", 0):
        return not place.has(2)
    return place.kind(2) in (onnx.TensorProto.UINT16, onnx.TensorProto.INT16)


def apply(body: Body) -> None:
    """Divide, round, move by the zero point and clip.

    Raises:
        ConversionError: The result is no integer of 8 or 16 bits.
    """
    import onnx

    place, kinds = body.place, onnx.TensorProto
    kind = place.kind(2) or place.attribute("output_dtype", 0) or kinds.UINT8
    if kind not in (kinds.INT8, kinds.UINT8, kinds.INT16, kinds.UINT16):
        raise place.refusal(f"it makes {kinds.DataType.Name(kind).lower()}")
    limits = np.iinfo(onnx.helper.tensor_dtype_to_np_dtype(kind))
    x, scale = (body.cast(one, kinds.FLOAT) for one in place.node.input[:2])
    whole = body("Round", body("Div", x, _spread(body, scale)))
    if place.has(2):
        point = body.cast(place.node.input[2], kinds.FLOAT)
        whole = body("Add", whole, _spread(body, point))
    low, high = (np.array(one, np.float32) for one in (limits.min, limits.max))
    body.give(body.cast(body("Clip", whole, low, high), kind))


def _spread(body: Body, value: str) -> str:
    """Give each element of the input its own, along the axis."""
    place = body.place
    rank, axis, block = place.rank(), place.attribute("axis", 1), place.attribute("block_size", 0)
    if block:
        axis %= rank
        number = body("Div", body.count(body.sizes(place.node.input[0], axis)), ints(block))
        return body("Gather", value, number, at={"axis": axis})
    if place.shape(1) in ((), (1,)) or rank < 2:
        return value
    shape = [1] * rank
    shape[axis % rank] = -1
    return body("Reshape", value, ints(*shape))


REWRITE = Rewrite(
    operator="QuantizeLinear",
    fault="mistakes the shape of scales by block, and has too few levels for 16 bits",
    cases=("quantizelinear_blocked_symmetric", "quantizelinear_uint16"),
    apply=apply,
    applies=applies,
)
