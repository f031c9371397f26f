"""The remainder of floats with the sign of the divisor, as Python has it."""

import numpy as np

from converters.onnx_legal.body import Body, scalar
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite
from converters.onnx_legal.rewrites.double_cast import single


def applies(place: Place) -> bool:
    """Tell whether floats are divided so: OpenVINO refuses it."""
    import onnx

    floats = (
        onnx.TensorProto.FLOAT,
        onnx.TensorProto.DOUBLE,
        onnx.TensorProto.FLOAT16,
        onnx.TensorProto.BFLOAT16,
    )
    return not place.attribute("fmod", 0) and place.kind(0) in floats


def apply(body: Body) -> None:
    """Take C's remainder and add the divisor where the signs differ."""
    import onnx

    kind, (x, y) = body.place.kind(0), body.place.node.input
    if kind == onnx.TensorProto.DOUBLE:
        x, y = single(body, x), single(body, y)
        body.give(body.cast(_rest(body, x, y, onnx.TensorProto.FLOAT), kind))
    else:
        body.give(_rest(body, x, y, kind))


def _rest(body: Body, x: str, y: str, kind: int) -> str:
    nothing, infinity = scalar(0, kind), scalar(np.inf, kind)
    far, near = (body("Equal", body("Abs", one), infinity) for one in (y, x))
    endless = body("And", far, body("Not", near))
    rest = body("Where", endless, x, body("Mod", x, y, at={"fmod": 1}))
    differ = body("Xor", body("Less", rest, nothing), body("Less", y, nothing))
    wrong = body("And", differ, body("Not", body("Equal", rest, nothing)))
    return body("Where", wrong, body("Add", rest, y), rest)


REWRITE = Rewrite(
    operator="Mod",
    fault="refuses floats unless `fmod` is 1",
    cases=("mod_float*_fmod_0*",),
    apply=apply,
    applies=applies,
)
