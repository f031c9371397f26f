"""What OpenVINO lacked, or got wrong, before the first version that is known not to."""

import numpy as np

from converters.onnx_legal.body import Body, ints, scalar
from converters.onnx_legal.expand import expand
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite

#: Tried beside 2025.4; the versions between were not.
KNOWN = "2026.4.1"


def has_moments(place: Place) -> bool:
    """Tell whether the mean and the deviation are outputs, too."""
    return len([name for name in place.node.output if name]) > 1


def has_axes(place: Place) -> bool:
    """Tell whether Pad names the axes that it is for."""
    return place.has(3)


def pad(body: Body) -> None:
    """Pad all axes, most of them by nothing."""
    place = body.place
    value, pads = place.node.input[:2]
    axes, rank = place.constant(3), place.rank()
    if axes is None:
        raise place.refusal("its input 'axes' is not a constant")
    at = {int(axis) % rank: number for number, axis in enumerate(axes)}
    parts = [
        body("Gather", pads, ints(at[axis] + end * len(at))) if axis in at else ints(0)
        for end in (0, 1)
        for axis in range(rank)
    ]
    body.again([value, body.join(*parts), *place.node.input[2:3]], {})


def is_blocked(place: Place) -> bool:
    """Tell whether several elements along an axis share a scale."""
    return bool(place.attribute("block_size", 0))


def blocks(body: Body) -> None:
    """Refuse it.

    Raises:
        ConversionError: Always.
    """
    raise body.place.refusal(f"attribute 'block_size' is given, and OpenVINO is older than {KNOWN}")


def is_idle(place: Place) -> bool:
    """Tell whether Dropout drops nothing, as wherever a model is served."""
    mode = place.constant(2)
    return not place.has(2) or (mode is not None and not bool(mode.any()))


def drop_nothing(body: Body) -> None:
    """Hand the input on; the mask, where it is wanted, leaves all of it."""
    value = body.place.node.input[0]
    body.give(value)
    if len(body.place.node.output) > 1:
        body.give(body("Expand", np.array([True]), body("Shape", value)), 1)


def is_scaled(place: Place) -> bool:
    """Tell whether Swish scales what its sigmoid takes."""
    return bool(place.attribute("alpha", 1.0) != 1)


def is_empty(place: Place) -> bool:
    """Tell whether a reshape is of nothing, and zeros of its shape are sizes."""
    return bool(place.attribute("allowzero", 0)) and 0 in (place.shape(0) or ())


def empty(body: Body) -> None:
    """Make nothing, of the shape."""
    place = body.place
    body.give(body("Expand", scalar(0, place.kind(0)), place.node.input[1]))


def normalise(body: Body) -> None:
    """Divide by the norm, but never by nothing."""
    place = body.place
    value, axis = place.node.input[0], place.attribute("axis", -1) % place.rank()
    operator = {1: "ReduceL1", 2: "ReduceL2"}[place.attribute("p", 2)]
    least = scalar(float(np.finfo(np.float16).tiny), place.kind(0))
    norm = body.reduce(operator, value, axis, keep=True)
    body.give(body("Div", value, body("Max", norm, least)))


ATTENTION = Rewrite(
    operator="Attention",
    fault="lacks it",
    cases=("attention_4d_scaled", "attention_3d_*", "attention_4d_*"),
    apply=expand,
    mended_in=KNOWN,
)

GROUPS = Rewrite(
    operator="GroupNormalization",
    fault="takes the scale of a channel for that of a group",
    cases=("group_normalization_epsilon", "group_normalization_example"),
    apply=expand,
    mended_in=KNOWN,
)

MOMENTS = Rewrite(
    operator="LayerNormalization",
    fault="gives neither mean nor deviation",
    cases=("layer_normalization_default_axis", "layer_normalization_?d_axis*"),
    apply=expand,
    applies=has_moments,
    mended_in=KNOWN,
)

PAD = Rewrite(
    operator="Pad",
    fault="leaves nothing where axes are named",
    cases=("constant_pad_axes", "constant_pad_negative_axes", "center_crop_pad_*_?wc_expanded"),
    apply=pad,
    applies=has_axes,
    mended_in=KNOWN,
)

BLOCKS = Rewrite(
    operator="DequantizeLinear",
    fault="takes the scales of other blocks",
    cases=("dequantizelinear_blocked",),
    apply=blocks,
    applies=is_blocked,
    mended_in=KNOWN,
)

NORM = Rewrite(
    operator="LpNormalization",
    fault="divides nothing by nothing",
    cases=("l2normalization_axis_0",),
    apply=normalise,
    mended_in=KNOWN,
)

DROPOUT = Rewrite(
    operator="Dropout",
    fault="gives an output the name of its input, and loses inputs that it does not need",
    cases=("dropout_default_*ratio",),
    apply=drop_nothing,
    applies=is_idle,
    mended_in=KNOWN,
)

SWISH = Rewrite(
    operator="Swish",
    fault="takes another factor",
    cases=("swiglu_alpha_expanded",),
    apply=expand,
    applies=is_scaled,
    mended_in=KNOWN,
)

EMPTY = Rewrite(
    operator="Reshape",
    fault="takes every size of nothing for zero",
    cases=("reshape_allowzero_reordered",),
    apply=empty,
    applies=is_empty,
    mended_in=KNOWN,
)
