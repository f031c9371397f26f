"""The lookups of a TensorFlow graph: rows that are gathered from a variable."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from converters.split.variable import Variable
from converters.tensorflow_graphs.graph import Graph, ancestors, look_through
from registry.signature import DType

#: What gives rows of a variable, and which of its inputs are the rows and the ids.
_GATHERS = ("ResourceGather", "GatherV2")


@dataclass(frozen=True)
class Read:
    """One read of one variable: `ids` in, `vectors` out.

    Attributes:
        why: Why it cannot be cut out, where it cannot.
    """

    variable: Variable
    ids: Any
    vectors: Any
    why: str | None


def find_reads(graph: Graph, feeds: Mapping[str, Any]) -> tuple[Read, ...]:
    """Find the lookups, and say of each whether its ids come from the inputs alone.

    Args:
        feeds: The tensors that stand for the inputs.
    """
    stops = {tensor.name for tensor in feeds.values()}
    return tuple(
        Read(variable, ids, vectors, _why_not(graph, ids, stops))
        for operation in graph.function.graph.get_operations()
        if operation.type in _GATHERS
        for variable, ids, vectors in _read(graph, operation)
    )


def _read(graph: Graph, operation: Any) -> Iterator[tuple[Variable, Any, Any]]:  # noqa: ANN401 - untyped
    import tensorflow as tf

    rows, ids = look_through(operation.inputs[0]), operation.inputs[1]
    if rows.op.type == "ReadVariableOp":
        rows = look_through(rows.op.inputs[0])
    if rows.name not in graph.variables or operation.get_attr("batch_dims"):
        return
    if operation.type == "GatherV2" and tf.get_static_value(operation.inputs[2]) != 0:
        return
    vectors, variable = operation.outputs[0], graph.variables[rows.name]
    key, shape = variable.name.removesuffix(":0"), variable.shape.as_list()
    if len(shape) == 2 and vectors.dtype.is_floating:
        dtype, (count, dim) = DType(vectors.dtype.name), shape
        name = _name(graph, rows.name, key)
        yield Variable(name, rows.name, (key,), count, dim, dtype), ids, vectors


def _name(graph: Graph, tensor: str, key: str) -> str:
    """Name a table after its variable; where several are called alike, by their number, too."""
    name = re.sub(r"[^\w.-]+", "_", key.removesuffix("/embeddings")).strip("_") or "table"
    alike = [here for here, one in graph.variables.items() if one.name.removesuffix(":0") == key]
    return name if len(alike) == 1 else f"{name}_{alike.index(tensor)}"


def _why_not(graph: Graph, ids: Any, stops: set[str]) -> str | None:  # noqa: ANN401 - untyped
    came = list(ancestors(ids, stops))
    if any(one.name in graph.variables for one in came):
        return "its ids depend on weights"
    if not any(one.name in stops for one in came):
        return "its ids do not depend on an input: they are the same in each request"
    return None
