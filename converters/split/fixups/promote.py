"""Operators of mixed types: torch promotes operands, the ONNX exporter writes them as they are.

It casts for additions and the like. For those below it writes a file that no runtime loads, or,
for powers, one that answers otherwise.
"""

from typing import TYPE_CHECKING

from converters.split.body import Body

if TYPE_CHECKING:
    from torch.fx import Node

_OPERATORS = frozenset(
    {
        "aten.stack.default",
        "aten.hstack.default",
        "aten.vstack.default",
        "aten.dstack.default",
        "aten.column_stack.default",
        "aten.pow.Tensor_Tensor",
        "aten.pow.Tensor_Scalar",
        "aten.pow.Scalar",
        "aten.select_scatter.default",
        "aten.slice_scatter.default",
        "aten.diagonal_scatter.default",
    }
)


def fix(body: Body) -> None:
    """Cast each operand to the type of the result, as torch does on the way."""
    for node in [n for n in body.graph.nodes if str(n.target) in _OPERATORS]:
        for operand in node.all_input_nodes:
            if _of_another_type(operand, node):
                node.replace_input_with(operand, _cast(operand, node, body))


def _of_another_type(operand: "Node", node: "Node") -> bool:
    value = operand.meta.get("val")
    return getattr(value, "dtype", None) not in (None, node.meta["val"].dtype)


def _cast(operand: "Node", node: "Node", body: Body) -> "Node":
    from torch.ops import aten

    dtype = node.meta["val"].dtype
    with body.graph.inserting_before(node):
        cast = body.graph.call_function(aten.to.dtype, (operand, dtype))
    cast.meta = {**operand.meta, "val": operand.meta["val"].to(dtype)}
    return cast
