"""Operators that nothing stands for: refused before anything is converted."""

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def lacking(body: Body) -> None:
    """Refuse an operator that OpenVINO lacks.

    Raises:
        ConversionError: Always.
    """
    raise body.place.refusal("OpenVINO has no such operator")


def takes_highest(place: Place) -> bool:
    """Tell whether RoiAlign takes the highest of weighted corners, as ONNX has it."""
    return bool(place.attribute("mode", "avg") == "max")


def highest(body: Body) -> None:
    """Refuse it: OpenVINO weighs the highest corner otherwise.

    Raises:
        ConversionError: Always.
    """
    raise body.place.refusal("attribute 'mode' is max")


def peeps(place: Place) -> bool:
    """Tell whether the gates of an LSTM look at its state."""
    weights = place.constant(7)
    return place.has(7) and (weights is None or bool(weights.any()))


def peepholes(body: Body) -> None:
    """Refuse it: OpenVINO leaves the weights out.

    Raises:
        ConversionError: Always.
    """
    raise body.place.refusal(f"input 'P' is given, '{body.place.node.input[7]}': peepholes")


BIT_CAST = Rewrite(
    operator="BitCast",
    fault="lacks it",
    cases=("bitcast_*",),
    apply=lacking,
)

MEL_WEIGHTS = Rewrite(
    operator="MelWeightMatrix",
    fault="lacks it",
    cases=("melweightmatrix",),
    apply=lacking,
)

ROI_ALIGN = Rewrite(
    operator="RoiAlign",
    fault="weighs the highest corner otherwise",
    cases=("roialign_mode_max",),
    apply=highest,
    applies=takes_highest,
)

PEEPHOLES = Rewrite(
    operator="LSTM",
    fault="leaves out the weights of peepholes",
    cases=("lstm_with_peepholes",),
    apply=peepholes,
    applies=peeps,
)
