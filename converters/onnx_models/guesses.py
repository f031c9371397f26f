"""What an ONNX file tells of its inputs and tables, for a first job."""

from typing import TYPE_CHECKING

from converters.brief import Arrays
from converters.integers import guess_range
from converters.onnx_models.files import signature_of
from registry.composition import Kept
from registry.signature import ANY, Dim, Ids, Input, Tensor

if TYPE_CHECKING:
    import onnx

_SMALLEST_TABLE = 1000


def kept_tables(model: "onnx.ModelProto") -> tuple[Kept, ...]:
    """List the big matrices that rows are gathered from."""
    import onnx

    matrices = {t.name: t for t in model.graph.initializer if len(t.dims) == 2}
    gathered = dict.fromkeys(
        node.input[0]
        for node in model.graph.node
        if node.op_type == "Gather" and node.input[0] in matrices
    )
    found = []
    for name in gathered:
        rows, dim = matrices[name].dims
        size = onnx.helper.tensor_dtype_to_np_dtype(matrices[name].data_type).itemsize
        if rows >= _SMALLEST_TABLE:
            found.append(
                Kept(
                    table=name,
                    rows=rows,
                    dim=dim,
                    bytes=rows * dim * size,
                    why="the tables of an ONNX file are not cut",
                )
            )
    return tuple(found)


def guess_inputs(model: "onnx.ModelProto", samples: Arrays) -> tuple[tuple[Input, str], ...]:
    """Describe each input; an input that rows are gathered by holds ids of that many rows."""
    rows = _rows(model)
    return tuple(
        _guess(tensor, rows.get(tensor.name), samples) for tensor in signature_of(model).inputs
    )


def _guess(tensor: Tensor, rows: int | None, samples: Arrays) -> tuple[Input, str]:
    shape: list[Dim] = [
        f"{tensor.name}_{at}" if dim == ANY else dim for at, dim in enumerate(tensor.shape)
    ]
    if shape and tensor.shape[0] == ANY:
        shape[0] = "batch"
    given = Input(name=tensor.name, dtype=tensor.dtype, shape=tuple(shape))
    if tensor.dtype.value not in ("int64", "int32"):
        return given, "as the file says"
    if rows is not None:
        told = {"ids": Ids(cardinality=rows)}
        return given.model_copy(update=told), f"rows are gathered by it from a table of {rows}"
    values, said = guess_range(samples.get(tensor.name))
    return given.model_copy(update={"range": values}), said


def _rows(model: "onnx.ModelProto") -> dict[str, int]:
    """Find the inputs that go straight to a Gather: name → rows of its table."""
    sizes = {tensor.name: tensor.dims[0] for tensor in model.graph.initializer if tensor.dims}
    casts = {n.output[0]: n.input[0] for n in model.graph.node if n.op_type == "Cast"}
    return {
        casts.get(node.input[1], node.input[1]): sizes[node.input[0]]
        for node in model.graph.node
        if node.op_type == "Gather" and node.input[0] in sizes
    }
