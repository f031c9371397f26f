"""The dense part's graph: vectors come in as inputs where the lookups were."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from converters.split.axes import AxisNames
from converters.split.body import Body
from converters.split.extract import needed
from converters.split.fold import evaluate
from converters.split.groups import Group
from converters.split.sizes import rehome_sizes
from registry.signature import Input

if TYPE_CHECKING:
    from torch.fx import Node

_CHECKS = ("aten._assert_async", "aten._assert_scalar", "aten._assert_tensor_metadata")


@dataclass(frozen=True)
class Cut:
    """The graph after the cut: its outputs, and the inputs that take vectors."""

    outputs: "tuple[Node, ...]"
    vectors: "dict[Node, Input]"


def cut_lookups(body: Body, groups: Sequence[Group], axes: AxisNames) -> Cut:
    """Put an input in the place of each group's vectors.

    What the lookups were computed from stays in the graph, for the ids program.
    """
    vectors = {}
    for group in groups:
        described = group.vectors(axes)
        vectors[_replace(body, group)] = described
    for node in [n for n in body.graph.nodes if str(n.target).startswith(_CHECKS)]:
        if not node.users:
            body.graph.erase_node(node)
    outputs = _outputs(body)
    rehome_sizes(body, outputs, axes)
    _fold_renorm(body, outputs)
    return Cut(outputs=_outputs(body), vectors=vectors)


def _replace(body: Body, group: Group) -> "Node":
    from torch.ops import aten

    graph, row = body.graph, group.matrix.row
    old = group.first.result
    with graph.inserting_before(next(iter(graph.nodes))):
        vectors = graph.placeholder(group.output)
    vectors.meta = {
        "val": old.meta["val"].flatten(-len(row)) if row else old.meta["val"][..., None]
    }
    with graph.inserting_before(old):
        shaped = vectors
        if not row:
            shaped = graph.call_function(aten.squeeze.dim, (vectors, -1))
        elif len(row) > 1:
            shaped = graph.call_function(aten.unflatten.int, (vectors, -1, list(row)))
    if shaped is not vectors:
        shaped.meta = dict(old.meta)
    for read in group.reads:
        read.result.replace_all_uses_with(shaped)
    return vectors


def _fold_renorm(body: Body, outputs: "Sequence[Node]") -> None:
    """Fold what is left of max_norm in tables that stay: no runtime has it."""
    for node in [n for n in needed(outputs) if str(n.target) == "aten.embedding_renorm.default"]:
        name = body.add_constant(f"{node.args[0].target}_renormed", evaluate(node, body))
        with body.graph.inserting_before(node):
            folded = body.graph.create_node("get_attr", name)
        folded.meta = dict(node.meta)
        node.replace_all_uses_with(folded)


def _outputs(body: Body) -> "tuple[Node, ...]":
    output = next(node for node in body.graph.nodes if node.op == "output")
    return tuple(output.args[0])
