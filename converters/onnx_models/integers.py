"""Integers that a runtime of 32 bits would cut off silently.

OpenVINO's CPU plugin computes int64 as int32. An integer that can exceed 32 bits must
not reach a graph for it by value.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.files import graphs, nodes, open_model
from converters.onnx_models.follow import Walk, stored
from converters.onnx_models.intervals import Interval
from converters.onnx_models.users import Users, only_cuts, users_of
from registry.errors import ConversionError
from registry.signature import Input

if TYPE_CHECKING:
    import onnx

LIMIT = 2**31 - 1
WIDEST = 2**63 - 1

#: Read shapes, not values.
SHAPES = ("Shape", "Size")

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
    users = users_of(graph)
    faults = [*_input_faults(graph, users, inputs), *_constant_faults(graph, users)]
    if not faults:
        faults += _node_faults(graph, users, inputs)
    if faults:
        raise ConversionError(f"{file}: OpenVINO computes with 32 bits: {'; '.join(faults)}")


def reach_of(file: Path, inputs: tuple[Input, ...]) -> dict[str, tuple[int, int]]:
    """Say how low and how high outputs of integers can be, as far as that can be told.

    Args:
        file: A model.
        inputs: What is known of its inputs: their ids and ranges.
    """
    graph = open_model(file).graph
    known = {**dict(_declared(graph, inputs)), **stored(graph)}
    Walk(users_of(graph), _counts(graph), WIDEST).through(graph, known)
    names = [output.name for output in graph.output if output.name in known]
    return {name: (known[name].low, known[name].high) for name in names}


def highest(tensor: Input) -> float | None:
    """Return the largest magnitude that the job lets an integer input hold, if it says."""
    if tensor.ids is not None:
        counts = tensor.ids.cardinality
        return max(counts if isinstance(counts, tuple) else (counts,)) - 1
    if tensor.range is not None:
        return max(map(abs, tensor.range))
    return None


def _input_faults(
    graph: "onnx.GraphProto", users: Users, inputs: tuple[Input, ...]
) -> Iterator[str]:
    import onnx

    declared = {tensor.name: tensor for tensor in inputs}
    for entry in graph.input:
        wide = entry.type.tensor_type.elem_type in (onnx.TensorProto.INT64, onnx.TensorProto.UINT64)
        by_value = any(node.op_type not in SHAPES for node, _ in users.get(entry.name, []))
        if not wide or not by_value or entry.name not in declared:
            continue
        if declared[entry.name].cuts is not None:
            continue  # places in another input, which would have to be of 2^31 entries
        top = highest(declared[entry.name])
        if top is None:
            yield (
                f"input '{entry.name}' is int64 and the job does not say what it holds. "
                f"Declare its ids or its range in the job. {REMEDY}"
            )
        elif top > LIMIT:
            yield f"input '{entry.name}' may hold {int(top)}. Hash it to less than 2^31. {REMEDY}"


def _constant_faults(graph: "onnx.GraphProto", users: Users) -> Iterator[str]:
    import onnx

    for tensor in _constants(graph):
        if tensor.data_type != onnx.TensorProto.INT64 or tensor.data_location:
            continue
        array = onnx.numpy_helper.to_array(tensor)
        if array.size == 0 or int(np.abs(array.astype(np.float64)).max()) <= LIMIT:
            continue
        if not only_cuts(tensor.name, users):
            worst = int(array.flat[int(np.abs(array.astype(np.float64)).argmax())])
            yield f"constant '{tensor.name}' holds {worst}. {REMEDY}"


def _node_faults(
    graph: "onnx.GraphProto", users: Users, inputs: tuple[Input, ...]
) -> Iterator[str]:
    """Follow what numbers can be through the graph; name the nodes where they first exceed."""
    walk = Walk(users, _counts(graph), LIMIT)
    walk.through(graph, {**dict(_declared(graph, inputs)), **stored(graph)})
    for operator, made in walk.beyond.values():
        worst = made.high if made.high > LIMIT else made.low
        way = " → ".join(dict.fromkeys(made.path))
        yield f"{operator} (node '{made.path[-1]}') can reach {worst}, by way of {way}. {REMEDY}"


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


def _counts(graph: "onnx.GraphProto") -> dict[str, int]:
    """Count the elements of values whose sizes are fixed."""
    counts: dict[str, int] = {}
    for inner in graphs(graph):
        for value in [*inner.input, *inner.value_info, *inner.output]:
            shape = value.type.tensor_type.shape
            fixed = all(dim.HasField("dim_value") for dim in shape.dim)
            if value.type.tensor_type.HasField("shape") and fixed:
                counts[value.name] = math.prod(dim.dim_value for dim in shape.dim)
        counts |= {tensor.name: math.prod(tensor.dims) for tensor in inner.initializer}
    return counts


def _constants(graph: "onnx.GraphProto") -> Iterator["onnx.TensorProto"]:
    for inner in graphs(graph):
        yield from inner.initializer
    for node in nodes(graph):
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                tensor = attribute.t
                tensor.name = node.output[0]
                yield tensor
