"""Tables of a TensorFlow graph that are used densely as well as looked up."""

from collections.abc import Iterable
from typing import Any

from converters.split.policy import SplitOptions
from converters.split.tied import why_tied
from converters.tensorflow_graphs.graph import PASSING, Graph, ancestors
from converters.tensorflow_graphs.reads import GATHERS, Found, Read


def left_of(graph: Graph, cut_out: Iterable[Read]) -> set[str]:
    """Name all tensors that the outputs are still computed from, once lookups are cut out."""
    stops = [read.vectors.name for read in cut_out]
    return {one.name for end in graph.outputs.values() for one in ancestors(end, stops)}


def without_tied(graph: Graph, found: Found, options: SplitOptions) -> Found:
    """Leave tables whole that are used densely as well, where the job wants it so.

    Raises:
        SplitError: The job forbids such tables.
    """
    left, tied = left_of(graph, found.cut), dict[str, str]()
    for one in (read.variable for read in found.cut):
        if one.tensor in left and not one.holds_ids:
            why = why_tied(one, _use(graph, one.tensor, left), options)
            tied |= {one.name: why} if why else {}
    stays = [(one.variable, tied[one.variable.name]) for one in found.cut if _is_in(one, tied)]
    return Found(
        cut=tuple(one for one in found.cut if not _is_in(one, tied)),
        stuck=(*found.stuck, *stays),
    )


def _is_in(read: Read, tables: Iterable[str]) -> bool:
    return read.variable.name in tables


def _use(graph: Graph, tensor: str, left: set[str]) -> str:
    """Name the first operation that takes a variable other than to look rows of it up."""
    waiting: list[Any] = [graph.function.graph.get_tensor_by_name(tensor)]
    while waiting:
        for operation in waiting.pop(0).consumers():
            if operation.type in ("ReadVariableOp", *PASSING):
                waiting += operation.outputs
            elif operation.type not in GATHERS and left & {one.name for one in operation.outputs}:
                return f"by {operation.type} ('{operation.name}')"
    return ""
