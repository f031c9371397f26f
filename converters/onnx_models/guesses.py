"""What an ONNX file tells of its inputs and tables, for a first job."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from converters.brief import Arrays
from converters.onnx_models.files import signature_of
from converters.onnx_models.open_dims import name_dims
from converters.sample_values import guess_range, span
from registry.signature import ANY, Axis, Ids, Input

if TYPE_CHECKING:
    import onnx

_SMALLEST_TABLE = 1000


def big_tables(model: "onnx.ModelProto") -> tuple[tuple[str, int, int], ...]:
    """List the big matrices that rows are gathered from: name, rows, dim."""
    matrices = {t.name: t for t in model.graph.initializer if len(t.dims) == 2}
    gathered = dict.fromkeys(
        node.input[0]
        for node in model.graph.node
        if node.op_type == "Gather" and node.input[0] in matrices
    )
    found = ((name, *matrices[name].dims) for name in gathered)
    return tuple((name, rows, dim) for name, rows, dim in found if rows >= _SMALLEST_TABLE)


def guess_inputs(model: "onnx.ModelProto", samples: Arrays) -> tuple[tuple[Input, str], ...]:
    """Describe each input; an input that rows are gathered by holds ids of that many rows."""
    rows = _rows(model)
    tensors = signature_of(model).inputs
    leading = [str(t.shape[0]) for t in tensors if t.shape and isinstance(t.shape[0], str)]
    batch = next((name for name in leading if name != ANY), "batch")
    found = []
    for tensor in tensors:
        shape, said = name_dims(tensor, batch, samples.get(tensor.name))
        given = Input(name=tensor.name, dtype=tensor.dtype, shape=shape)
        told, why = _guess(given, rows.get(tensor.name), samples.get(tensor.name))
        found.append((told, "; ".join(filter(None, (why, said)))))
    return tuple(found)


def guess_axes(inputs: Iterable[Input], samples: Arrays) -> dict[str, Axis]:
    """Give the axes a range each that has room for the samples."""
    axes: dict[str, Axis] = {}
    for given in inputs:
        array = samples.get(given.name)
        sizes = array.shape if array is not None and array.ndim == len(given.shape) else ()
        for at, dim in enumerate(given.shape):
            if isinstance(dim, str):
                size = sizes[at] if at and at < len(sizes) else 1
                axes[dim] = Axis(max=max(axes.get(dim, Axis()).max, size))
    return axes


def _guess(given: Input, rows: int | None, array: np.ndarray | None) -> tuple[Input, str]:
    if given.dtype.value in ("int64", "int32"):
        if rows is not None:
            told = {"ids": Ids(cardinality=rows)}
            return given.model_copy(update=told), f"rows are gathered by it from a table of {rows}"
        values, said = guess_range(array)
        return given.model_copy(update={"range": values}), said
    floats = None if array is None else span(array)
    if floats is None:
        return given, "as the file says"
    return given.model_copy(update={"range": floats}), "the range is that of the samples"


def _rows(model: "onnx.ModelProto") -> dict[str, int]:
    """Find the inputs that go straight to a Gather: name → rows of its table."""
    sizes = {tensor.name: tensor.dims[0] for tensor in model.graph.initializer if tensor.dims}
    casts = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "Cast"}
    return {
        casts.get(node.input[1], node.input[1]): sizes[node.input[0]]
        for node in model.graph.node
        if node.op_type == "Gather" and node.input[0] in sizes
    }
