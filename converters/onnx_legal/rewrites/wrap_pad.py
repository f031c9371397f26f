"""Pad that goes round: each axis is read by places modulo its size."""

import numpy as np

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether the padding goes round, which OpenVINO lacks."""
    return bool(place.attribute("mode", "constant") == "wrap")


def apply(body: Body) -> None:
    """Add a Gather an axis."""
    place = body.place
    value, pads = place.node.input[:2]
    rank = place.rank()
    axes = place.constant(3) if place.has(3) else np.arange(rank)
    if axes is None:
        raise place.refusal("its input 'axes' is not a constant")
    for number, axis in enumerate(int(one) % rank for one in axes):
        size = body.sizes(value, axis)
        before = body("Gather", pads, ints(number))
        after = body("Gather", pads, ints(number + len(axes)))
        whole = body("Add", size, body("Add", before, after))
        places = body("Mod", body("Sub", body.count(whole), before), size)
        value = body("Gather", value, places, at={"axis": axis})
    body.give(value)


REWRITE = Rewrite(
    operator="Pad",
    fault="lacks the mode wrap",
    cases=("wrap_pad",),
    apply=apply,
    applies=applies,
)
