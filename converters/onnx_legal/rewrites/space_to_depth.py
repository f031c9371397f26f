"""SpaceToDepth with columns, rows and depth in the order of the depth first."""

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether the depth comes first: OpenVINO does not read the mode."""
    return bool(place.attribute("mode", "DCR") == "CRD")


def apply(body: Body) -> None:
    """Cut blocks by Reshape and Transpose."""
    x, block = body.place.node.input[0], body.place.attribute("blocksize")
    n, c, h, w = (body.sizes(x, axis) for axis in range(4))
    side = ints(block)
    rows, columns = body("Div", h, side), body("Div", w, side)
    cut = body("Reshape", x, body.join(n, c, rows, side, columns, side))
    turned = body.permute(cut, (0, 1, 3, 5, 2, 4))
    deep = body("Mul", c, ints(block * block))
    body.give(body("Reshape", turned, body.join(n, deep, rows, columns)))


REWRITE = Rewrite(
    operator="SpaceToDepth",
    fault="does not read `mode`",
    cases=("spacetodepth_crd_*",),
    apply=apply,
    applies=applies,
)
