"""Learn which of the job's axes the outputs of an ONNX file have, by asking the file."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays, Brief
from converters.programs.examples import axis_sizes, example_arrays
from registry.signature import Axis

if TYPE_CHECKING:
    import onnx

Answer = Callable[[Arrays], dict[str, np.ndarray]]


def name_output_axes(
    model: "onnx.ModelProto", brief: Brief, answering: Callable[[], Answer]
) -> None:
    """Name, in place, axes of outputs that the file calls by names of its own, or by none.

    The file is run at two sizes of every axis, all different. An output's axis that has an
    axis' size both times is that axis. Where it cannot be run so, the names stay.

    Args:
        answering: Opens the file; only called where an axis needs it.
    """
    outputs = [value.type.tensor_type.shape.dim for value in model.graph.output]
    if not any(_is_unknown(dim, brief) for dims in outputs for dim in dims):
        return
    first = axis_sizes(brief.inputs, brief.axes)
    second = {name: min(size + 3, _most(name, brief)) for name, size in first.items()}
    try:
        answer = answering()
        shapes = [_shapes(answer, brief, sizes) for sizes in (first, second)]
    except Exception:  # noqa: BLE001 - made-up inputs may well be refused; then nothing is learnt
        return
    for dims, one, other in zip(outputs, *shapes, strict=True):
        for dim, *sizes in zip(dims, one, other, strict=True):
            same = [name for name in first if [first[name], second[name]] == sizes]
            if _is_unknown(dim, brief) and len(same) == 1:
                dim.dim_param = same[0]


def _is_unknown(dim: "onnx.TensorShapeProto.Dimension", brief: Brief) -> bool:
    return not dim.HasField("dim_value") and dim.dim_param not in brief.axes


def _most(name: str, brief: Brief) -> int:
    return brief.axes.get(name, Axis()).max


def _shapes(answer: Answer, brief: Brief, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    return [array.shape for array in answer(example_arrays(brief.inputs, sizes)).values()]
