"""Expressions of stored tensors: worked out once, so that their rows can be looked up."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.faults import size_of
from converters.onnx_models.piece import make_piece
from converters.onnx_models.reference import session_of
from converters.onnx_split.graph import Graph, ancestors, nodes_between
from converters.onnx_split.ids import UNREPEATABLE
from registry.errors import SplitError

if TYPE_CHECKING:
    import onnx

#: How deep an expression is told.
_DEPTH = 6


def sources_of(graph: Graph, name: str) -> tuple[str, ...]:
    """List the stored tensors that alone make a value; none where anything else has a say in it."""
    came = set(ancestors(graph, [name], graph.stored))
    if not graph.inputs.keys().isdisjoint(came):
        return ()
    makers = [graph.made[one] for one in came if one in graph.made and one not in graph.stored]
    if any(_is_open(node) for node in makers):
        return ()
    return tuple(one for one in graph.stored if one in came)


def shape_of(graph: Graph, name: str) -> tuple[int, ...] | None:
    """Return the shape of a value, if all of it is known."""
    if name in graph.stored:
        return tuple(graph.stored[name].dims)
    if graph.rank(name) is None:
        return None
    dims = graph.values[name].type.tensor_type.shape.dim
    return tuple(dim.dim_value for dim in dims) if all(dim.dim_value for dim in dims) else None


def bytes_behind(graph: Graph, name: str) -> int:
    """Add up the sizes of the stored tensors that make a value."""
    return sum(size_of(graph.stored[one]) for one in sources_of(graph, name))


def express(graph: Graph, name: str, depth: int = _DEPTH) -> str:
    """Write an expression of stored tensors as text: 'Add(Mul(w, half), one)'."""
    if name in graph.stored:
        return name
    if not depth:
        return "…"
    node = graph.made[name]
    return (
        f"{node.op_type}({', '.join(express(graph, one, depth - 1) for one in node.input if one)})"
    )


def evaluate(graph: Graph, name: str, source: Path) -> np.ndarray:
    """Compute an expression of stored tensors, as the file itself does.

    Args:
        source: The folder of the model's file.

    Raises:
        SplitError: ONNX Runtime cannot compute it.
    """
    kept = nodes_between(graph, [name], graph.stored)
    piece = make_piece(graph.model, kept, (), [graph.values[name]])
    try:
        (value,) = session_of(piece, source, f"table {name}").run(None, {})
    except Exception as error:
        raise SplitError(
            f"table {express(graph, name)}: cannot be computed from the file's weights: {error}."
            " Keep the table (split.keep)"
        ) from error
    return np.asarray(value)


def _is_open(node: "onnx.NodeProto") -> bool:
    """Tell whether a node is control flow, draws at random, or is of another's domain."""
    nested = any(one.HasField("g") or one.graphs for one in node.attribute)
    return nested or bool(node.domain) or node.op_type in UNREPEATABLE
