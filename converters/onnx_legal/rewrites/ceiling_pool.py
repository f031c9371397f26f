"""Pooling that rounds sizes up: windows that start beyond the input are cut off."""

from converters.onnx_legal.body import Body, ints
from converters.onnx_legal.place import Place
from converters.onnx_legal.rewrite import Rewrite


def applies(place: Place) -> bool:
    """Tell whether there may be such windows, which OpenVINO keeps."""
    sized = place.attribute("auto_pad", "NOTSET") == "NOTSET"
    return bool(place.attribute("ceil_mode", 0)) and sized and any(_surplus(place))


def _surplus(place: Place) -> list[bool]:
    kernel = place.attribute("kernel_shape")
    rank = len(kernel)
    steps, pads, apart = _settings(place, rank)
    found = []
    for n in range(rank):
        size = (place.shape(0) or [None] * (rank + 2))[n + 2]
        if size is None:
            found.append(steps[n] > 1)
            continue
        reach = (kernel[n] - 1) * apart[n] + 1
        up = -(-(size + pads[n] + pads[n + rank] - reach) // steps[n]) + 1
        found.append((up - 1) * steps[n] >= size + pads[n])
    return found


def _settings(place: Place, rank: int) -> tuple[list[int], list[int], list[int]]:
    return (
        place.attribute("strides") or [1] * rank,
        place.attribute("pads") or [0] * (2 * rank),
        place.attribute("dilations") or [1] * rank,
    )


def apply(body: Body) -> None:
    """Pool to the size that is rounded down or up, whichever is right, by a Slice."""
    place = body.place
    rank = len(place.attribute("kernel_shape"))
    steps, pads, _ = _settings(place, rank)
    made = [body.fresh("pooled") if name else "" for name in place.node.output]
    body.again(list(place.node.input), {}, made)
    axes = tuple(range(2, rank + 2))
    last = body("Add", body.sizes(place.node.input[0], *axes), ints(*(p - 1 for p in pads[:rank])))
    ends = body("Add", body("Div", last, ints(*steps)), ints(1))
    for number, name in enumerate(made):
        if name:
            starts = ints(*([0] * rank))
            body.give(body("Slice", name, starts, ends, ints(*axes)), number)


MAX = Rewrite(
    operator="MaxPool",
    fault="keeps a window that starts in the padding",
    cases=("maxpool_2d_ceil_output_size_reduce_by_one",),
    apply=apply,
    applies=applies,
)

AVERAGE = Rewrite(
    operator="AveragePool",
    fault="keeps a window that starts in the padding",
    cases=(),
    apply=apply,
    applies=applies,
)
