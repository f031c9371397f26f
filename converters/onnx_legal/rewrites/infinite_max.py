"""ReduceMax of nothing but minus infinity: OpenVINO starts from the least finite number."""

import numpy as np

from converters.onnx_legal.body import Body, scalar
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether it matters: the result is compared, or there is nothing to reduce."""
    import onnx

    floats = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
    readers = place.facts.readers.get(place.node.output[0], ())
    compared = bool({"Equal", "IsInf", "IsNaN"} & set(readers))
    return place.kind(0) in floats and (compared or 0 in (place.shape(0) or ()))


def apply(body: Body) -> None:
    """Put the infinity where there is no finite number."""
    import onnx

    place = body.place
    x, *axes = place.node.input
    made, finite = body.fresh("reduced"), body.fresh("finite")
    body.again([x, *axes], {}, [made])
    least = scalar(-np.inf, place.kind(0))
    same = body.cast(body("Equal", x, least), onnx.TensorProto.FLOAT)
    body.again([body("Sub", np.array(1, np.float32), same), *axes], {}, [finite])
    there = body("Less", np.array(0, np.float32), finite)
    body.give(body("Where", there, made, least))


REWRITE = Rewrite(
    operator="ReduceMax",
    fault="starts from the least finite number",
    cases=("reduce_max_empty_set", "attention_*_fullymasked_*_expanded"),
    apply=apply,
    applies=applies,
)
