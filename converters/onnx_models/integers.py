"""Integers that a runtime of 32 bits would cut off silently.

OpenVINO's CPU plugin computes int64 as int32. An integer that can exceed 32 bits must
not reach a graph for it by value.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.files import open_model
from registry.errors import ConversionError
from registry.signature import Input

if TYPE_CHECKING:
    import onnx

LIMIT = 2**31 - 1

#: Read shapes, not values.
SHAPES = ("Shape", "Size")

#: Hand integers on as they are.
CARRIERS = ("Identity", "Reshape", "Unsqueeze", "Squeeze", "Concat", "Cast")

REMEDY = "Or keep it out of the dense part, or build for onnxruntime"


def check_integers(file: Path, inputs: tuple[Input, ...]) -> None:
    """Refuse an ONNX model in which an integer may exceed 32 bits.

    Args:
        file: The model.
        inputs: The job's inputs; their ids and ranges say what they may hold.

    Raises:
        ConversionError: Names each input and constant, and what to do.
    """
    graph = open_model(file).graph
    users = _users(graph)
    faults = [*_input_faults(graph, users, inputs), *_constant_faults(graph, users)]
    if faults:
        raise ConversionError(f"{file}: OpenVINO computes with 32 bits: {'; '.join(faults)}")


def highest(tensor: Input) -> float | None:
    """Return the largest magnitude that the job lets an integer input hold, if it says."""
    if tensor.ids is not None:
        counts = tensor.ids.cardinality
        return max(counts if isinstance(counts, tuple) else (counts,)) - 1
    if tensor.range is not None:
        return max(map(abs, tensor.range))
    return None


def _input_faults(
    graph: "onnx.GraphProto", users: "Users", inputs: tuple[Input, ...]
) -> Iterator[str]:
    import onnx

    declared = {tensor.name: tensor for tensor in inputs}
    for entry in graph.input:
        wide = entry.type.tensor_type.elem_type in (onnx.TensorProto.INT64, onnx.TensorProto.UINT64)
        by_value = any(node.op_type not in SHAPES for node, _ in users.get(entry.name, []))
        if not wide or not by_value or entry.name not in declared:
            continue
        top = highest(declared[entry.name])
        if top is None:
            yield (
                f"input '{entry.name}' is int64 and the job does not say what it holds. "
                f"Declare its ids or its range in the job. {REMEDY}"
            )
        elif top > LIMIT:
            yield f"input '{entry.name}' may hold {int(top)}. Hash it to less than 2^31. {REMEDY}"


def _constant_faults(graph: "onnx.GraphProto", users: "Users") -> Iterator[str]:
    import onnx

    for tensor in _constants(graph):
        if tensor.data_type != onnx.TensorProto.INT64 or tensor.data_location:
            continue
        array = onnx.numpy_helper.to_array(tensor)
        if array.size == 0 or int(np.abs(array.astype(np.float64)).max()) <= LIMIT:
            continue
        if not _only_cuts(tensor.name, users):
            worst = int(array.flat[int(np.abs(array.astype(np.float64)).argmax())])
            yield f"constant '{tensor.name}' holds {worst}. {REMEDY}"


Users = Mapping[str, list[tuple["onnx.NodeProto", int]]]


def _users(graph: "onnx.GraphProto") -> Users:
    """Map each value to the nodes that take it, with the place of the argument."""
    users: dict[str, list[tuple[onnx.NodeProto, int]]] = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            users.setdefault(name, []).append((node, place))
    return users


def _constants(graph: "onnx.GraphProto") -> Iterator["onnx.TensorProto"]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                tensor = attribute.t
                tensor.name = node.output[0]
                yield tensor


def _only_cuts(name: str, users: Users) -> bool:
    """Tell whether a value does nothing but end a slice: exporters write "to the end" so."""
    taken = users.get(name, [])
    return all(
        (node.op_type == "Slice" and place in (1, 2))
        or (node.op_type in CARRIERS and _only_cuts(node.output[0], users))
        for node, place in taken
    )
