"""Pooling by a window that is wider than what there is, as of a kernel for bigger images."""

from converters.onnx_legal.body import Body
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether the sizes are rounded up, so that one window remains where none fits."""
    rounds_up = bool(place.attribute("ceil_mode", 0))
    sized = place.attribute("auto_pad", "NOTSET") == "NOTSET"
    dense = set(place.attribute("dilations") or [1]) == {1}
    return rounds_up and sized and dense and _fitting(place) != _kernel(place)


def apply(body: Body) -> None:
    """Take a window as wide as the input: what lies outside counts for nothing."""
    body.again(list(body.place.node.input), {"kernel_shape": _fitting(body.place)})


def _kernel(place: Place) -> list[int]:
    return list(place.attribute("kernel_shape"))


def _fitting(place: Place) -> list[int]:
    """Return the kernel, no wider than the padded input where that is known."""
    kernel = _kernel(place)
    rank = len(kernel)
    pads = place.attribute("pads") or [0] * (2 * rank)
    sizes = (place.shape(0) or (None,) * (rank + 2))[2:]
    return [
        wide if size is None else min(wide, size + pads[n] + pads[n + rank])
        for n, (wide, size) in enumerate(zip(kernel, sizes, strict=True))
    ]


AVERAGE = Rewrite(
    operator="AveragePool",
    fault="refuses a window wider than the input",
    cases=(),
    apply=apply,
    applies=applies,
)

MAX = Rewrite(
    operator="MaxPool",
    fault="refuses a window wider than the input",
    cases=(),
    apply=apply,
    applies=applies,
)
