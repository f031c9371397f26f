"""Integers that a runtime of 32 bits would cut off silently.

OpenVINO's CPU plugin computes int64 as int32. An integer that can exceed 32 bits must
not reach a graph for it by value.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.files import open_model
from converters.onnx_models.intervals import Interval, result
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
    if not faults:
        faults += _node_faults(graph, users, inputs)
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
        if declared[entry.name].offsets is not None:
            continue  # positions in another input, which would have to be of 2^31 entries
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


def _node_faults(
    graph: "onnx.GraphProto", users: "Users", inputs: tuple[Input, ...]
) -> Iterator[str]:
    """Follow what numbers can be through the graph; name the nodes where they first exceed."""
    known = {
        **dict(_declared(graph, inputs)),
        **dict(_stored(graph)),
    }
    counts = _counts(graph)
    for node in graph.node:
        made = result(node, known, counts)
        if made is None:
            continue
        if made.magnitude() <= LIMIT or _only_cuts(node.output[0], users):
            known[node.output[0]] = made
            continue
        worst = made.high if made.high > LIMIT else made.low
        yield (
            f"{node.op_type} (node '{made.path[-1]}') can reach {worst}, "
            f"by way of {' → '.join(made.path)}. {REMEDY}"
        )


def _declared(
    graph: "onnx.GraphProto", inputs: tuple[Input, ...]
) -> Iterator[tuple[str, Interval]]:
    """Give what the job says of integer inputs."""
    wanted = {tensor.name: tensor for tensor in inputs if tensor.dtype.startswith(("int", "uint"))}
    for entry in graph.input:
        tensor = wanted.get(entry.name)
        top = None if tensor is None else highest(tensor)
        if tensor is None or top is None:
            continue
        low = int(tensor.range[0]) if tensor.ids is None and tensor.range is not None else 0
        high = int(tensor.range[1]) if tensor.ids is None and tensor.range is not None else int(top)
        yield entry.name, Interval(low, high, (entry.name,))


def _stored(graph: "onnx.GraphProto") -> Iterator[tuple[str, Interval]]:
    """Give what constants of integers hold."""
    import onnx

    for tensor in _constants(graph):
        if not tensor.data_location and tensor.data_type in (
            onnx.TensorProto.INT64,
            onnx.TensorProto.INT32,
        ):
            array = onnx.numpy_helper.to_array(tensor)
            if array.size:
                yield tensor.name, Interval(int(array.min()), int(array.max()), (tensor.name,))


def _counts(graph: "onnx.GraphProto") -> dict[str, int]:
    """Count the elements of values whose sizes are fixed."""
    counts = {}
    for value in [*graph.input, *graph.value_info, *graph.output]:
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(d.HasField("dim_value") for d in dims):
            counts[value.name] = math.prod(dim.dim_value for dim in dims)
    return counts | {tensor.name: math.prod(tensor.dims) for tensor in graph.initializer}


Users = Mapping[str, list[tuple["onnx.NodeProto", int]]]


def _users(graph: "onnx.GraphProto") -> Users:
    """Map each value to the nodes that take it, with the place of the argument.

    Who reads an output of the model counts as one.
    """
    import onnx

    users: dict[str, list[tuple[onnx.NodeProto, int]]] = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            users.setdefault(name, []).append((node, place))
    for output in graph.output:
        users.setdefault(output.name, []).append((onnx.NodeProto(op_type="reader"), 0))
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
