"""Pads and slices by what is worked out of constants: shape inference follows stored ones."""

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite

_FAULT = "converts branches that are never taken, where only the sizes behind it say so"


def applies(place: Place) -> bool:
    """Tell whether a part of where it cuts or pads is computed, and all of it always the same."""
    said = [number for number in range(1, len(place.node.input)) if place.has(number)]
    computed = [one for one in said if place.node.input[one] not in place.facts.constants]
    known = all(place.constant(number) is not None for number in computed)
    return bool(computed) and known and place.attribute("mode") != "wrap"


def apply(body: Body) -> None:
    """Store what is computed."""
    place = body.place
    x, *names = place.node.input
    values = [place.constant(number) for number in range(1, len(names) + 1)]
    given = [name if value is None else value for name, value in zip(names, values, strict=True)]
    body.again([x, *given], {})


PAD = Rewrite(operator="Pad", fault=_FAULT, cases=(), apply=apply, applies=applies)
SLICE = Rewrite(operator="Slice", fault=_FAULT, cases=(), apply=apply, applies=applies)
