"""`x.squeeze()` names no axes: ONNX would drop the batch axis too, whenever it is 1."""

from typing import TYPE_CHECKING

from converters.split.body import Body
from converters.split.place import place

if TYPE_CHECKING:
    from torch.fx import Node

_OPERATORS = ("aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims")


def fix(body: Body) -> None:
    """Name the axes whose size is 1 whatever the inputs; leave out what names none.

    Torch passes over an axis that it is told to drop if its size is not 1, ONNX fails there.
    """
    from torch.ops import aten

    for node in [n for n in body.graph.nodes if str(n.target) in _OPERATORS]:
        source = node.args[0]
        wanted = _wanted(node)
        if str(node.target) == "aten.squeeze.default":
            _remark(node, body)
        if not wanted:
            node.replace_all_uses_with(source)
            body.graph.erase_node(node)
            continue
        node.target = aten.squeeze.dims
        node.args = (source, wanted)


def _wanted(node: "Node") -> list[int]:
    shape = node.args[0].meta["val"].shape
    named = node.args[1] if len(node.args) > 1 else range(len(shape))
    named = (named,) if isinstance(named, int) else named
    # bool() of a symbolic comparison would narrow the symbol: only true numbers are looked at.
    return sorted(
        axis % len(shape) for axis in named if shape and str(shape[axis % len(shape)]) == "1"
    )


def _remark(node: "Node", body: Body) -> None:
    if any(not str(size).isdecimal() for size in node.args[0].meta["val"].shape):
        body.remark(
            f"squeeze() without an axis ({place(node)}) drops the batch axis when it is 1; what"
            " is made here keeps it. Write squeeze(-1) or the axis that is meant"
        )
