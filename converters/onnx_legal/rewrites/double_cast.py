"""Casts of float64, which OpenVINO holds as float32: infinity came in as the largest number."""

import numpy as np

from converters.onnx_legal.body import AGAIN, Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def _kind(place: Place) -> int:
    return int(place.attribute("to", 0) if place.node.op_type == "Cast" else place.kind(1))


def applies(place: Place) -> bool:
    """Tell whether float64 becomes float32."""
    import onnx

    return (place.kind(0), _kind(place)) == (onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT)


def apply(body: Body) -> None:
    """Cast, and make infinity of the largest number."""
    body.give(single(body, body.place.node.input[0]))


def single(body: Body, value: str) -> str:
    """Add what makes a float32 of a float64: twice the largest number is infinity."""
    import onnx

    made = body.cast(value, onnx.TensorProto.FLOAT)
    body.nodes[-1].name += AGAIN
    far = body("Equal", body("Abs", made), np.array(np.finfo(np.float32).max))
    return body("Where", far, body("Add", made, made), made)


CAST = Rewrite(
    operator="Cast",
    fault="takes infinity for the largest float32",
    cases=("cast_DOUBLE_to_FLOAT",),
    apply=apply,
    applies=applies,
)

CAST_LIKE = Rewrite(
    operator="CastLike",
    fault="takes infinity for the largest float32",
    cases=("castlike_DOUBLE_to_FLOAT",),
    apply=apply,
    applies=applies,
)
