"""ONNX files, read without their weights."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from registry.errors import SourceError
from registry.format import ENTRY, Format
from registry.signature import ANY, Dim, DType, Signature, Tensor

if TYPE_CHECKING:
    import onnx


def read_signature(folder: Path) -> Signature:
    """Read names, dtypes and shapes from `model.onnx`; an axis without a name is '?'.

    Raises:
        SourceError: The file is not ONNX, or an input is not a tensor.
    """
    return signature_of(open_model(folder / ENTRY[Format.ONNX]))


def open_model(file: Path) -> "onnx.ModelProto":
    """Read the graph; weights that lie beside the file stay there.

    Raises:
        SourceError: The file cannot be read, or is not ONNX.
    """
    import onnx

    try:
        model = onnx.load(file, load_external_data=False)
    except OSError as error:
        raise SourceError(f"{file}: cannot be read: {error.strerror}") from error
    except Exception as error:
        raise SourceError(f"{file}: is not an ONNX file, or is cut short ({error})") from error
    if not model.graph.node and not model.graph.output:
        raise SourceError(f"{file}: is not an ONNX file, or is empty: it has no nodes")
    return model


def signature_of(model: "onnx.ModelProto") -> Signature:
    """Describe the inputs and outputs; initialisers that are listed as inputs do not count.

    Raises:
        SourceError: An input or output is a sequence, a string or the like.
    """
    weights = {tensor.name for tensor in model.graph.initializer}
    weights |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    return Signature(
        inputs=tuple(_tensor(value) for value in model.graph.input if value.name not in weights),
        outputs=tuple(map(_tensor, model.graph.output)),
    )


def graphs(graph: "onnx.GraphProto") -> "Iterator[onnx.GraphProto]":
    """Give a graph and every graph inside it."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in ([attribute.g] if attribute.HasField("g") else []) + [*attribute.graphs]:
                yield from graphs(inner)


def nodes(graph: "onnx.GraphProto") -> "Iterator[onnx.NodeProto]":
    """Give every node, those of inner graphs too."""
    for inner in graphs(graph):
        yield from inner.node


def tensors(graph: "onnx.GraphProto") -> "Iterator[onnx.TensorProto]":
    """Give every stored tensor, those in nodes' attributes and in inner graphs too."""
    for inner in graphs(graph):
        yield from inner.initializer
        for sparse in inner.sparse_initializer:
            yield from (sparse.values, sparse.indices)
        for node in inner.node:
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t
                yield from attribute.tensors


def _tensor(value: "onnx.ValueInfoProto") -> Tensor:
    import onnx

    kind = value.type.tensor_type
    if not value.type.HasField("tensor_type") or not kind.elem_type:
        raise SourceError(f"'{value.name}' of the ONNX model is not a tensor of a known type")
    try:
        dtype = DType(onnx.helper.tensor_dtype_to_np_dtype(kind.elem_type).name)
    except (ValueError, KeyError) as error:
        name = onnx.TensorProto.DataType.Name(kind.elem_type).lower()
        raise SourceError(
            f"'{value.name}' of the ONNX model holds {name}: use one of {', '.join(DType)}"
        ) from error
    return Tensor(name=value.name, dtype=dtype, shape=tuple(map(_dim, kind.shape.dim)))


def _dim(dim: "onnx.TensorShapeProto.Dimension") -> Dim:
    if dim.HasField("dim_value") and dim.dim_value >= 0:  # some write -1 for an open one
        return int(dim.dim_value)
    return dim.dim_param or ANY
