"""A stored map that multiplies each place of an image before a convolution.

OpenVINO multiplies the filters by it instead, where their sizes allow: for a factor of each
channel that is the same, for one of each place it is not.
"""

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite

#: Of an image, before its rows and columns.
_BATCH_AND_CHANNELS = 2


def applies(place: Place) -> bool:
    """Tell whether a convolution reads the product, and one factor is stored and has places."""
    read = place.facts.readers.get(place.node.output[0], ())
    return "Conv" in read and any(_is_map(place, number) for number in (0, 1))


def apply(body: Body) -> None:
    """Multiply with one axis more, so that the product is not the convolution's own input."""
    one, other = body.place.node.input
    wide = one if _is_map(body.place, 0) else body.unsqueeze(one, 0)
    more = body.unsqueeze(other, 0) if wide == one else other
    made = body.fresh("product")
    body.again([wide, more], {}, [made])
    body.give(body.squeeze(made, 0))


def _is_map(place: Place, number: int) -> bool:
    """Tell whether an input is the same in every run, and differs from place to place."""
    shape, of_image = place.shape(number), place.shape(1 - number)
    if not shape or not of_image or len(shape) > len(of_image):
        return False
    places = shape[-(len(of_image) - _BATCH_AND_CHANNELS) :]
    fixed = _is_fixed(place, place.node.input[number])
    return fixed and len(of_image) > _BATCH_AND_CHANNELS and set(places) != {1}


def _is_fixed(place: Place, name: str) -> bool:
    """Tell whether a value follows from what is stored alone."""
    left, seen = [name], {name}
    while left:
        value = left.pop()
        if value in place.facts.given:
            return False
        maker = place.facts.makers.get(value)
        new = [one for one in (maker.input if maker else ()) if one and one not in seen]
        left += new
        seen |= {*new}
    return True


_FAULT = "multiplies the filters of the next convolution by it"

DIVIDE = Rewrite(operator="Div", fault=_FAULT, cases=(), apply=apply, applies=applies)
MULTIPLY = Rewrite(operator="Mul", fault=_FAULT, cases=(), apply=apply, applies=applies)
