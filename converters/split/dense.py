"""The graph behind the cut: vectors come in as inputs where the lookups were."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.axes import AxisNames
from converters.split.body import Body
from converters.split.extract import needed
from converters.split.fold import evaluate
from converters.split.groups import Group
from converters.split.matrices import Matrix
from converters.split.sizes import rehome_sizes
from registry.signature import Input

if TYPE_CHECKING:
    import torch
    from torch.fx import Graph, Node


@dataclass(frozen=True)
class Cut:
    """What came in the place of lookups.

    Attributes:
        vectors: The inputs that take vectors.
        rows: For the result of each lookup, what has its shape and element type now.
    """

    vectors: "dict[Node, Input]"
    rows: "dict[Node, Node]"


def cut_lookups(body: Body, groups: Sequence[Group], axes: AxisNames) -> Cut:
    """Put an input in the place of each group's vectors.

    What the lookups were computed from stays in the graph, for the ids programs.
    """
    cut = Cut(vectors={}, rows={})
    described = [group.vectors(axes) for group in groups]
    for group, vectors in zip(groups, described, strict=True):
        taken, rows = _replace(body, group)
        cut.vectors[taken] = vectors
        cut.rows.update(dict.fromkeys((read.result for read in group.reads), rows))
    return cut


def tidy_dense(body: Body, axes: AxisNames) -> "tuple[Node, ...]":
    """Make the dense part need nothing that it can do without; give its outputs.

    Ids programs have to be taken out of the graph before.
    """
    outputs = outputs_of(body)
    rehome_sizes(body, outputs, axes)
    _fold_renorm(body, outputs)
    return outputs_of(body)


def _replace(body: Body, group: Group) -> "tuple[Node, Node]":
    graph, old = body.graph, group.first.result
    with graph.inserting_before(next(iter(graph.nodes))):
        vectors = graph.placeholder(group.output)
    vectors.meta = {"val": _flat(old.meta["val"], group.matrix)}
    with graph.inserting_before(vectors.next):
        rows = _as_rows(vectors, group.matrix, graph)
    if rows is not vectors:
        rows.meta = dict(old.meta)
    for read in group.reads:
        read.result.replace_all_uses_with(rows)
    return vectors, rows


def _flat(value: "torch.Tensor", matrix: Matrix) -> "torch.Tensor":
    """Give vectors the shape that tables have them in: one axis for a row."""
    return value.flatten(-len(matrix.row)) if matrix.row else value.unsqueeze(-1)


def _as_rows(vectors: "Node", matrix: Matrix, graph: "Graph") -> "Node":
    """Give vectors the element type and the shape of the model's rows."""
    from torch.ops import aten

    if matrix.vectors is not matrix.dtype:
        dtype = matrix.node.meta["val"].dtype
        vectors = graph.call_function(aten.to.dtype, (vectors, dtype))
    if not matrix.row:
        return graph.call_function(aten.squeeze.dim, (vectors, -1))
    if len(matrix.row) > 1:
        return graph.call_function(aten.unflatten.int, (vectors, -1, list(matrix.row)))
    return vectors


def _fold_renorm(body: Body, outputs: "Sequence[Node]") -> None:
    """Fold what is left of max_norm in tables that stay: no runtime has it."""
    for node in [n for n in needed(outputs) if str(n.target) == "aten.embedding_renorm.default"]:
        name = body.add_constant(f"{node.args[0].target}_renormed", evaluate(node, body))
        with body.graph.inserting_before(node):
            folded = body.graph.create_node("get_attr", name)
        folded.meta = dict(node.meta)
        node.replace_all_uses_with(folded)


def outputs_of(body: Body) -> "tuple[Node, ...]":
    """Give the nodes that a graph returns."""
    output = next(node for node in body.graph.nodes if node.op == "output")
    return tuple(output.args[0])
