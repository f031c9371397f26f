"""Bags in an ONNX graph: gathered rows of which only the greatest of each element are wanted.

Sums and means stay as they are: runtimes add up in an order of their own, and the lookup would
answer with other last digits.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from converters.onnx_models.piece import taken_by
from converters.onnx_split.graph import Graph
from registry.signature import Dim

if TYPE_CHECKING:
    import onnx

#: Says whether an axis, by its size or name, always has an entry.
IsNeverEmpty = Callable[[Dim], bool]


def greatest_of(graph: Graph, rows: str, ids: str, is_never_empty: IsNeverEmpty) -> str | None:
    """Give the value that is the greatest of a bag's rows, where that is all they are read for.

    The greatest of no rows is zero in a bag, and the lowest number there is in ONNX: None where
    bags may be empty.

    Args:
        rows: What a gather gives: [bags, length, dim].
        ids: What it takes: [bags, length].
    """
    takers = [node for node in graph.model.graph.node if rows in taken_by(node)]
    length = _length(graph, ids)
    if len(takers) != 1 or rows in graph.outputs or length is None or not is_never_empty(length):
        return None
    (node,) = takers
    return node.output[0] if _takes_greatest(graph, node) else None


def _length(graph: Graph, ids: str) -> Dim | None:
    """Give the second of two axes of ids."""
    value = graph.values.get(ids)
    if value is None or graph.rank(ids) != 2:
        return None
    dim = value.type.tensor_type.shape.dim[1]
    return dim.dim_value if dim.HasField("dim_value") else dim.dim_param or None


def _takes_greatest(graph: Graph, node: "onnx.NodeProto") -> bool:
    """Tell whether a node reduces the axis of a bag, and that alone, to its greatest."""
    import onnx

    if node.op_type != "ReduceMax" or node.domain:
        return False
    said = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    axes = list(said.get("axes", []))
    if len(node.input) > 1 and node.input[1] in graph.stored:
        axes = np.atleast_1d(onnx.numpy_helper.to_array(graph.stored[node.input[1]])).tolist()
    return [axis % 3 for axis in axes] == [1] and said.get("keepdims", 1) == 0
