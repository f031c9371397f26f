"""What can be told of a graph's values without running it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from converters.onnx_legal.place import Facts, Size
from converters.onnx_models.faults import is_outside

if TYPE_CHECKING:
    import onnx


def facts_of(
    graph: onnx.GraphProto, opset: int, around: Facts | None = None, turn: int = 0
) -> Facts:
    """Gather the facts of a graph whose shapes are inferred, and of those around it."""
    kinds = dict(around.kinds) if around else {}
    shapes = dict(around.shapes) if around else {}
    constants = dict(around.constants) if around else {}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        kind = value.type.tensor_type
        if kind.elem_type:
            kinds[value.name] = kind.elem_type
        if kind.HasField("shape"):
            shapes[value.name] = tuple(map(_size, kind.shape.dim))
    taken = {value.name for value in graph.input}
    for name, tensor in _stored(graph):
        kinds[name] = tensor.data_type
        shapes[name] = tuple(tensor.dims)
        if not is_outside(tensor) and name not in taken:
            constants[name] = tensor
    makers = dict(around.makers) if around else {}
    makers |= {name: node for node in graph.node for name in node.output}
    given = taken - {tensor.name for tensor in graph.initializer}
    given |= around.given if around else frozenset()
    return Facts(kinds, shapes, constants, makers, _readers(graph), frozenset(given), opset, turn)


def _readers(graph: onnx.GraphProto) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for node in graph.node:
        for name in node.input:
            found[name] = (*found.get(name, ()), node.op_type)
    return found


def _stored(graph: onnx.GraphProto) -> Iterable[tuple[str, onnx.TensorProto]]:
    for tensor in graph.initializer:
        yield tensor.name, tensor
    for node in graph.node:
        if node.op_type == "Constant" and (tensor := _constant(node)) is not None:
            yield node.output[0], tensor


def _constant(node: onnx.NodeProto) -> onnx.TensorProto | None:
    """Return what a node of Constant holds, in whichever way it says so."""
    import onnx

    (said,) = node.attribute
    if said.name == "value":
        return said.t
    kind = onnx.TensorProto.FLOAT if "float" in said.name else onnx.TensorProto.INT64
    value = onnx.helper.get_attribute_value(said)
    if said.name in ("value_int", "value_float"):
        return onnx.helper.make_tensor(node.output[0], kind, (), [value])
    if said.name in ("value_ints", "value_floats"):
        return onnx.helper.make_tensor(node.output[0], kind, (len(value),), value)
    return None


def _size(dim: onnx.TensorShapeProto.Dimension) -> Size:
    return int(dim.dim_value) if dim.HasField("dim_value") else None
