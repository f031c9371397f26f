"""The lookups of a TensorFlow graph: rows that are gathered from a variable."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from converters.split.choose import check_patterns, why_not
from converters.split.policy import SplitOptions
from converters.split.variable import Variable
from converters.tensorflow_graphs.graph import Graph, ancestors, look_through
from registry.signature import DType

#: What gives rows of a variable, and which of its inputs are the rows and the ids.
GATHERS = ("ResourceGather", "GatherV2")

#: Whole numbers that ids of another lookup can be, or be computed from.
_WHOLE = ("int64", "int32")


@dataclass(frozen=True)
class Read:
    """One read of one variable: `ids` in, `vectors` out."""

    variable: Variable
    ids: Any
    vectors: Any


@dataclass(frozen=True)
class Found:
    """The lookups of a graph.

    Attributes:
        cut: In an order in which they can be computed, identical ones not yet joined.
        stuck: Tables that stay, with the reasons.
    """

    cut: tuple[Read, ...]
    stuck: tuple[tuple[Variable, str], ...]


def find_reads(graph: Graph, feeds: Mapping[str, Any], options: SplitOptions) -> Found:
    """Find the lookups whose ids come from the inputs, or from rows of integers, alone.

    Args:
        feeds: The tensors that stand for the inputs.

    Raises:
        SplitError: A name pattern of the job matches no table.
    """
    stops = {tensor.name for tensor in feeds.values()}
    cut: list[Read] = []
    stuck: list[tuple[Variable, str]] = []
    for read in _reads(graph):
        if why := why_not(read.variable, options) or _why_not(graph, read.ids, stops):
            stuck.append((read.variable, why))
            continue
        cut.append(read)
        if read.variable.holds_ids:
            stops.add(read.vectors.name)
    known = [*(read.variable for read in cut), *(variable for variable, _ in stuck)]
    check_patterns(known, options)
    return Found(tuple(cut), tuple(stuck))


def _reads(graph: Graph) -> Iterator[Read]:
    """Give the lookups in the graph's order, in which each can be computed."""
    for operation in graph.function.graph.get_operations():
        if operation.type in GATHERS:
            yield from _read(graph, operation)


def _read(graph: Graph, operation: Any) -> Iterator[Read]:  # noqa: ANN401 - untyped
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
    if len(shape) == 2 and (vectors.dtype.is_floating or vectors.dtype.name in _WHOLE):
        dtype, (count, dim) = DType(vectors.dtype.name), shape
        name = _name(graph, rows.name, key)
        yield Read(Variable(name, rows.name, (key,), count, dim, dtype), ids, vectors)


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
